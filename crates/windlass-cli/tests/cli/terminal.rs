//! What a person sees who runs `windlass up` at a terminal: a pseudo-terminal, and a screen that
//! understands what is written to it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::Folder;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

const SLOW: &str = "
windlass: 1
name: slow
types:
  base:
    capabilities: [data]
    operations:
      fetch: { run: { shell: 'sleep 1.2' }, effect: idempotent, duration: 1.2s }
    protocol:
      initial: off
      states: { off: {}, on: { offers: [data] } }
      transitions: [{ from: off, operation: fetch, to: on }]
      up: [fetch]
  user:
    requirements: { data: replica_unaware }
    operations:
      start-with-a-rather-long-name: { run: { shell: 'sleep 0.8' }, effect: idempotent }
    protocol:
      initial: off
      states: { off: {}, on: { requires: [data], on_fault: [off] } }
      transitions:
        - { from: off, operation: start-with-a-rather-long-name, to: on, requires: [data], on_fault: [off] }
      up: [start-with-a-rather-long-name]
nodes:
  base: { type: base }
  user: { type: user, count: 12, bind: { data: base.data } }
";

/// The base comes up when there is a file `go`, or when there was none for long.
const GATED: &str = "
windlass: 1
name: gated
types:
  base:
    capabilities: [data]
    operations:
      fetch: { run: { shell: 'for i in $(seq 400); do test -e go && exit; sleep 0.05; done' } }
    protocol:
      initial: off
      states: { off: {}, on: { offers: [data] } }
      transitions: [{ from: off, operation: fetch, to: on }]
      up: [fetch]
  user:
    requirements: { data: replica_unaware }
    operations:
      install: { run: { shell: 'sleep 0.05' } }
      start: {}
    protocol:
      initial: off
      states: { off: {}, there: {}, on: { requires: [data], on_fault: [there] } }
      transitions:
        - { from: off, operation: install, to: there }
        - { from: there, operation: start, to: on, requires: [data], on_fault: [there] }
      up: [install, start]
nodes:
  base: { type: base }
  user: { type: user, count: 3, bind: { data: base.data } }
";

/// A screen of a terminal: what scrolled out at the top is kept.
struct Screen {
    columns: usize,
    rows: usize,
    lines: Vec<Vec<char>>,
    /// The first line that is on the screen.
    top: usize,
    x: usize,
    y: usize,
}

impl Screen {
    fn new(columns: usize, rows: usize) -> Self {
        let lines = vec![vec![' '; columns]; rows];
        Screen { columns, rows, lines, top: 0, x: 0, y: 0 }
    }

    fn new_line(&mut self) {
        if self.y + 1 < self.rows {
            self.y += 1;
            return;
        }
        self.top += 1;
        self.lines.push(vec![' '; self.columns]);
    }

    fn put(&mut self, character: char) {
        if self.x >= self.columns {
            self.x = 0;
            self.new_line();
        }
        let at = self.top + self.y;
        self.lines[at][self.x] = character;
        self.x += 1;
    }

    fn control(&mut self, number: Option<usize>, command: char) {
        let many = number.unwrap_or(1);
        let at = self.top + self.y;
        match command {
            'A' => self.y = self.y.saturating_sub(many),
            'B' => self.y = (self.y + many).min(self.rows - 1),
            'K' => {
                let from = if number == Some(2) { 0 } else { self.x };
                self.lines[at][from.min(self.columns)..].fill(' ');
            }
            'J' => {
                self.lines[at][self.x.min(self.columns)..].fill(' ');
                for line in &mut self.lines[at + 1..] {
                    line.fill(' ');
                }
            }
            _ => {}
        }
    }

    fn write(&mut self, text: &str) {
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\r' => self.x = 0,
                '\n' => self.new_line(),
                '\u{1b}' if characters.peek() == Some(&'[') => {
                    characters.next();
                    let mut digits = String::new();
                    for next in characters.by_ref() {
                        if next.is_ascii_alphabetic() {
                            self.control(digits.parse().ok(), next);
                            break;
                        }
                        digits.push(next);
                    }
                }
                other if !other.is_control() => self.put(other),
                _ => {}
            }
        }
    }

    fn text(&self, from: usize) -> Vec<String> {
        let line = |line: &Vec<char>| line.iter().collect::<String>().trim_end().to_owned();
        self.lines[from..].iter().map(line).collect()
    }
}

fn terminal(columns: u16, rows: u16) -> (File, [Stdio; 3]) {
    let host: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&host).unwrap();
    unlockpt(&host).unwrap();
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let name = ptsname(&host, Vec::new()).unwrap();
    let name = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
    let open = || OpenOptions::new().read(true).write(true).open(name).unwrap();
    let guest = open();
    tcsetwinsize(&guest, size).unwrap();
    (File::from(host), [guest.into(), open().into(), open().into()])
}

/// What a command showed.
#[derive(Debug)]
struct Shown {
    /// The screens that were seen.
    screens: Vec<Vec<String>>,
    /// The whole text in the end.
    whole: Vec<String>,
    code: Option<i32>,
    /// Whether the terminal is left as it was.
    is_as_before: bool,
}

impl Shown {
    fn has(&self, part: &str) -> bool {
        self.screens.iter().any(|screen| screen.iter().any(|line| line.contains(part)))
    }
}

