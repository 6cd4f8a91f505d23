//! The command line: what `pbrain-quincunx` does with its arguments.
//!
//! Without a subcommand the program speaks the Gomocup protocol. Managers start engines with
//! arguments of their own (`--force-utf8`, for one), so only the subcommands listed here and the
//! usual requests for help and version are taken as meant for this module; anything else is
//! ignored and the protocol begins.
//!
//! Each subcommand is one file. It assumes a working standard output; when the reader of a pipe
//! has gone away, a subcommand ends quietly.

pub mod bench;
pub mod forbidden;
pub mod selfplay;
pub mod solve;
pub mod train;
pub mod train_net;
pub mod tune;

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::protocol;

const LONG_ABOUT: &str = "\
A Gomoku, Renju and Caro engine.

Without a subcommand it speaks the Gomocup (Piskvork) protocol on standard input and output: \
load this executable into a graphical front end or a tournament manager such as Piskvork, \
Yixin-Board or c-gomoku-cli and play. The subcommands are for people who develop engines or \
want to know something about a position.";

const EXAMPLES: &str = "\
Examples:
  Ask for the first move on a 15 x 15 board by hand (END quits):
    $ pbrain-quincunx
    START 15
    BEGIN

  Measure speed, and see whether a change altered the search (last line):
    $ pbrain-quincunx bench

  List the points that Black may not play under the rules of renju:
    $ echo 'h8 a1 h9 a3 f10 a5 g10 a7' | pbrain-quincunx forbidden -

Positions are written as move lists, Black first: column letter, then row counted from the bottom.";

#[derive(Parser, Debug)]
#[command(
    name = "pbrain-quincunx",
    version,
    about = "A Gomoku, Renju and Caro engine",
    long_about = LONG_ABOUT,
    after_help = EXAMPLES
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    Bench(bench::Options),
    Forbidden(forbidden::Options),
    Solve(solve::Options),
    Selfplay(selfplay::Options),
    Train(train::Options),
    TrainNet(train_net::Options),
    Tune(tune::Options),
}

/// Does what the arguments of the process ask for; the first is the program's name.
///
/// Returns the exit code: 0 for success, 1 when reading or writing failed, 2 for wrong
/// arguments or input.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if !arguments.get(1).is_some_and(|first| is_ours(first)) {
        arguments.truncate(1);
    }
    let command = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments.command,
        Err(error) => {
            // Nothing is left to be told if even this cannot be written.
            let _ = error.print();
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    let result = match command {
        None => {
            if io::stdin().is_terminal() {
                eprintln!("Gomocup protocol; END quits. For help: pbrain-quincunx --help");
            }
            return protocol::run();
        }
        Some(Command::Bench(options)) => bench::run(&options, &mut io::stdout().lock()),
        Some(Command::Forbidden(options)) => {
            forbidden::run(&options, &mut io::stdout().lock(), &mut io::stderr())
        }
        Some(Command::Solve(options)) => {
            solve::run(&options, &mut io::stdout().lock(), &mut io::stderr())
        }
        Some(Command::Selfplay(options)) => selfplay::run(&options),
        Some(Command::Tune(options)) => tune::run(&options, &mut io::stdout().lock()),
        Some(Command::Train(options)) => train::run(&options, &mut io::stdout().lock()),
        Some(Command::TrainNet(options)) => train_net::run(&options, &mut io::stdout().lock()),
    };
    match result {
        Ok(code) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether a first argument is meant for the command line rather than a habit of some manager.
fn is_ours(first: &OsStr) -> bool {
    let Some(first) = first.to_str() else {
        return false;
    };
    matches!(first, "help" | "-h" | "--help" | "-V" | "--version")
        || Arguments::command().find_subcommand(first).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn only_known_words_are_taken_as_arguments() {
        for word in [
            "bench",
            "forbidden",
            "solve",
            "help",
            "-h",
            "--help",
            "-V",
            "--version",
        ] {
            assert!(is_ours(OsStr::new(word)), "{word}");
        }
        for word in ["--force-utf8", "", "-", "Bench", "benc", "protocol"] {
            assert!(!is_ours(OsStr::new(word)), "{word}");
        }
    }
}
