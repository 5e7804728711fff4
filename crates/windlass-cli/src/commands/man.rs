//! `windlass man [--dir DIR]`: the manual pages.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{Cli, ManArgs};
use crate::failure::Failure;
use crate::{exit_code, output};

/// Prints `windlass(1)`, or writes one page for each command into a folder.
pub(crate) fn run(args: &ManArgs) -> Result<u8, Failure> {
    // Built, so that each command knows its full name and the options it inherits.
    let mut program = Cli::command();
    program.build();
    match &args.dir {
        None => output::stdout(&String::from_utf8_lossy(&page(&Man::new(program))?))?,
        Some(dir) => write_all(&program, dir)?,
    }
    Ok(exit_code::GOOD)
}

fn write_all(program: &Command, dir: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(dir).map_err(|error| Failure::file("write", dir, &error))?;
    for command in std::iter::once(program).chain(program.get_subcommands()) {
        let man = Man::new(command.clone());
        let path = dir.join(man.get_filename());
        let page = page(&man)?;
        std::fs::write(&path, page).map_err(|error| Failure::file("write", &path, &error))?;
    }
    Ok(())
}

fn page(man: &Man) -> Result<Vec<u8>, Failure> {
    let mut roff = Vec::new();
    man.render(&mut roff)?;
    Ok(roff)
}