/// Runs a command at a terminal; `look` gets every screen, and the keyboard.
fn show(
    mut command: Command,
    (columns, rows): (u16, u16),
    mut look: impl FnMut(&[String], &mut File),
) -> Shown {
    let (mut host, [stdin, stdout, stderr]) = terminal(columns, rows);
    command.stdin(stdin).stdout(stdout).stderr(stderr);
    let modes = |host: &File| tcgetattr(host).unwrap().local_modes;
    let before = modes(&host);
    let mut engine = command.spawn().unwrap();
    // The ends that the program has are its own.
    drop(command);
    let mut screen = Screen::new(columns.into(), rows.into());
    let mut screens = Vec::new();
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    while let Ok(read @ 1..) = host.read(&mut part) {
        bytes.extend(&part[..read]);
        let whole = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
        let text = String::from_utf8(bytes.drain(..whole).collect()).unwrap();
        screen.write(&text);
        let lines = screen.text(screen.top);
        look(&lines, &mut host);
        screens.push(lines);
    }
    let code = engine.wait().unwrap().code();
    assert!(before.contains(LocalModes::ECHOCTL));
    Shown { screens, whole: screen.text(0), code, is_as_before: modes(&host) == before }
}

fn watch(columns: u16, rows: u16, term: &str) -> (Vec<Vec<String>>, Vec<String>) {
    let folder = Folder::with(&[("windlass.yaml", SLOW)]);
    let mut command = folder.command(&["up", "windlass.yaml", "--yes"]);
    command.env("TERM", term);
    let Shown { screens, whole, code, is_as_before } = show(command, (columns, rows), |_, _| {});
    assert_eq!(code, Some(0));
    assert!(is_as_before);
    (screens, whole)
}

/// Whether a line is one of the view.
fn is_of_view(line: &str) -> bool {
    line.starts_with(|it: char| ('⠀'..='⣿').contains(&it))
}

#[test]
fn the_view_fits_the_terminal_and_leaves_nothing_behind() {
    for (columns, rows) in [(80, 24), (40, 10)] {
        let (screens, whole) = watch(columns, rows, "xterm");
        let shows =
            |part: &str| screens.iter().any(|screen| screen.iter().any(|line| line.contains(part)));
        let long = columns == 80;
        let summary = if long { "13 of 26 done, 1 running, about" } else { "13/26, 1 running" };
        assert!(shows(summary), "{columns}: {screens:#?}");
        assert!(shows("wait for `fetch base`"), "{columns}: {screens:#?}");
        assert!(shows("more run"), "{columns}: {screens:#?}");
        assert!(!shows("the goal does not hold"), "{columns}: {screens:#?}");
        // The summary is the last line of a screen that shows what runs.
        let running = |line: &String| is_of_view(line);
        // In between a screen is half drawn.
        let is_whole = |screen: &&Vec<String>| {
            let last = screen.iter().rfind(|line| !line.is_empty());
            let several = screen.iter().filter(|line| running(line)).count() > 3;
            several && last.is_some_and(|line| line.contains(" running"))
        };
        assert!(screens.iter().any(|screen| is_whole(&screen)), "{columns}: {screens:#?}");
        assert!(!whole.iter().any(running), "{columns}: {whole:#?}");
        let last: Vec<&String> = whole.iter().filter(|line| !line.is_empty()).collect();
        let [.., reached, summary] = last.as_slice() else { panic!("{whole:#?}") };
        assert!(reached.ends_with("reached"), "{whole:#?}");
        assert!(summary.starts_with("26 actions in "), "{whole:#?}");
    }
}

#[test]
fn a_terminal_that_can_do_nothing_gets_lines() {
    let (_, whole) = watch(80, 24, "dumb");
    assert!(whole.iter().any(|line| line.ends_with("reached")), "{whole:#?}");
    assert!(!whole.iter().any(|line| line.contains("running")), "{whole:#?}");
}

#[test]
fn reasons_are_those_of_now_and_an_earlier_engine_counts() {
    const REASON: &str = "`start user-1` and 2 more wait for `fetch base`";
    let folder = Folder::with(&[("windlass.yaml", GATED)]);
    // A terminal that is theirs: keys send signals there.
    let own = |args: &[&str]| {
        let engine = folder.command(args);
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(engine.get_program()).args(engine.get_args());
        command.current_dir(folder.path("")).env("TERM", "xterm");
        command
    };
    let mut is_typed = false;
    let up = show(own(&["up", "windlass.yaml", "--yes"]), (80, 40), |screen, keyboard| {
        let is_there = screen.iter().any(|line| line.contains(REASON));
        if is_there && !std::mem::replace(&mut is_typed, true) {
            keyboard.write_all(b"\x03").unwrap();
        }
    });
    assert!(up.has(REASON), "{:#?}", up.screens);
    assert_eq!(up.code, Some(130), "{:#?}", up.whole);
    assert!(up.is_as_before);
    assert!(up.has("7 of 11 done, 1 running"), "{:#?}", up.screens);
    assert!(!up.whole.iter().any(|line| is_of_view(line)), "{:#?}", up.whole);
    assert!(up.whole.iter().any(|line| line.starts_with("7 actions in ")), "{:#?}", up.whole);

    let resume = show(own(&["resume"]), (80, 40), |screen, _| {
        if screen.iter().any(|line| line.contains("7 of 11 done, 1 running")) {
            folder.write("go", "");
        }
    });
    assert_eq!(resume.code, Some(0), "{:#?}", resume.whole);
    assert!(resume.has("7 of 11 done, 1 running"), "{:#?}", resume.screens);
    assert!(resume.has("s fetch base"), "{:#?}", resume.screens);
    assert!(resume.whole.iter().any(|line| line.starts_with("4 actions in ")), "{resume:#?}");
}
