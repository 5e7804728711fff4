//! The inputs that new ones are made of: our own seeds, and whatever behaved in a new way.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// More inputs would only make each of them rarer.
const LARGEST: usize = 4_096;

/// Inputs and the behaviours seen so far.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    /// The inputs.
    pub(crate) inputs: Vec<Vec<u8>>,
    seen: BTreeSet<u64>,
}

impl Pool {
    /// The seeds of a target: its own folder, then the files it shares with the examples.
    pub(crate) fn read(name: &str, shared: &[&str]) -> Result<Self, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut pool = Pool::default();
        let mut folders = vec![root.join("seeds").join(name)];
        folders.extend(shared.iter().map(|folder| root.join("..").join(folder)));
        for path in folders.iter().flat_map(|folder| files(folder)) {
            pool.inputs.push(std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?);
        }
        match pool.inputs.len() {
            0 => Err(format!("no seeds for `{name}`")),
            _ => Ok(pool),
        }
    }

    /// Keeps an input whose behaviour was not seen before.
    pub(crate) fn offer(&mut self, input: &[u8], behavior: u64) {
        if self.inputs.len() < LARGEST && self.seen.insert(behavior) {
            self.inputs.push(input.to_vec());
        }
    }
}

/// The files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::Pool;

    #[test]
    fn new_behavior_is_kept_once() {
        let mut pool = Pool::default();
        pool.offer(b"a", 1);
        pool.offer(b"b", 1);
        pool.offer(b"c", 2);
        assert_eq!(pool.inputs, [b"a", b"c"]);
    }

    #[test]
    fn every_target_has_seeds() {
        for target in crate::targets::TARGETS {
            assert!(Pool::read(target.name, target.shared_seeds).is_ok(), "{}", target.name);
        }
    }
}
