//! What runs on the host: claims as in the process world, kept there in a folder of the deployment.
//!
//! A claim says boot, number and start time of the process that made it. Everything is plain shell
//! and `/proc`: nothing has to be installed.

use std::fmt::Write as _;
use windlass::lifecycle::implementation::{Command, CommandLine, EnvironmentValue};

use super::connection::quoted;
use super::error::PrepareError;
use crate::entry::OrderId;
use crate::secrets::Secrets;
use crate::world::Order;

/// The folder, and how to tell whether the process of a claim runs.
const BEFORE: &str = "\
umask 077
cd || exit 125
mkdir -p \"$b\" || exit 125
boot=$(cat /proc/sys/kernel/random/boot_id)
look() {
    { IFS= read -r l < \"/proc/$1/stat\"; } 2>/dev/null || return 1
    set -- ${l##*) }
    state=$1; shift 19; start=$1
}
alive() {
    { read -r k p s < \"$1\"; } 2>/dev/null || return 1
    [ \"$k\" = \"$boot\" ] && look \"$p\" && [ \"$start\" = \"$s\" ] || return 1
    case $state in Z | X) return 1 ;; esac
}
";

/// Claims (`$1`), then becomes the command.
const BECOME: &str = "\
c=$1; boot=$2; shift 2; IFS= read -r l < /proc/self/stat; \
s=$(set -- ${l##*) }; shift 19; echo \"$1\"); \
set -C; printf '%s %s %s\\n' \"$boot\" $$ \"$s\" > \"$c\" || exit 125; set +C; exec \"$@\"";

/// Claims, sees the claim on the disk, runs the command and leaves its exit code.
const REPORT: &str = "\
c=$1; boot=$2; shift 2; IFS= read -r l < /proc/self/stat; \
s=$(set -- ${l##*) }; shift 19; echo \"$1\"); \
set -C; printf '%s %s %s\\n' \"$boot\" $$ \"$s\" > \"$c\" || exit 125; set +C; sync \"$c\"; \
\"$@\"; e=$?; echo $e > \"$c.part\"; mv \"$c.part\" \"$c.result\"; exit $e";

/// The scripts of one deployment.
#[derive(Debug)]
pub(super) struct Scripts {
    /// The folder in the home of the user there.
    pub(super) folder: String,
    /// The name of the deployment.
    pub(super) name: String,
    pub(super) secrets: Secrets,
}

/// How a shell runs a command.
struct Invocation {
    /// Sets its environment and its folder.
    setup: String,
    /// Its words, quoted.
    command: String,
}

/// Whether a command ends or is a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimKind {
    Command,
    Process,
}

impl ClaimKind {
    fn as_str(self) -> &'static str {
        match self {
            ClaimKind::Command => "command",
            ClaimKind::Process => "process",
        }
    }
}

/// What a host says about the claim of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimStatus {
    /// The order has not begun, and cannot any more.
    Free,
    /// It ended, with this exit code if it can be read.
    Ended(Option<i32>),
    /// It runs, as this process if the number can be read.
    Running(Option<u32>),
    /// It began, and does not run; how it ended is unknown.
    Unknown,
}

impl ClaimStatus {
    /// What [`Scripts::inquire`] and [`Scripts::is_running`] print.
    pub(super) fn parse(text: &str) -> Self {
        let mut words = text.split_whitespace();
        match (words.next(), words.next()) {
            (Some("free"), None) => ClaimStatus::Free,
            (Some("result"), Some(code)) => ClaimStatus::Ended(code.parse().ok()),
            (Some("running"), number) => {
                ClaimStatus::Running(number.and_then(|number| number.parse().ok()))
            }
            _ => ClaimStatus::Unknown,
        }
    }

    /// Whether it runs.
    pub(super) fn is_running(self) -> bool {
        matches!(self, ClaimStatus::Running(_))
    }
}

