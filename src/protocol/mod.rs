//! The Gomocup (Piskvork) protocol with the Yixin-Board extensions, on standard input and output.
//!
//! What it is for: being a "brain" that every known manager and front end can drive. It assumes
//! nothing of the manager: any bytes, in any order, at any time. Promises: one move line per search, in the order of the
//! questions; whole lines, each written and flushed at once; nothing on standard error;
//! `END` and the end of input end the process within half a second, whatever it is doing.
//!
//! Data flow: `reader` thread → [`parse`] → [`command`] → the inbox of `session` → engine →
//! events → the same inbox → `reply` → output. The crate shows only what reads commands; the session is reached
//! through the program, which speaks the protocol when called without a subcommand.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod blocks;
pub mod command;
mod output;
pub mod parse;
mod reader;
mod reply;
mod report;
mod session;

use std::io;
use std::panic;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{bounded, select, unbounded};

use crate::engine::{Engine, Options};
use session::{Quit, Session};

/// How long the session may take to end after `END`, when it is perhaps stuck writing to
/// a manager that does not read.
const GRACE: Duration = Duration::from_millis(200);

/// Serves one manager on standard input and output, with `options` until it says otherwise. The caller should end the process with the
/// returned exit code at once: a thread may still wait for input.
#[must_use]
pub fn run(options: Options) -> ExitCode {
    // Piskvork reads standard error as if it were the protocol. Faults are told in a MESSAGE.
    panic::set_hook(Box::new(|_| {}));
    let quit = Quit::default();
    let (events, inbox) = unbounded();
    let mut engine = Engine::new();
    engine.set_options(options);
    let stopper = engine.stopper();
    // Nothing is ever sent on these; that a thread has ended is seen by its end being dropped.
    let (session_lives, session_ended) = bounded::<()>(0);
    let (reader_lives, reader_ended) = bounded::<()>(0);
    let session = Session::new(engine, io::stdout(), (events.clone(), inbox), quit.clone());
    let threads = [
        thread::Builder::new()
            .name("session".into())
            .spawn(move || {
                let _lives = session_lives;
                session.run();
            }),
        thread::Builder::new().name("reader".into()).spawn(move || {
            let _lives = reader_lives;
            reader::read(io::stdin(), &events, &stopper, &quit);
        }),
    ];
    if threads.iter().any(Result::is_err) {
        return ExitCode::FAILURE;
    }
    select! {
        recv(session_ended) -> _ => {}
        recv(reader_ended) -> _ => {
            let _ = session_ended.recv_timeout(GRACE);
        }
    }
    ExitCode::SUCCESS
}
