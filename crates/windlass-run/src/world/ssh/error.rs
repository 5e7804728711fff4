//! Why a command could not be made ready on its host.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::connection::NoAnswer;

/// Why a command could not be made ready: nothing of it has begun.
#[derive(Debug)]
pub(super) enum PrepareError {
    /// The host does not answer.
    NoAnswer(NoAnswer),
    /// A file of the command does not lie beside the description.
    OutsideFolder {
        /// The file.
        file: String,
    },
    /// A file of the command cannot be read.
    Copy {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// What commands share cannot be read.
    SharedFolder {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The files cannot be packed.
    Pack(io::Error),
    /// The files cannot be unpacked on the host.
    Unpack {
        /// The host.
        host: String,
        /// The exit code of `tar` there.
        code: i32,
    },
    /// A secret has no value.
    NoSecret {
        /// Its name.
        name: String,
    },
    /// A variable has a name that no shell takes.
    VariableName {
        /// The name.
        name: String,
    },
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrepareError::NoAnswer(NoAnswer(why)) => f.write_str(why),
            PrepareError::OutsideFolder { file } => {
                write!(f, "`{file}` is not beside the description, so it is not copied")
            }
            PrepareError::Copy { file, error } => write!(f, "`{file}` cannot be copied: {error}"),
            PrepareError::SharedFolder { path, error } => {
                write!(f, "`{}` cannot be read: {error}", path.display())
            }
            PrepareError::Pack(error) => write!(f, "files cannot be packed: {error}"),
            PrepareError::Unpack { host, code } => {
                write!(f, "files cannot be put on `{host}`: tar ended with {code}")
            }
            PrepareError::NoSecret { name } => write!(f, "the secret `{name}` is not set"),
            PrepareError::VariableName { name } => {
                write!(f, "`{name}` is no name of a variable")
            }
        }
    }
}
