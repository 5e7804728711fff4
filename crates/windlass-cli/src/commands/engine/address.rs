//! Commands as the operator has to type them: with FILE, `--name` and `--state-dir` where these
//! are needed to find the same deployment again.

use std::path::{Path, PathBuf};

use windlass_run::controller::containers;
use windlass_run::deployment::Deployment;

use super::{USUAL_FILE, WhereArgs, folder_of, state_folder};
use crate::read_options;

/// How a deployment is found.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    file: PathBuf,
    state_dir: Option<PathBuf>,
    name: String,
    /// The Compose project that it is of, whose name the file need not say.
    project: Option<String>,
}

impl Address {
    /// The deployment `name`, found by what the operator said.
    pub(crate) fn new(place: &WhereArgs, file: &Path, name: &str) -> Self {
        let state_dir = place.state_dir.clone();
        let kept = containers::read(&Deployment::new(&state_folder(place, file), name));
        let project = kept.ok().flatten().map(|requests| requests.project);
        // No file is named: the one that is there is meant.
        let is_nowhere = file == Path::new(USUAL_FILE) && !file.exists();
        let found = read_options::file_in(Path::new(".")).filter(|_| is_nowhere);
        let file = found.as_deref().unwrap_or(file);
        let bare = file.strip_prefix("./").unwrap_or(file);
        // The folder that the operator is in has to be named by something.
        let is_here = bare.as_os_str().is_empty();
        let file = if is_here { PathBuf::from(".") } else { bare.to_owned() };
        Address { file, state_dir, name: name.to_owned(), project }
    }

    /// The same for a Compose project that is about to come up.
    pub(crate) fn of_project(self, project: Option<&str>) -> Self {
        Address { project: project.map(str::to_owned), ..self }
    }

    /// `windlass VERB`, for a command that takes FILE at its place.
    pub(crate) fn command(&self, verb: &str) -> String {
        let is_here = self.state_dir.is_some() || folder_of(&self.file) == Path::new(".");
        let file = if is_here {
            String::new()
        } else {
            format!(" {}", quoted(&self.file.display().to_string()))
        };
        format!("windlass {verb}{file} --name {}{}", quoted(&self.name), self.folder())
    }

    /// `windlass VERB WORD`, for a command that takes the file as `--app FILE`.
    pub(crate) fn option(&self, verb: &str, word: &str) -> String {
        let file = quoted(&self.file.display().to_string());
        let (word, name) = (quoted(word), quoted(&self.name));
        format!("windlass {verb} {word} --app {file} --name {name}{}", self.folder())
    }

    /// `windlass up FILE`: this one cannot do without the file.
    pub(crate) fn up(&self) -> String {
        let file = quoted(&self.file.display().to_string());
        let name = || format!(" --name {}", quoted(&self.name));
        let name = match &self.project {
            // A deployment has the name of its project when it gets none.
            Some(project) if *project == self.name => {
                format!(" --project-name {}", quoted(project))
            }
            Some(project) => format!(" --project-name {}{}", quoted(project), name()),
            None => name(),
        };
        format!("windlass up {file}{name}{}", self.folder())
    }

    fn folder(&self) -> String {
        let folder = self.state_dir.as_ref().map(|folder| quoted(&folder.display().to_string()));
        folder.map(|folder| format!(" --state-dir {folder}")).unwrap_or_default()
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(file: &str, state_dir: Option<&str>) -> Address {
        let place = WhereArgs { name: None, state_dir: state_dir.map(PathBuf::from) };
        Address::new(&place, Path::new(file), "shop")
    }

    #[test]
    fn a_hint_works_as_it_is_typed() {
        let here = address("windlass.yaml", None);
        assert_eq!(here.command("resume"), "windlass resume --name shop");
        assert_eq!(here.up(), "windlass up windlass.yaml --name shop");
        let restart = "windlass restart api --app windlass.yaml --name shop";
        assert_eq!(here.option("restart", "api"), restart);
        let project = |name| address("compose.yaml", None).of_project(Some(name)).up();
        assert_eq!(project("shop"), "windlass up compose.yaml --project-name shop");
        assert_eq!(project("blue"), "windlass up compose.yaml --project-name blue --name shop");
        for folder in [".", "./"] {
            assert_eq!(address(folder, None).command("resume"), "windlass resume --name shop");
            let up = address(folder, None).of_project(Some("shop")).up();
            assert_eq!(up, "windlass up . --project-name shop");
            let restart = "windlass restart api --app . --name shop";
            assert_eq!(address(folder, None).option("restart", "api"), restart);
        }
        let there = address("my shop/windlass.yaml", None);
        assert_eq!(there.command("down"), "windlass down 'my shop/windlass.yaml' --name shop");
        let kept = address("a/windlass.yaml", Some("/var/it's"));
        let expected = r"windlass resume --name shop --state-dir '/var/it'\''s'";
        assert_eq!(kept.command("resume"), expected);
    }
}
