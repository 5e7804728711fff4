//! What readers need to know beside a text: files put over a Compose file, variables, profiles, its
//! folder; values for the inputs of a TOSCA service, and the quirks that are tolerated in one.
//!
//! The library reads nothing by itself. What the command line names is read here, once, before a
//! command starts; the variables are those of the process. [`CommandOptions`] is handed down.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;
use windlass::lang::ReadOptions;
use windlass::lang::compose::interpolate::Environment;
use windlass::lang::compose::{FILE_NAMES, NamedText, Options, dotenv};
use windlass::lang::tosca::inputs::{InputValues, SINGLE};
use windlass::lang::tosca::switches::Switches;
use windlass::source::Sources;
use windlass::source::files::Limits;
use windlass::spelling;

use crate::args::{Command, HotArgs};
use crate::config::{Config, SettingsFile};
use crate::failure::Failure;
use crate::files::FileCache;
use crate::hot::TemplateContext;
use crate::{input, paths};

/// The name of standard input.
const STDIN: &str = "-";

/// What every command that reads a Compose file takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Docker Compose")]
pub(crate) struct ComposeArgs {
    /// Put FILE over the Compose file; may be given more than once
    #[arg(short = 'f', long = "file", value_name = "FILE", id = "compose_file")]
    pub(crate) files: Vec<PathBuf>,

    /// Take variables from FILE in place of `.env`; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub(crate) env_file: Vec<PathBuf>,

    /// Switch on a profile; may be given more than once
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Vec<String>,

    /// The name of the project, in place of `name` and of the folder
    #[arg(long, value_name = "NAME")]
    pub(crate) project_name: Option<String>,
}

/// What every command that reads a template of OpenStack Heat takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "OpenStack Heat")]
pub(crate) struct TemplateArgs {
    /// HOT: an environment file; may be given more than once, a later one wins
    #[arg(long, value_name = "FILE")]
    pub(crate) env: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) tosca: ToscaArgs,
}

/// What every command that reads a TOSCA service takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "TOSCA")]
pub(crate) struct ToscaArgs {
    /// Values for the inputs of a TOSCA service, as YAML; may be given more than once, a later one
    /// wins
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The value of one input of a TOSCA service; wins over those in files
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) input: Vec<String>,

    /// Tolerate what other processors accept: names of quirks, or `tosca-parser` and `puccini`
    /// for all of theirs
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) quirks: Vec<String>,
}

/// What the command line says about how descriptions are read; each file adds what stands beside
/// it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandOptions {
    compose: Options,
    inputs: InputValues,
    quirks: Switches,
    /// What was read so far.
    pub(crate) files: FileCache,
    /// The settings that were read so far.
    config: RefCell<Config>,
    /// What is said beside templates of OpenStack Heat.
    pub(crate) template: TemplateContext,
}

impl CommandOptions {
    /// Reads what the arguments of a command name.
    pub(crate) fn of(command: &Command) -> Result<Self, Failure> {
        let files = FileCache::default();
        let (args, template) = match command {
            Command::Check(args) => (&args.compose, &args.hot.template),
            Command::Show(args) => (&args.compose, &args.template),
            Command::Verify(args) => (&args.compose, &args.template),
            Command::Plan(args) => (&args.compose, &args.template),
            Command::Step(args) => (&args.compose, &args.template),
            Command::Analyze(args) => (&args.compose, &args.template),
            Command::Prove(args) => (&args.compose, &args.template),
            Command::Simulate(args) => (&args.compose, &args.template),
            Command::Convert(args) => (&args.compose, &args.template),
            Command::Up(args) => (&args.compose, &args.template),
            // They read no description: that of what runs is in the journal.
            Command::Scale(_)
            | Command::Restart(_)
            | Command::Down(_)
            | Command::Status(_)
            | Command::Resume(_)
            | Command::History(_)
            | Command::Logs(_)
            // What it asks, it asks by commands of their own.
            | Command::Serve(_)
            | Command::Explain(_)
            | Command::Completions(_)
            | Command::Man(_) => return Ok(Self::default()),
        };
        let services = match command {
            Command::Up(args) => args.services.clone(),
            _ => Vec::new(),
        };
        Ok(CommandOptions {
            inputs: inputs(&template.tosca, matches!(command, Command::Up(_)), &files)?,
            quirks: quirks(&template.tosca)?,
            compose: compose(args, services, &files)?,
            template: template_context(command, template),
            config: RefCell::default(),
            files,
        })
    }

