//! General planners, run as processes of their own: Fast Downward and `SymK`.
//!
//! They are installed from their packages into a folder beside the build, once. Without network or
//! Python they are left out, loudly. Their licence (GPL) is why they are never linked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

use super::pddl::Task;

/// Seconds that one run of a planner may take.
pub(crate) const LIMIT: u64 = 60;

/// A planner with its settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planner {
    pub(crate) name: &'static str,
    /// The program below the folder of installed packages.
    program: &'static str,
    /// What comes before the files, and after them.
    before: &'static [&'static str],
    after: &'static [&'static str],
}

pub(crate) const PLANNERS: [Planner; 3] = [
    Planner {
        name: "Fast Downward LAMA first",
        program: "up_fast_downward/downward/fast-downward.py",
        before: &["--alias", "lama-first"],
        after: &[],
    },
    Planner {
        name: "Fast Downward A* LM-cut",
        program: "up_fast_downward/downward/fast-downward.py",
        before: &[],
        after: &["--search", "astar(lmcut())"],
    },
    Planner {
        name: "SymK",
        program: "up_symk/symk/fast-downward.py",
        before: &[],
        after: &["--search", "sym_bd()"],
    },
];

/// What a planner said.
pub(crate) struct Answer {
    /// By the clock, from start to exit.
    pub(crate) seconds: f64,
    /// The length of its plan, and the seconds that its search says it took.
    pub(crate) plan: Option<(usize, f64)>,
}

/// Runs a planner on a task; none when it is not there.
pub(crate) fn run(planner: Planner, task: &Task, folder: &Path) -> Option<Answer> {
    let packages = packages()?;
    let (domain, problem) = (folder.join("domain.pddl"), folder.join("problem.pddl"));
    fs::write(&domain, &task.domain).ok()?;
    fs::write(&problem, &task.problem).ok()?;
    let start = Instant::now();
    let output = Command::new(packages.python)
        .arg(packages.folder.join(planner.program))
        .arg("--overall-time-limit")
        .arg(format!("{LIMIT}s"))
        .args(planner.before)
        .args([&domain, &problem])
        .args(planner.after)
        .current_dir(folder)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    let after = |key: &str| {
        let found = text.lines().rev().find_map(|line| line.split_once(key))?.1;
        found.trim_start_matches([':', ' ']).split([' ', 's']).next()
    };
    let length = after("Plan length").and_then(|word| word.parse::<usize>().ok());
    let search = after("Search time").and_then(|word| word.parse::<f64>().ok());
    let plan = length.map(|length| (length, search.unwrap_or(seconds)));
    Some(Answer { seconds, plan })
}

struct Packages {
    python: PathBuf,
    folder: PathBuf,
}

/// Where the planners are; installed on the first call.
fn packages() -> Option<Packages> {
    static HOME: OnceLock<Option<PathBuf>> = OnceLock::new();
    let home = HOME.get_or_init(install).as_ref()?;
    Some(Packages { python: home.join("bin/python"), folder: installed(home)? })
}

/// The folder of packages, when every planner is in it.
fn installed(home: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(home.join("lib")).ok()?.flatten();
    let mut folders = versions.map(|entry| entry.path().join("site-packages"));
    folders.find(|folder| PLANNERS.iter().all(|planner| folder.join(planner.program).exists()))
}

fn install() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let home = program.parent()?.parent()?.join("peers/venv");
    if installed(&home).is_some() {
        return Some(home);
    }
    let ran = |program: &Path, arguments: &[&str]| {
        let mut command = Command::new(program);
        let quiet = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    };
    let path = home.to_string_lossy().into_owned();
    let packages = ["-m", "pip", "install", "--quiet", "up-fast-downward", "up-symk"];
    let good = ran(Path::new("python3"), &["-m", "venv", &path])
        && ran(&home.join("bin/python"), &packages)
        && installed(&home).is_some();
    if !good {
        let message = "SKIPPED: Fast Downward and SymK could not be installed";
        crate::write_line(&mut std::io::stderr(), message);
    }
    good.then_some(home)
}
