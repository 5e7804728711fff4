//! The process of one target: a thread that runs inputs, and a watchdog beside it.
//!
//! The input being run always stands in a file, so that it is known even when the process dies.
//! A panic is caught, the input made smaller and kept once per place of the panic; an input that
//! takes too long ends the process, for a thread cannot be stopped from outside.

use crate::targets::Target;
use crate::{artifacts, minimize, mutate, pool::Pool, random::Random};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Whatever takes longer hangs.
const LIMIT: Duration = Duration::from_secs(2);
/// As small as a thread of a server: recursion by input is found early.
const STACK: usize = 2 << 20;
/// Exit code of a process that ended because an input hangs.
pub(crate) const HANGS: i32 = 3;

/// Number of the input being run; the watchdog sees whether it moves.
static RUN: AtomicU64 = AtomicU64::new(0);
/// Place and message of the last panic.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs one target for some seconds and returns how many finds there were.
pub(crate) fn run(target: &'static Target, seconds: u64, seed: u64) -> Result<usize, String> {
    std::fs::create_dir_all(artifacts::folder()).map_err(|error| error.to_string())?;
    std::panic::set_hook(Box::new(note_panic));
    let end = Instant::now() + Duration::from_secs(seconds);
    let worker = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || fuzz(target, end, seed))
        .map_err(|error| error.to_string())?;
    watch(target, &worker)?;
    worker.join().map_err(|_| "the worker ended".to_owned())?
}

/// Writes down where and why a thread panics, instead of printing it.
fn note_panic(panic: &std::panic::PanicHookInfo<'_>) {
    if let Ok(mut last) = PANIC.lock() {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let message = panic.payload_as_str().unwrap_or_default();
        *last = format!("{place}: {message}");
    }
}

/// Waits for the worker; ends the process when one input takes too long.
fn watch<T>(target: &Target, worker: &thread::JoinHandle<T>) -> Result<(), String> {
    let mut last = (RUN.load(Ordering::Relaxed), Instant::now());
    while !worker.is_finished() {
        thread::sleep(Duration::from_millis(50));
        let now = RUN.load(Ordering::Relaxed);
        if now != last.0 {
            last = (now, Instant::now());
        } else if last.1.elapsed() > LIMIT {
            let input = std::fs::read(artifacts::current(target.name)).unwrap_or_default();
            let path = artifacts::save(target.name, "hang", &input)?;
            println!("{}: an input hangs, kept in {}", target.name, path.display());
            std::process::exit(HANGS);
        }
    }
    Ok(())
}

fn fuzz(target: &Target, end: Instant, seed: u64) -> Result<usize, String> {
    let mut random = Random::new(seed, target.name);
    let mut pool = Pool::read(target.name, target.shared_seeds)?;
    let path = artifacts::current(target.name);
    let mut current =
        File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut finds: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let seeds = pool.inputs.clone();
    let started = Instant::now();
    let mut executions = 0u64;
    while Instant::now() < end {
        let input = match seeds.get(executions as usize) {
            Some(seed) => seed.clone(),
            None => mutate::mutate(&mut random, &pool.inputs, target.words),
        };
        write(&mut current, &input).map_err(|error| format!("{}: {error}", path.display()))?;
        executions += 1;
        match once(target, &input) {
            Ok(behavior) => pool.offer(&input, behavior),
            Err(panic) => {
                finds.entry(panic).or_insert(input);
            }
        }
    }
    let rate = executions as f64 / started.elapsed().as_secs_f64();
    for (panic, input) in &finds {
        let same = |smaller: &[u8]| {
            once(target, smaller).is_err_and(|found| place(&found) == place(panic))
        };
        let smallest = minimize::minimize(input, same);
        let path = artifacts::save(target.name, "panic", &smallest)?;
        println!("{}: panics at {panic}; input kept in {}", target.name, path.display());
    }
    println!(
        "figure: {}: {executions} executions, {rate:.0}/s, {} inputs in the pool, {} finds",
        target.name,
        pool.inputs.len(),
        finds.len()
    );
    drop(std::fs::remove_file(path));
    Ok(finds.len())
}

/// Runs one input; the place and message of a panic, if it panics.
fn once(target: &Target, input: &[u8]) -> Result<u64, String> {
    RUN.fetch_add(1, Ordering::Relaxed);
    catch_unwind(AssertUnwindSafe(|| (target.run)(input)))
        .map_err(|_| PANIC.lock().map(|last| last.clone()).unwrap_or_default())
}

/// File and line of a panic, without its message.
fn place(panic: &str) -> &str {
    panic.split(": ").next().unwrap_or(panic)
}

fn write(file: &mut File, input: &[u8]) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.set_len(input.len() as u64)?;
    file.write_all(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    static PICKY: Target = Target {
        name: "picky",
        shared_seeds: &[],
        words: &[],
        run: |input| {
            assert!(!input.contains(&b'x'), "an x");
            7
        },
    };

    #[test]
    fn a_panic_is_caught_with_its_place() {
        std::panic::set_hook(Box::new(note_panic));
        assert_eq!(once(&PICKY, b"abc"), Ok(7));
        let panic = once(&PICKY, b"abxc").unwrap_err();
        assert!(place(&panic).contains("worker.rs"), "{panic}");
        assert!(panic.ends_with("an x"), "{panic}");
    }
}