    /// The same, for a command that reads everything again because it may have changed; `stdin`
    /// stands for standard input when that was read before.
    pub(crate) fn reread(&self, stdin: Option<Vec<u8>>) -> Self {
        let files = self.files.emptied();
        if let Some(stdin) = stdin {
            files.put(STDIN, &stdin);
        }
        CommandOptions { files, config: RefCell::default(), ..self.clone() }
    }

    /// The bytes of a file that was named, or of standard input.
    pub(crate) fn bytes(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        bytes(path, &self.files)
    }

    /// What was read from standard input, if it was.
    pub(crate) fn stdin(&self) -> Option<Vec<u8>> {
        self.files.get(STDIN)
    }

    /// No texts yet; what becomes of them is counted.
    pub(crate) fn sources(&self) -> Sources {
        Sources::with_log(self.files.log().clone())
    }

    /// The settings for files in a folder, given as [`paths::real_folder`] gives it.
    pub(crate) fn settings(&self, folder: &Path) -> Result<Option<Rc<SettingsFile>>, Failure> {
        self.config.borrow_mut().of_folder(folder, self.files.log())
    }

    /// Every settings file that was read, or looked for and not found.
    pub(crate) fn settings_looked_at(&self) -> Vec<PathBuf> {
        self.config.borrow().looked_at.clone()
    }

    /// Whether settings leave out a file that was found in a folder.
    pub(crate) fn excludes(&self, path: &Path) -> Result<bool, Failure> {
        let path = paths::real(path);
        let file = self.settings(path.parent().unwrap_or(Path::new("")))?;
        Ok(file.is_some_and(|file| file.settings.excludes(&path)))
    }

    /// Values for inputs and nothing else, as a deployment remembers them.
    pub(crate) fn with_inputs(texts: Vec<(String, String)>) -> Self {
        CommandOptions { inputs: InputValues { texts, must_be_complete: false }, ..Self::default() }
    }

    /// The values for inputs that were given, as texts with names.
    pub(crate) fn inputs(&self) -> &[(String, String)] {
        &self.inputs.texts
    }

    /// The options for a file; `with_override` says that an override beside it counts.
    pub(crate) fn for_file(&self, path: &Path, with_override: bool) -> ReadOptions {
        let mut compose = self.compose.clone();
        let folder = path
            .parent()
            .map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        compose.folder = folder
            .and_then(|folder| folder.canonicalize().ok())
            .and_then(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()));
        if with_override
            && let Some(over) = override_of(path).and_then(|over| text(&over, &self.files).ok())
        {
            compose.overrides.insert(0, over);
        }
        let (inputs, quirks) = (self.inputs.clone(), self.quirks_for(path));
        ReadOptions { compose, inputs, quirks, ..ReadOptions::default() }
    }

    /// The quirks for a file: those of the command line, and those of the settings beside it. What
    /// is wrong with the settings is reported by `check`.
    fn quirks_for(&self, path: &Path) -> Switches {
        let mut quirks = self.quirks.clone();
        if let Ok(Some(file)) = self.settings(&paths::real_folder(path)) {
            quirks.join(&file.settings.quirks);
        }
        quirks
    }

    /// The files that are put over a file, by path.
    pub(crate) fn overrides(&self, path: &Path) -> Vec<PathBuf> {
        let given = self.compose.overrides.iter().map(|over| PathBuf::from(&over.name));
        override_of(path).into_iter().chain(given).collect()
    }

    /// The variables of the process and of `.env` in a folder, or of the files in its place.
    pub(crate) fn environment(&self, folder: &Path) -> Environment {
        let mut environment = self.compose.environment.clone();
        let texts: Vec<String> = match &self.compose.env_files {
            Some(files) => files.iter().map(|file| file.text.clone()).collect(),
            None => {
                let file = Some(folder.join(".env")).filter(|file| file.is_file());
                let text = file.and_then(|file| text(&file, &self.files).ok());
                text.map(|text| text.text).into_iter().collect()
            }
        };
        let mut read = Environment::new();
        for text in texts {
            // A file that cannot be read was reported with the project.
            read.extend(dotenv::parse(&text, &environment).unwrap_or_default());
        }
        for (name, value) in read {
            environment.entry(name).or_insert(value);
        }
        environment
    }
}

