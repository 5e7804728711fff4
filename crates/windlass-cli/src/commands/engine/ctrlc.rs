//! Ctrl-C: it ends the engine that this command drives, and leaves everything running.

use std::sync::Mutex;

use windlass_run::deployment::Deployment;
use windlass_run::supervisor::DismissedEngine;
use windlass_run::world::process::Interrupter;

use crate::exit_code;

/// The engine that Ctrl-C is for. A command may drive one after the other.
static DRIVEN: Mutex<Option<Interrupter>> = Mutex::new(None);

/// From here on Ctrl-C interrupts this engine.
pub(super) fn install_ctrlc(interrupter: Interrupter) {
    if let Ok(mut driven) = DRIVEN.lock() {
        *driven = Some(interrupter);
    }
    // Without a handler Ctrl-C ends the engine; the run can be resumed all the same. A second
    // engine finds the handler of the first.
    let _ = ctrlc::set_handler(|| {
        interrupt();
    });
}

/// Tells the engine that the operator wants to stop; whether there is one.
fn interrupt() -> bool {
    let driven = DRIVEN.lock();
    let interrupter = driven.as_deref().ok().and_then(Option::as_ref);
    interrupter.map(Interrupter::interrupt).is_some()
}

/// From here on, a command that ends before it drives an engine brings the engine in the
/// background back that gave way.
pub(super) fn restore_on_ctrlc(deployment: &Deployment, dismissed: &DismissedEngine) {
    let (deployment, dismissed) = (deployment.clone(), dismissed.clone());
    let _ = ctrlc::set_handler(move || {
        if !interrupt() {
            // What cannot be started again will be missed, and this command is gone by then.
            let _ = dismissed.launch_again(&deployment);
            std::process::exit(i32::from(exit_code::INTERRUPTED));
        }
    });
}