impl Scripts {
    fn head(&self, order: OrderId, kind: ClaimKind) -> String {
        let (folder, claim) = (quoted(&self.folder), format!("{}.{}", order.0, kind.as_str()));
        format!("b={folder}\n{BEFORE}c=$HOME/$b/{claim}\nlog=$HOME/$b/{}.log\n", order.0)
    }

    /// How a shell on the host runs a command.
    fn invocation(&self, order: &Order, command: &Command) -> Result<Invocation, PrepareError> {
        let mut setup = String::new();
        let known = [
            ("WINDLASS_DEPLOYMENT", &self.name),
            ("WINDLASS_INSTANCE", &order.instance),
            ("WINDLASS_NODE", &order.node),
        ];
        for (name, value) in known {
            let _ = writeln!(setup, "export {name}={}", quoted(value));
        }
        setup.push_str("export WINDLASS_STATE=\"$HOME/$b\"\n");
        for (name, value) in &command.environment {
            let value = match value {
                EnvironmentValue::Plain(text) => text,
                EnvironmentValue::Secret(secret) => self
                    .secrets
                    .get(secret)
                    .ok_or_else(|| PrepareError::NoSecret { name: secret.clone() })?,
            };
            // A name that no shell takes would be a command.
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(fits) {
                return Err(PrepareError::VariableName { name: name.clone() });
            }
            let _ = writeln!(setup, "export {name}={}", quoted(value));
        }
        setup.push_str(&Self::files_environment(order.id, command));
        if let Some(directory) = &command.directory {
            let _ = writeln!(setup, "cd -- {} || exit 125", quoted(directory));
        }
        let words: Vec<String> = match &command.line {
            CommandLine::Arguments(all) => all.iter().map(|word| quoted(word)).collect(),
            CommandLine::Shell(script) => vec!["/bin/sh -c".to_owned(), quoted(script)],
        };
        Ok(Invocation { setup, command: words.join(" ") })
    }

    /// Starts a command under a claim, in a session of its own that outlives this one, and says on
    /// standard error when it has begun and how it ended. Standard output is what it writes.
    pub(super) fn launch(
        &self,
        order: &Order,
        command: &Command,
        kind: ClaimKind,
        leaves_result: bool,
    ) -> Result<String, PrepareError> {
        let Invocation { setup, command } = self.invocation(order, command)?;
        let claimer = quoted(if leaves_result { REPORT } else { BECOME });
        Ok(format!(
            "{}{setup}: >> \"$log\"\n\
             setsid /bin/sh -c {claimer} windlass \"$c\" \"$boot\" {command} \
             < /dev/null >> \"$log\" 2>&1 &\n\
             p=$!\n\
             tail -c +1 -f \"$log\" 2>/dev/null & t=$!\n\
             while ! [ -s \"$c\" ] && kill -0 $p 2>/dev/null; do sleep 0.01; done\n\
             echo 'windlass began' >&2\n\
             wait $p; e=$?\n\
             sleep 0.05; kill $t; wait $t 2>/dev/null\n\
             echo \"windlass ended $e\" >&2\n",
            self.head(order.id, kind)
        ))
    }

    /// Waits for what another session started, and goes on with its log after `known` bytes.
    pub(super) fn follow(&self, order: OrderId, kind: ClaimKind, known: u64) -> String {
        format!(
            "{}tail -c +{} -f \"$log\" 2>/dev/null & t=$!\n\
             while alive \"$c\"; do sleep 1; done\n\
             sleep 0.05; kill $t; wait $t 2>/dev/null\n\
             e=$(cat \"$c.result\" 2>/dev/null)\n\
             echo \"windlass ended $e\" >&2\n",
            self.head(order, kind),
            known + 1
        )
    }

    /// Runs a command to its end, without a claim.
    pub(super) fn run_unclaimed(
        &self,
        order: &Order,
        command: &Command,
    ) -> Result<String, PrepareError> {
        let Invocation { setup, command } = self.invocation(order, command)?;
        let head = self.head(order.id, ClaimKind::Command);
        Ok(format!("{head}{setup}exec {command} < /dev/null > /dev/null 2>&1\n"))
    }