/// What a Compose file takes from the command line and from the process.
fn compose(
    args: &ComposeArgs,
    services: Vec<String>,
    files: &FileCache,
) -> Result<Options, Failure> {
    let texts =
        |paths: &[PathBuf]| paths.iter().map(|path| text(path, files)).collect::<Result<_, _>>();
    let env_files = match args.env_file.as_slice() {
        [] => None,
        paths => Some(texts(paths)?),
    };
    Ok(Options {
        environment: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        env_files,
        overrides: texts(&args.files)?,
        profiles: args.profile.clone(),
        services,
        project_name: args.project_name.clone(),
        folder: None,
    })
}

/// The values for inputs: files first, then single ones, each a text of its own.
fn inputs(
    args: &ToscaArgs,
    must_be_complete: bool,
    files: &FileCache,
) -> Result<InputValues, Failure> {
    let mut texts = Vec::new();
    for path in &args.inputs {
        let NamedText { name, text } = text(path, files)?;
        texts.push((name, text));
    }
    for given in &args.input {
        let Some((name, value)) = given.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(Failure::usage(format!("`{given}` is no NAME=VALUE")));
        };
        texts.push((SINGLE.to_owned(), format!("{name}: {value}\n")));
    }
    Ok(InputValues { texts, must_be_complete })
}

/// The quirks that the command line names.
fn quirks(args: &ToscaArgs) -> Result<Switches, Failure> {
    let mut quirks = Switches::default();
    for name in &args.quirks {
        if !quirks.switch_on(name) {
            let failure = Failure::usage(format!("there is no quirk `{name}`"));
            return Err(match spelling::nearest(name, Switches::names()) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help(spelling::known("quirk", Switches::names())),
            });
        }
    }
    Ok(quirks)
}

/// What is said beside templates. `check` looks at many files; the others ask about one.
fn template_context(command: &Command, template: &TemplateArgs) -> TemplateContext {
    match command {
        Command::Check(args) => TemplateContext {
            args: args.hot.clone(),
            against: args.against.clone(),
            tolerates_others: true,
        },
        _ => {
            let template = TemplateArgs { env: template.env.clone(), ..TemplateArgs::default() };
            let args = HotArgs { template, ..HotArgs::default() };
            TemplateContext { args, ..TemplateContext::default() }
        }
    }
}

/// The bytes of a file that was named, or of standard input. A pipe has them once; what is read
/// from anything else is known by its place on the disk.
fn bytes(path: &Path, files: &FileCache) -> Result<Vec<u8>, Failure> {
    let name = path.display().to_string();
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let real = path.canonicalize().ok().filter(|_| is_file);
    let identity = match real {
        _ if name == STDIN => STDIN.to_owned(),
        Some(real) => real.to_string_lossy().into_owned(),
        None => {
            files.log().note_read(&name);
            return input::bytes(path);
        }
    };
    let limit = Limits::default().file_bytes;
    files.read(&identity, &name, limit, || input::bytes(path))
}

fn text(path: &Path, files: &FileCache) -> Result<NamedText, Failure> {
    let name = path.display().to_string();
    match String::from_utf8(bytes(path, files)?) {
        Ok(text) => Ok(NamedText { name, text }),
        Err(_) => Err(Failure::usage(format!("`{name}` is not UTF-8")).about("FILE005", name)),
    }
}

/// The Compose file of a folder.
pub(crate) fn file_in(folder: &Path) -> Option<PathBuf> {
    FILE_NAMES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// The override that Compose takes together with a file.
pub(crate) fn override_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let stem = FILE_NAMES.contains(&name).then(|| name.split('.').next())??;
    let names =
        ["yml", "yaml"].map(|ending| path.with_file_name(format!("{stem}.override.{ending}")));
    names.into_iter().find(|path| path.is_file())
}

/// Whether a file found in a folder is only put over the file beside it.
pub(crate) fn is_override(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.strip_suffix(".override.yml").or_else(|| name.strip_suffix(".override.yaml"));
    stem.is_some_and(|stem| {
        let mut mains = ["yaml", "yml"]
            .map(|ending| path.with_file_name(format!("{stem}.{ending}")))
            .into_iter();
        mains.any(|main| override_of(&main).as_deref() == Some(path) && main.is_file())
    })
}
