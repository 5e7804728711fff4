//! `windlass convert FILE --to LANG`: an application, a plan or a state in another language.
//!
//! Nothing is written that means something else: what the language has no words for is refused, or
//! left out and named on standard error when no behavior depends on it.

mod archive;

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use windlass::application::assembly::Assembly;
use windlass::application::{Application, GlobalState};
use windlass::export::alloy;
use windlass::export::pnml;
use windlass::lang::Kind;
use windlass::lang::windlass as own;
use windlass::lang::{Inexpressible, Language, Written, occi, ramp, tosca, tosker};
use windlass::plan::Plan;
use windlass::tree::{Value, emit};

use crate::args::{ConvertArgs, Format, Target};
use crate::failure::Failure;
use crate::load::{self, Loaded, Loader};
use crate::{escape, exit_code, files, input, output, replace};

/// The answer of `windlass convert --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/convert/1", deny_unknown_fields)]
pub(crate) struct ConvertReport<'a> {
    /// Always `windlass/convert/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The language of the text.
    to: Target,
    /// The description in that language; null when it went to a file.
    text: Option<&'a str>,
    /// The file that was written.
    output: Option<String>,
    /// What the language has no words for.
    left_out: &'a [&'static str],
}

const SCHEMA: &str = "windlass/convert/1";

/// What is written.
enum Content {
    Text(String),
    Archive(Vec<u8>),
}

/// Prints the description, or writes it to a file.
pub(crate) fn run(args: &ConvertArgs, loader: &Loader) -> Result<u8, Failure> {
    if args.base.is_some() && args.to != Target::Barrel {
        return Err(Failure::usage(
            "--base is for `--to barrel`: other languages have no archives",
        )
        .help("leave --base out, or write `--to barrel`"));
    }
    let Written { document, left_out } = convert(args, loader)?;
    if !left_out.is_empty() {
        output::stderr(&format!("left out: {}\n", left_out.join(", ")));
    }
    match (&document, &args.output) {
        (Content::Text(text), Some(path)) => write(path, text.as_bytes())?,
        (Content::Archive(bytes), Some(path)) => write(path, bytes)?,
        (Content::Archive(_), None) => {
            return Err(Failure::usage("a CSAR is an archive and no text")
                .help("say with -o where to write it"));
        }
        // A description for another program, so it goes out as it is.
        (Content::Text(text), None) if args.format == Format::Text => {
            output::stdout_bytes(text.as_bytes())?;
        }
        (Content::Text(_), None) => {}
    }
    if args.format == Format::Json {
        let text = match &document {
            Content::Text(text) if args.output.is_none() => Some(&**text),
            _ => None,
        };
        let output = args.output.as_deref().map(|path| path.display().to_string());
        let (to, left_out) = (args.to, &left_out[..]);
        let report = ConvertReport { schema: SCHEMA, to, text, output, left_out };
        output::stdout(&escape::json(&report)?)?;
    }
    Ok(exit_code::GOOD)
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    replace::write(path, content).map_err(|error| Failure::file("write", path, &error))
}

/// Reads the file as what it is and converts that.
fn convert(args: &ConvertArgs, loader: &Loader) -> Result<Written<Content>, Failure> {
    let is_archive = files::looks_like_archive(&args.file);
    if args.file.is_dir() || is_archive {
        let loaded = loader.application(&args.file, args.lang.as_deref())?;
        return application(loaded, args, is_archive);
    }
    let language = args.lang.as_deref().map(input::language).transpose()?;
    let text = loader.text(&args.file)?;
    match text.kind() {
        Some(Kind::Plan) => plan(&load::plan_in(text)?, args),
        Some(Kind::State) => {
            let Some(path) = &args.app else {
                return Err(Failure::usage("a state is read together with its application")
                    .help("say with --app which application it is of"));
            };
            let of = loader.application(path, None)?.application;
            let read = load::state_in(text, &of)?;
            state(&of, &read, args)
        }
        Some(Kind::Goal) => Err(Failure::usage("a goal has no other language")),
        Some(Kind::Rules | Kind::Topology) => {
            Err(Failure::usage("a rule set or a topology has no other language"))
        }
        Some(Kind::Application) | None => {
            application(loader.application_in(text, &args.file, language)?, args, false)
        }
    }
}

