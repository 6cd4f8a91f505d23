//! The command line: what `pbrain-quincunx` does with its arguments.
//!
//! Without a subcommand the program speaks the Gomocup protocol. Managers start engines with
//! arguments of their own (`--force-utf8`, for one), so only the subcommands listed here, the usual requests
//! for help and version, and the options of the protocol are taken as meant for this module;
//! anything else is ignored and the protocol begins.
//!
//! Each subcommand is one file. It assumes a working standard output; when the reader of a pipe
//! has gone away, a subcommand ends quietly.

mod analyse;
pub mod bench;
mod duel;
mod forbidden;
mod pairs;
mod samples;
mod selfplay;
mod solve;
mod train;
mod train_net;
#[cfg(feature = "tune")]
mod tune;

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine;
use crate::protocol;
use crate::rule::RuleKind;

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

  Play with four threads, unless the manager sends INFO thread_num:
    $ pbrain-quincunx --threads 4

  Measure speed, and see whether a change altered the search (last line):
    $ pbrain-quincunx bench

  See where a game was decided:
    $ pbrain-quincunx analyse game.psq

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
    /// Threads that search when the protocol is spoken, until a manager names another number
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    Analyse(analyse::Options),
    Bench(bench::Options),
    Duel(duel::Options),
    Forbidden(forbidden::Options),
    Solve(solve::Options),
    Selfplay(selfplay::Options),
    Train(train::Options),
    TrainNet(train_net::Options),
    #[cfg(feature = "tune")]
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
        arguments = without_foreign(arguments);
    }
    let Arguments { threads, command } = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
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
            return protocol::run(engine::Options {
                threads,
                ..engine::Options::default()
            });
        }
        Some(Command::Analyse(options)) => {
            analyse::run(&options, &mut io::stdout().lock(), &mut io::stderr())
        }
        Some(Command::Bench(options)) => bench::run(&options, &mut io::stdout().lock()),
        Some(Command::Duel(options)) => duel::run(&options, &mut io::stdout().lock()),
        Some(Command::Forbidden(options)) => {
            forbidden::run(&options, &mut io::stdout().lock(), &mut io::stderr())
        }
        Some(Command::Solve(options)) => {
            solve::run(&options, &mut io::stdout().lock(), &mut io::stderr())
        }
        Some(Command::Selfplay(options)) => selfplay::run(&options),
        #[cfg(feature = "tune")]
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

/// Option of the protocol, with a value.
const THREADS: &str = "--threads";

/// The program's name and the options of the protocol; the rest is some manager's.
fn without_foreign(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = arguments.into_iter();
    kept.extend(rest.next());
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or("");
        if text == THREADS {
            kept.push(argument);
            kept.extend(rest.next());
        } else if text
            .strip_prefix(THREADS)
            .is_some_and(|tail| tail.starts_with('='))
        {
            kept.push(argument);
        }
    }
    kept
}

/// Reads a rule by name or by the number that managers send.
fn parse_rule(text: &str) -> Result<RuleKind, String> {
    RuleKind::ALL
        .into_iter()
        .find(|rule| rule.name().eq_ignore_ascii_case(text))
        .or_else(|| text.parse().ok().and_then(RuleKind::from_code))
        .ok_or_else(|| {
            let names = RuleKind::ALL.map(RuleKind::name).join(", ");
            format!("expected a number or one of {names}")
        })
}

/// A bar on standard error, if that is a terminal.
fn progress_bar(count: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed}, {eta} left");
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
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
            "analyse",
            "bench",
            "duel",
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

    #[test]
    fn options_of_the_protocol_are_found_among_foreign_ones() {
        let kept = |words: &[&str]| {
            let arguments = words.iter().map(OsString::from).collect();
            without_foreign(arguments)
        };
        let all = [
            "brain",
            "--force-utf8",
            "--threads",
            "2",
            "x",
            "--threadsafe",
        ];
        assert_eq!(kept(&all), ["brain", "--threads", "2"]);
        assert_eq!(
            kept(&["brain", "", "--threads=3"]),
            ["brain", "--threads=3"]
        );
        assert_eq!(kept(&[]), [""; 0]);
    }
}
