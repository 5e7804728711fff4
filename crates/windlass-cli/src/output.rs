//! Standard output and standard error.
//!
//! A reader that went away (`windlass check . | head`) is no failure of ours: writing goes on into
//! nothing, and the exit code stays what it was going to be. Any other failure to write means that
//! the user does not have the answer, which is a failure.

use std::io::{self, Write};

use crate::escape;

/// Writes `text` to standard output; colors are dropped where they are not wanted.
pub(crate) fn stdout(text: &str) -> io::Result<()> {
    forgive_closed(write_all(anstream::stdout().lock(), text))
}

/// Writes a text of the user to standard output as it is, when that is what was asked for.
pub(crate) fn stdout_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stream = io::stdout().lock();
    forgive_closed(stream.write_all(bytes).and_then(|()| stream.flush()))
}

/// Writes `text` to standard error. There is no place to report when that fails.
pub(crate) fn stderr(text: &str) {
    let _ = write_all(anstream::stderr().lock(), text);
}

fn write_all(mut stream: impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

fn forgive_closed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Tells the user something on a line of its own on standard error.
pub(crate) fn notice(message: &str) {
    stderr(&format!("{}\n", escape::visible(message)));
}
