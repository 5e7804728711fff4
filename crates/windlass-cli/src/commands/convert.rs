//! `windlass convert FILE --to LANG`: a description in another language.

use schemars::JsonSchema;
use serde::Serialize;
use windlass::lang::windlass as own;
use windlass::tree::emit;

use crate::args::{ConvertArgs, Format, Target};
use crate::failure::Failure;
use crate::{escape, exit_code, load, output, replace};

/// The answer of `windlass convert --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/convert/1", deny_unknown_fields)]
pub(crate) struct ConvertReport<'a> {
    /// Always `windlass/convert/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The language of the text.
    to: Target,
    /// The description in that language.
    text: &'a str,
}

const SCHEMA: &str = "windlass/convert/1";

/// Prints the description, or writes it to a file.
pub(crate) fn run(args: &ConvertArgs) -> Result<u8, Failure> {
    let loaded = load::application(&args.file, args.lang.as_deref())?;
    let document = own::print(&loaded.application, loaded.goal.as_ref());
    let text = match args.to {
        Target::Windlass => emit::yaml(&document),
        Target::Json => emit::json(&document),
    };
    match &args.output {
        Some(path) => {
            replace::write(path, &text).map_err(|error| Failure::file("write", path, &error))?;
        }
        None if args.format == Format::Json => {
            let report = ConvertReport { schema: SCHEMA, to: args.to, text: &text };
            output::stdout(&escape::json(&report)?)?;
        }
        // A description for another program, so it goes out as it is.
        None => output::stdout_bytes(text.as_bytes())?,
    }
    Ok(exit_code::GOOD)
}