fn application(
    loaded: Loaded,
    args: &ConvertArgs,
    is_archive: bool,
) -> Result<Written<Content>, Failure> {
    let Loaded { language, application, goal, compose, stack, tosca, .. } = loaded;
    match args.to {
        Target::Windlass | Target::Json => {
            Ok(ours(&own::print(&application, goal.as_ref()), args.to))
        }
        Target::Ramp => or_failure(ramp::print(&application).map(text_of)),
        Target::Barrel => {
            let base = args.base.as_deref().or(is_archive.then_some(&*args.file));
            archive::write(&application, base)
        }
        Target::Tosker => Err(not_in("application", "TosKer's plan files")),
        Target::Tosca => service(language, tosca.as_deref()),
        Target::Occi => {
            let Some(configuration) = tosca.and_then(|model| occi::of_service(&model)) else {
                return Err(Failure::usage("only a TOSCA service is written as OCCI"));
            };
            let ending = args.output.as_deref().and_then(Path::extension);
            let is_text = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("txt"));
            let text = if is_text {
                occi::text(&configuration)
            } else {
                emit::json(&occi::json(&configuration))
            };
            let left_out = vec!["operations and life cycles", "values that only a run knows"];
            Ok(Written { document: Content::Text(text), left_out })
        }
        Target::Pnml => {
            let assembly =
                Assembly::new(&application).map_err(|why| Failure::usage(why.to_string()))?;
            let document = pnml::write(&assembly).map_err(|why| Failure::usage(why.to_string()))?;
            let left_out = vec!["failures, durations and commands"];
            Ok(Written { document: Content::Text(document), left_out })
        }
        Target::Alloy => {
            let text = match (compose, stack) {
                (Some(project), _) => alloy::print(&project),
                (None, Some(stack)) => {
                    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy();
                    alloy::template::print(&stack, &stem)
                }
                (None, None) => {
                    let message = "only a Compose file or a template is written as Alloy";
                    return Err(Failure::usage(message));
                }
            };
            Ok(Written { document: Content::Text(text), left_out: Vec::new() })
        }
    }
}

/// TOSCA: the service of a configuration of OCCI, or the workflows that the rules weave.
fn service(
    language: Option<Language>,
    model: Option<&tosca::Model>,
) -> Result<Written<Content>, Failure> {
    let Some(model) = model else {
        return Err(not_in("application", "TOSCA; a plan is written as a workflow"));
    };
    if language == Some(Language::OCCI) {
        let document = occi::service(&occi::of_service(model).unwrap_or_default());
        return Ok(yaml_of(Written { document, left_out: vec!["mixins and actions"] }));
    }
    let Some((deploy, undeploy)) = tosca::workflow::declarative_plans(model) else {
        let message = "protocols in the service say its order, and no weaving rules";
        return Err(Failure::usage(message).help("write a plan as a workflow: `windlass plan`"));
    };
    let workflows = [("deploy", &deploy), ("undeploy", &undeploy)];
    Ok(yaml_of(or_failure(tosca::workflow::print(&workflows))?))
}

fn plan(plan: &Plan, args: &ConvertArgs) -> Result<Written<Content>, Failure> {
    match args.to {
        Target::Windlass | Target::Json => Ok(ours(&own::print_plan(plan), args.to)),
        Target::Ramp => Ok(text_of(ramp::print_plan(plan))),
        Target::Tosker => {
            let ending = args.output.as_deref().and_then(Path::extension);
            let is_csv = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
            let form = if is_csv { tosker::Form::Csv } else { tosker::Form::Plan };
            let written = tosker::print_plan(plan, form);
            or_failure(
                written
                    .map(|w| Written { document: Content::Text(w.document), left_out: w.left_out }),
            )
        }
        Target::Tosca => {
            let name = tosca::workflow::name(plan);
            Ok(yaml_of(or_failure(tosca::workflow::print(&[(name, plan)]))?))
        }
        Target::Occi => Err(not_in("plan", "OCCI")),
        Target::Barrel => Err(not_in("plan", "BARREL's archives")),
        Target::Pnml => Err(not_in("plan", "PNML")),
        Target::Alloy => Err(not_in("plan", "Alloy")),
    }
}

fn state(
    application: &Application,
    state: &GlobalState,
    args: &ConvertArgs,
) -> Result<Written<Content>, Failure> {
    match args.to {
        Target::Windlass | Target::Json => Ok(ours(&own::print_state(application, state), args.to)),
        Target::Ramp => or_failure(ramp::print_state(application, state).map(text_of)),
        Target::Barrel => Err(not_in("state", "BARREL's archives")),
        Target::Alloy => Err(not_in("state", "Alloy")),
        Target::Tosker => Err(not_in("state", "TosKer's plan files")),
        Target::Tosca => Err(not_in("state", "TOSCA")),
        Target::Occi => Err(not_in("state", "OCCI")),
        Target::Pnml => Err(not_in("state", "PNML")),
    }
}

/// A document of our own language.
fn ours(document: &Value, to: Target) -> Written<Content> {
    let text = if to == Target::Json { emit::json(document) } else { emit::yaml(document) };
    Written { document: Content::Text(text), left_out: Vec::new() }
}

fn yaml_of(written: Written<Value>) -> Written<Content> {
    let Written { document, left_out } = written;
    Written { document: Content::Text(emit::yaml(&document)), left_out }
}

fn text_of(written: Written<Value>) -> Written<Content> {
    let Written { document, left_out } = written;
    Written { document: Content::Text(emit::json(&document)), left_out }
}

fn or_failure<T>(written: Result<T, Inexpressible>) -> Result<T, Failure> {
    written.map_err(|refused| Failure::usage(refused.to_string()))
}

fn not_in(what: &str, place: &str) -> Failure {
    let article = if what.starts_with('a') { "an" } else { "a" };
    Failure::usage(format!("{article} {what} cannot be written as {place}"))
}
