//! `pbrain-quincunx`: the Gomoku engine as a program. All it can do is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    quincunx::cli::run(std::env::args_os())
}
