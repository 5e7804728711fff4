//! `windlass show FILE`: pictures of the topology and of life cycles, and of plans.

use schemars::JsonSchema;
use serde::Serialize;
use windlass::application::Application;
use windlass::export::{self, Drawing};
use windlass::lang::Kind;
use windlass::plan::Plan;
use windlass::spelling;

use crate::args::{Format, Picture, ShowArgs};
use crate::failure::Failure;
use crate::load::{self, Loader};
use crate::{escape, exit_code, files, input, output, replace};

/// The answer of `windlass show --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/show/1", deny_unknown_fields)]
pub(crate) struct ShowReport<'a> {
    /// Always `windlass/show/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The format of the picture.
    #[serde(rename = "as")]
    picture: Picture,
    /// The picture.
    text: &'a str,
}

const SCHEMA: &str = "windlass/show/1";

/// Draws, and prints the picture or writes it to a file.
pub(crate) fn run(args: &ShowArgs, loader: &Loader) -> Result<u8, Failure> {
    let shown = shown(args, loader)?;
    let format = match args.picture {
        Picture::Svg => export::Format::Svg,
        Picture::Dot => export::Format::Dot,
        Picture::Mermaid => export::Format::Mermaid,
        Picture::Text => export::Format::Text,
    };
    let text = match &shown {
        Shown::Drawings(drawings) => export::write(drawings, format),
        Shown::Plan(plan) => export::plan::write(plan, format),
    };
    match &args.output {
        Some(path) => {
            replace::write(path, &text).map_err(|error| Failure::file("write", path, &error))?;
        }
        None if args.format == Format::Json => {
            let report = ShowReport { schema: SCHEMA, picture: args.picture, text: &text };
            output::stdout(&escape::json(&report)?)?;
        }
        None => output::stdout(&escape::visible_lines(&text))?,
    }
    Ok(exit_code::GOOD)
}

/// What is drawn.
enum Shown {
    Drawings(Vec<Drawing>),
    Plan(Plan),
}

/// A plan is drawn as it is; everything else is asked for an application.
fn shown(args: &ShowArgs, loader: &Loader) -> Result<Shown, Failure> {
    let language = args.lang.as_deref().map(input::language).transpose()?;
    let path = &args.file;
    if path.is_dir() || files::looks_like_archive(path) {
        let loaded = loader.application(path, args.lang.as_deref())?;
        return drawings(&loaded.application, &args.what).map(Shown::Drawings);
    }
    let text = loader.text(path)?;
    if text.kind() == Some(Kind::Plan) {
        if args.what != "topology" {
            return Err(Failure::usage("--what is for applications, and this is a plan"));
        }
        return load::plan_in(text).map(Shown::Plan);
    }
    let loaded = loader.application_in(text, path, language)?;
    drawings(&loaded.application, &args.what).map(Shown::Drawings)
}

/// What `--what` asks for: a word, or the name of a type.
fn drawings(application: &Application, what: &str) -> Result<Vec<Drawing>, Failure> {
    let topology = || export::topology(application);
    Ok(match what {
        "topology" => vec![topology()],
        "lifecycles" => export::lifecycles(application),
        "all" => {
            let mut all = vec![topology()];
            all.extend(export::lifecycles(application));
            all
        }
        name => {
            let named = application.types.iter().find(|component| component.name == name);
            let component = named.ok_or_else(|| unknown(application, name))?;
            vec![export::lifecycle(component)]
        }
    })
}

fn unknown(application: &Application, name: &str) -> Failure {
    let types = application.types.iter().map(|component| component.name.as_str());
    let failure = Failure::usage(format!("there is no type `{name}` to show"));
    match spelling::nearest(name, types) {
        Some(near) => failure.help(format!("did you mean `{near}`?")),
        None => failure.help("write `topology`, `lifecycles`, `all` or the name of a type"),
    }
}
