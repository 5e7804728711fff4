//! `windlass serve PATH`: look, edit, try and watch in the browser.

use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::serve::{Allowed, Listening};
use crate::{exit_code, output};

/// What `windlass serve` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
The address that is printed holds a token; everyone who has it can ask, so it is for you alone. The
server listens on this machine only, shows no file but PATH and what it imports, changes nothing
without --edit, and executes nothing without --run: runs take place in the simulated world. Ctrl-C
ends it, and the engines that it started; what they brought up stays.

Exit codes: 2 nothing to serve, or the port is taken.

Examples:
  windlass serve examples/thinking
  windlass serve compose.yaml --edit --open
  windlass serve examples/guestbook --run")]
pub(crate) struct ServeArgs {
    /// A file, an archive or a folder
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// Allow saving
    #[arg(long)]
    edit: bool,

    /// Allow real deployments: what the files say is executed on this machine
    #[arg(long)]
    run: bool,

    /// The port; 0 takes one that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Open the address in the browser
    #[arg(long)]
    open: bool,

    /// Take the pages from FOLDER instead of those built in, to work on them
    #[arg(long, value_name = "FOLDER")]
    ui_dir: Option<PathBuf>,
}

/// Serves until Ctrl-C.
pub(crate) fn run(args: &ServeArgs) -> Result<u8, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("cannot start the server: {error}")))?;
    runtime.block_on(async {
        let (edit, run, port, pages) = (args.edit, args.run, args.port, args.ui_dir.clone());
        let allowed = Allowed { edit, run, port, pages };
        let listening = Listening::start(&args.path, allowed).await?;
        if let Some(how) = listening.missing_pages() {
            output::notice(how);
        }
        output::stdout(&format!("{}\n", listening.address()))?;
        if args.open {
            open(&listening.address());
        }
        listening.serve().await?;
        Ok(exit_code::GOOD)
    })
}

/// Opens an address in the browser of the desktop. Where there is none, the address is printed.
fn open(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if std::process::Command::new(program).arg(address).spawn().is_err() {
        output::notice("no browser could be opened; open the address above");
    }
}
