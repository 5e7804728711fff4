//! Reads a description, brings it up, prints what happens and takes it down again.
#![allow(clippy::print_stdout)]
use std::{error::Error, path::Path, time::Duration};

use windlass_run::controller::bring_up::Description;
use windlass_run::controller::take_down::TakeDown;
use windlass_run::controller::{Action, Answer, Controller, Operator, Question, Settings};
use windlass_run::windlass::{lang, source::Sources};
use windlass_run::{deployment::Deployment, entry::Entry};

struct Printer;

impl Operator for Printer {
    fn confirm(&self, _: &Question, _: &[Action]) -> Answer {
        Answer::Yes
    }

    fn events(&self, _: Duration, entries: &[Entry]) {
        for entry in entries {
            println!("{entry:?}");
        }
    }
}

pub(crate) fn run(file: &Path) -> Result<bool, Box<dyn Error>> {
    let mut sources = Sources::new();
    let root = sources.add(file.display().to_string(), std::fs::read_to_string(file)?);
    let application = lang::read(None, root, &sources).application.ok_or("no description")?;
    let (name, folder) = (&application.name, file.parent().unwrap_or(file));
    let deployment = Deployment::new(&folder.join(".windlass"), name);
    let controller = Controller::new(deployment, name, Settings::default(), &Printer)?;
    let up = controller.prepare(Description::new(&application, folder), None)?;
    let is_up = up.bring_up(None, None)?.is_reached();
    Ok(controller.take_down(&TakeDown::default())?.is_reached() && is_up)
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("name a file")?;
    run(file.as_ref())?.then_some(()).ok_or_else(|| "it did not come up and down".into())
}