    /// What became of an order: `free` (and ours now, or that of an engine before this one),
    /// `result N`, `running` or `unknown`. Not every file system has links.
    pub(super) fn inquire(&self, order: OrderId, kind: ClaimKind) -> String {
        format!(
            "{}n=$c.never; echo never > \"$n\"\n\
             if {{ ln \"$n\" \"$c\" || ( set -C; echo never > \"$c\" ); }} 2>/dev/null; then \
             echo free\n\
             elif [ \"$(cat \"$c\")\" = never ]; then echo free\n\
             elif [ -s \"$c.result\" ]; then echo \"result $(cat \"$c.result\")\"\n\
             elif alive \"$c\"; then echo running $p\n\
             else echo unknown; fi; rm -f \"$n\"\n",
            self.head(order, kind)
        )
    }

    /// Says `running` and the number if the process of an order runs.
    pub(super) fn is_running(&self, order: OrderId, kind: ClaimKind) -> String {
        format!("{}if alive \"$c\"; then echo running $p; fi\n", self.head(order, kind))
    }

    /// Sends a signal to what an order started, kills what remains of its group, and forgets
    /// the claim of a process that is gone.
    pub(super) fn stop(
        &self,
        order: OrderId,
        kind: ClaimKind,
        signal: &str,
        tenths: u64,
    ) -> String {
        let forget = match kind {
            ClaimKind::Command => "",
            ClaimKind::Process => "rm -f \"$c\"\n",
        };
        format!(
            "{}if alive \"$c\"; then\n\
             kill -s {signal} -- -$p 2>/dev/null || kill -s {signal} $p\n\
             left() {{ kill -0 -- -$p 2>/dev/null || alive \"$c\"; }}\n\
             i=0; while left && [ $i -lt {tenths} ]; do sleep 0.1; i=$((i+1)); done\n\
             if left; then\n\
             kill -s KILL -- -$p 2>/dev/null || kill -s KILL $p\n\
             i=0; while left && [ $i -lt 50 ]; do sleep 0.1; i=$((i+1)); done\n\
             fi; fi\n{forget}",
            self.head(order, kind)
        )
    }

    /// The outcome is safe elsewhere.
    pub(super) fn forget(&self, order: OrderId) -> String {
        let head = self.head(order, ClaimKind::Command);
        format!("{head}rm -f \"$c\" \"$c.result\"\n{}", Self::remove_shared(order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn answer(home: &Path, script: &str) -> String {
        let mut shell = std::process::Command::new("/bin/sh");
        let output = shell.args(["-c", script]).env("HOME", home).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn an_order_that_has_not_begun_stays_so_although_the_engine_that_asked_was_killed() {
        let home = tempfile::tempdir().unwrap();
        let (folder, name) = ("claims".to_owned(), "it".to_owned());
        let scripts = Scripts { folder, name, secrets: Secrets::default() };
        let ask = |order| answer(home.path(), &scripts.inquire(OrderId(order), ClaimKind::Command));
        assert_eq!([ask(1), ask(1)], ["free", "free"]);
        let claim = |order: u64, text: &str| {
            std::fs::write(home.path().join(format!("claims/{order}.command")), text).unwrap();
        };
        // A shell that is about to say who it is, and one of a process that is gone.
        claim(2, "");
        claim(3, "boot 1 1\n");
        assert_eq!([ask(2), ask(3)], ["unknown", "unknown"]);
        std::fs::write(home.path().join("claims/3.command.result"), "7\n").unwrap();
        assert_eq!(ask(3), "result 7");
        let left = std::fs::read_dir(home.path().join("claims")).unwrap().flatten();
        let left = left.map(|file| file.file_name().into_string().unwrap());
        assert!(left.into_iter().all(|name| !name.ends_with("never")));
    }
}
