//! Getting an image: pulled, built, or there already and new enough.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use windlass::lang::compose::cast;

use super::build::{self, BuildError};
use super::engine::{Engine, EngineError};
use super::requests::Build;
use crate::compose::{Credentials, ProjectEvent};

const DAY: u64 = 24 * 60 * 60;

/// An image as a project asks for it.
pub(crate) struct ImageRequest<'a> {
    pub(crate) reference: &'a str,
    pub(crate) policy: &'a str,
    pub(crate) build: Option<&'a Build>,
    pub(crate) platform: Option<&'a str>,
}

/// Why there is no image.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImageError {
    /// The engine refused, or cannot be reached.
    Engine(EngineError),
    /// It could not be built.
    Build(BuildError),
    /// It is not there, and its policy is never to pull it.
    NeverPulled {
        /// Its name.
        reference: String,
    },
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::Engine(error) => error.fmt(f),
            ImageError::Build(error) => error.fmt(f),
            ImageError::NeverPulled { reference } => {
                write!(f, "there is no image `{reference}`, and it is never pulled")
            }
        }
    }
}

impl From<EngineError> for ImageError {
    fn from(error: EngineError) -> Self {
        ImageError::Engine(error)
    }
}

/// Gets an image, unless one is there that will do.
pub(crate) fn fetch(
    engine: &Engine,
    on_event: fn(&ProjectEvent),
    request: &ImageRequest<'_>,
) -> Result<(), ImageError> {
    let ImageRequest { reference, policy, build, platform } = *request;
    match engine.look("images", reference) {
        Ok(image) if is_usable(policy, build.is_some(), &image) => return Ok(()),
        Err(refused) if !refused.is_missing() => return Err(refused.into()),
        _ => {}
    }
    if let Some(build) = build {
        return build::build(engine, on_event, reference, build).map_err(ImageError::Build);
    }
    if policy == "never" {
        return Err(ImageError::NeverPulled { reference: reference.to_owned() });
    }
    let variables = std::env::vars_os();
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let header = Credentials::read(&variables.filter_map(text).collect()).header(reference);
    let mut last = String::new();
    let mut progress = |line: &Value| {
        let status = describe(line);
        if status != last {
            last.clone_from(&status);
            on_event(&ProjectEvent::Pull { reference: reference.to_owned(), status });
        }
    };
    Ok(engine.pull(reference, platform, header.as_deref(), &mut progress)?)
}

/// A line of a pull in words: which layer, what happens to it, how far it is.
fn describe(line: &Value) -> String {
    let part = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or_default();
    let parts = [part("id"), part("status"), part("progress")];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether an image that is there will do.
pub(crate) fn is_usable(policy: &str, is_built: bool, image: &Value) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    is_usable_at(policy, is_built, image, now)
}

fn is_usable_at(policy: &str, is_built: bool, image: &Value, now: u64) -> bool {
    let longest = match policy {
        // What is built here is not pulled.
        "build" => return !is_built,
        _ if is_built => return true,
        "always" | "refresh" => return false,
        "daily" => DAY,
        "weekly" => 7 * DAY,
        other => match other.strip_prefix("every_").and_then(refresh_interval) {
            Some(seconds) => seconds,
            None => return true,
        },
    };
    let tagged = image.pointer("/Metadata/LastTagTime").and_then(Value::as_str);
    tagged.and_then(seconds).is_some_and(|tagged| now.saturating_sub(tagged) < longest)
}

/// `12h`, `3d`, `2w`, in seconds.
fn refresh_interval(text: &str) -> Option<u64> {
    let days = |rest: &str, days: u64| rest.parse::<u64>().ok().map(|count| count * days * DAY);
    match (text.strip_suffix('w'), text.strip_suffix('d')) {
        (Some(rest), _) => days(rest, 7),
        (_, Some(rest)) => days(rest, 1),
        _ => cast::duration(text).map(|time| time.as_secs()),
    }
}

/// The seconds since 1970 of a time as the engine writes it: `2026-11-16T21:10:55.01Z`.
fn seconds(text: &str) -> Option<u64> {
    let (date, time) = text.split_once('T')?;
    let mut date = date.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.get(..8)?.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    // Years begin in March, so that the day that is not always there is the last one.
    let (year, month) =
        if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    let days = days.checked_sub(719_469)?;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_of_the_engine() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2024-03-01T00:00:01.5Z"), Some(1_709_251_201));
        assert_eq!(seconds("2024-02-29T12:00:00Z"), Some(1_709_208_000));
        assert_eq!(seconds("0001-01-01T00:00:00Z"), None);
        assert_eq!(seconds("never"), None);
    }

    #[test]
    fn policies() {
        let image = json!({ "Metadata": { "LastTagTime": "1970-01-02T00:00:00Z" } });
        let good = |policy: &str, hours: u64| is_usable_at(policy, false, &image, hours * 3600);
        assert!(good("", 9999) && good("missing", 9999) && good("never", 9999));
        assert!(!good("always", 24));
        assert!(good("daily", 47) && !good("daily", 48));
        assert!(good("weekly", 24 * 8 - 1) && !good("weekly", 24 * 8));
        assert!(good("every_12h", 35) && !good("every_12h", 36));
        assert!(good("every_2d", 71) && !good("every_2d", 72));
        assert!(!is_usable_at("build", true, &image, 0) && is_usable_at("always", true, &image, 0));
    }

    #[test]
    fn lines_of_a_pull() {
        let line = json!({ "id": "a1", "status": "Downloading", "progress": "[=> ] 1kB/2kB" });
        assert_eq!(describe(&line), "a1 Downloading [=> ] 1kB/2kB");
        assert_eq!(
            describe(&json!({ "status": "Pulling from library/x" })),
            "Pulling from library/x"
        );
    }
}
