//! One case: work that is measured in a process of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use windlass::diagnostic::Severity;
use windlass::lang::Reading;
use windlass::rule;
use windlass::source::Sources;

/// Runs of a case, of which the best counts.
const RUNS: usize = 3;
/// Ticks of the kernel's accounting a second; fixed in Linux for what user programs see.
const TICKS: f64 = 100.0;

/// What a case did.
pub(crate) struct Work {
    /// Units of work done: states, bytes.
    pub(crate) units: u64,
    /// Bytes by the program's own accounting, where it has one.
    pub(crate) bytes: Option<u64>,
}

/// Named work.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) run: Box<dyn Fn() -> Work>,
}

/// One line of the report.
pub(crate) struct Measurement {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    pub(crate) note: String,
}

impl Measurement {
    pub(crate) fn to_json(&self) -> String {
        let rounded = (self.value * 1000.0).round() / 1000.0;
        json!({"name": self.name, "value": rounded, "unit": self.unit, "note": self.note})
            .to_string()
    }
}

/// One run of a case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) units: u64,
    pub(crate) bytes: Option<u64>,
    /// CPU time of all threads, in seconds.
    pub(crate) cpu: f64,
    pub(crate) wall: f64,
    /// The most memory that the process had, above what it had before the work.
    pub(crate) peak: u64,
}

impl Sample {
    pub(crate) fn to_json(self) -> String {
        let Sample { units, bytes, cpu, wall, peak } = self;
        json!({"units": units, "bytes": bytes, "cpu": cpu, "wall": wall, "peak": peak}).to_string()
    }

    fn from_json(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        Some(Self {
            units: value["units"].as_u64()?,
            bytes: value["bytes"].as_u64(),
            cpu: value["cpu"].as_f64()?,
            wall: value["wall"].as_f64()?,
            peak: value["peak"].as_u64()?,
        })
    }

    /// Units a second of CPU time.
    pub(crate) fn rate(self) -> f64 {
        self.units as f64 / self.cpu
    }
}

/// Runs `case` in this process.
pub(crate) fn run_here(case: &Case) -> Result<Sample, String> {
    let (before, memory, start) = (cpu_seconds()?, peak_bytes()?, Instant::now());
    let work = (case.run)();
    let wall = start.elapsed().as_secs_f64();
    // A tick is the least that can be told apart from nothing.
    let cpu = (cpu_seconds()? - before).max(1.0 / TICKS);
    let peak = peak_bytes()?.saturating_sub(memory);
    Ok(Sample { units: work.units, bytes: work.bytes, cpu, wall, peak })
}

/// The run of the case called `name` that took the least CPU time.
pub(crate) fn best(name: &str) -> Result<Sample, String> {
    least(name, |sample| sample.cpu)
}

/// The run of the case called `name` that took the least time by the clock.
pub(crate) fn quickest(name: &str) -> Result<Sample, String> {
    least(name, |sample| sample.wall)
}

/// The best of some runs of the case called `name`, each in a process of its own.
fn least(name: &str, cost: fn(&Sample) -> f64) -> Result<Sample, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut best: Option<Sample> = None;
    for _ in 0..RUNS {
        let output = Command::new(&program)
            .args(["--case", name])
            .output()
            .map_err(|error| error.to_string())?;
        let sample = Sample::from_json(&String::from_utf8_lossy(&output.stdout))
            .ok_or_else(|| format!("case `{name}` failed"))?;
        best = best.filter(|known| cost(known) <= cost(&sample)).or(Some(sample));
    }
    best.ok_or_else(|| "no run".into())
}

/// The CPU time in milliseconds of each unit of the case called `name`.
pub(crate) fn each(name: String, note: String) -> Result<Measurement, String> {
    let sample = best(&name)?;
    let value = sample.cpu * 1000.0 / sample.units as f64;
    Ok(Measurement { name, value, unit: "ms", note })
}

/// Runs of a whole process, of which the median counts.
const PROCESSES: usize = 41;

/// `windlass check` of one text, by the program beside this one, from its start to its end.
pub(crate) fn checked_process(
    name: &str,
    file: &str,
    text: &str,
    note: &str,
) -> Result<Measurement, String> {
    let say = |error: std::io::Error| error.to_string();
    let program = std::env::current_exe().map_err(say)?.with_file_name("windlass");
    let folder = std::env::temp_dir().join(format!("windlass-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(say)?;
    let file = folder.join(file);
    fs::write(&file, text).map_err(say)?;
    let mut times = Vec::new();
    for _ in 0..PROCESSES {
        let start = Instant::now();
        let output = Command::new(&program).arg("check").arg(&file).output().map_err(say)?;
        times.push(start.elapsed().as_secs_f64() * 1000.0);
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    let _ = fs::remove_dir_all(&folder);
    Ok(Measurement {
        name: name.to_owned(),
        value: median(&mut times),
        unit: "ms",
        note: note.to_owned(),
    })
}

/// The middle one of some times.
pub(crate) fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// How many findings of a description are errors, with every rule asked.
pub(crate) fn errors(reading: &Reading, sources: &Sources) -> usize {
    let judged = rule::check_reading(reading, sources);
    let all = reading.findings.iter().chain(&judged);
    all.filter(|finding| finding.severity == Severity::Error).count()
}

/// Every file below a folder, in the order of their names.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(|error| error.to_string())?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else if path.is_file() {
            files.push(path);
        }
    }
    Ok(files)
}

/// CPU time of this process and all its threads, also those that have ended.
fn cpu_seconds() -> Result<f64, String> {
    let stat = fs::read_to_string("/proc/self/stat").map_err(|error| error.to_string())?;
    // The name of the program stands in parentheses and may contain spaces.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok());
    let (user, system) = ticks(11).zip(ticks(12)).ok_or("no CPU time in /proc/self/stat")?;
    Ok((user + system) / TICKS)
}

/// The most memory that this process has had.
fn peak_bytes() -> Result<u64, String> {
    let status = fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map(|size| size * 1024).ok_or("no peak memory in /proc/self/status".into())
}
