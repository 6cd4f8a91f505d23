//! What the tests that drive the built engine share: the process behind its pipes, a board of
//! their own to judge its moves on, and the language that protocol cases are written in.
#![allow(
    dead_code,
    reason = "each test crate compiles this module and uses its own part of it"
)]

pub(crate) mod case;
pub(crate) mod follow;
pub(crate) mod play;
pub(crate) mod position;
pub(crate) mod process;

use std::sync::Mutex;
use std::thread;

/// Why a test failed, in words for the person who has to mend it.
pub(crate) type Fault = String;

/// Runs `job` on every item with a few threads (the engines mostly wait for a clock) and
/// panics with all faults, so that one run shows everything that is wrong.
pub(crate) fn run_all<T: Sync>(items: &[T], job: impl Fn(&T) -> Result<(), Fault> + Sync) {
    const WORKERS: usize = 2; // libtest runs as many test functions again beside this one
    let next = Mutex::new(items.iter());
    let faults = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let item = next.lock().expect("no worker panics").next();
                    let Some(item) = item else { break };
                    if let Err(fault) = job(item) {
                        faults.lock().expect("no worker panics").push(fault);
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().expect("no worker panics");
    assert!(
        faults.is_empty(),
        "{} of {} failed\n\n{}",
        faults.len(),
        items.len(),
        faults.join("\n\n")
    );
}
