//! What requests say. Every text that a page has changed travels with the request; nothing of a
//! page is kept in the server.

use schemars::JsonSchema;
use serde::Deserialize;

/// A file, perhaps as it would be after an edit.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct About {
    /// The name of an opened file.
    pub(super) file: String,
    /// Its text in the editor, when that is not what is saved.
    pub(super) text: Option<String>,
}

/// A text to be saved.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Save {
    /// The name of an opened file.
    pub(super) file: String,
    /// The text on disk, as the page knows it.
    pub(super) was: String,
    /// The new text.
    pub(super) text: String,
}

/// Commands of `windlass step`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Step {
    /// The application.
    #[serde(flatten)]
    pub(super) about: About,
    /// The state to begin with, as YAML; without it nothing exists yet.
    pub(super) state: Option<String>,
    /// The commands of `windlass step`, in their order.
    pub(super) lines: Vec<String>,
    /// Where every node is one instance: reset what lives in a dead container.
    #[serde(default)]
    pub(super) hard_recovery: bool,
}

/// A plan to be judged.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Verify {
    /// The application.
    #[serde(flatten)]
    pub(super) about: About,
    /// The plan, as YAML or JSON.
    pub(super) plan: String,
    /// The state in which it starts.
    pub(super) state: Option<String>,
    /// What should hold in the end.
    pub(super) goal: Option<String>,
    /// Whether the actions are a sequence, in the order of the text.
    #[serde(default)]
    pub(super) sequence: bool,
}

/// A plan to be found.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Plan {
    /// The application.
    #[serde(flatten)]
    pub(super) about: About,
    /// The state in which the plan starts.
    pub(super) state: Option<String>,
    /// What should hold in the end; without it what the file declares.
    pub(super) goal: Option<String>,
    /// What is to be as small as possible.
    #[serde(default)]
    pub(super) objective: Objective,
    /// Whether the plan may pass through faults that handlers take.
    #[serde(default)]
    pub(super) allow_faults: bool,
}

/// What is to be as small as possible.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Objective {
    /// Scalings, starts and ends of operations.
    #[default]
    Length,
    /// Time.
    Makespan,
    /// Price.
    Cost,
}

impl Objective {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Objective::Length => "length",
            Objective::Makespan => "makespan",
            Objective::Cost => "cost",
        }
    }
}

/// A proof to be found.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Prove {
    /// The application.
    #[serde(flatten)]
    pub(super) about: About,
    /// The goal, when it is not what the file declares.
    pub(super) goal: Option<String>,
    /// Operations that may fail, as `--may-fail` takes them.
    pub(super) may_fail: Option<String>,
}

/// A translation.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Convert {
    /// The application.
    #[serde(flatten)]
    pub(super) about: About,
    /// The language to write.
    pub(super) to: Language,
    /// With `barrel`: the opened archive whose other files are kept.
    pub(super) base: Option<String>,
}

/// A language that is written.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Language {
    /// Our own, as YAML.
    Windlass,
    /// Our own, as JSON.
    Json,
    /// A CSAR for BARREL.
    Barrel,
}

impl Language {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Language::Windlass => "windlass",
            Language::Json => "json",
            Language::Barrel => "barrel",
        }
    }
}

/// A run in the simulated world.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Run {
    /// The application.
    #[serde(flatten)]
    pub(super) about: About,
    /// What should hold in the end.
    pub(super) goal: Option<String>,
    /// How many actions run at once.
    pub(super) jobs: Option<u16>,
    /// Decides every duration.
    pub(super) seed: Option<u64>,
    /// How many times faster than virtual time events arrive; at once without it.
    pub(super) speed: Option<f64>,
    /// Up to where events arrive at once: where a run that was left is taken up again.
    pub(super) from_ms: Option<f64>,
}

/// A real run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Deploy {
    /// The name of an opened file; what is on disk counts.
    pub(super) file: String,
    /// What to do.
    pub(super) verb: Verb,
    /// With `up`: what should hold in the end.
    pub(super) goal: Option<String>,
    /// How many actions run at once.
    pub(super) jobs: Option<u16>,
}

/// What is done with a deployment.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verb {
    /// Bring it up, and look after it.
    Up,
    /// Go on where an engine stopped.
    Resume,
    /// Take it down.
    Down,
}

impl Verb {
    pub(super) fn words(self) -> &'static [&'static str] {
        match self {
            Verb::Up => &["up", "--yes"],
            Verb::Resume => &["resume"],
            Verb::Down => &["down", "--yes"],
        }
    }

    pub(super) fn takes_goal(self) -> bool {
        matches!(self, Verb::Up)
    }
}

/// What an action wrote.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Logs {
    /// The name of an opened file.
    pub(super) file: String,
    /// The label of an action, or an instance.
    pub(super) action: String,
    /// The run; the last one without it.
    pub(super) run: Option<u64>,
}
