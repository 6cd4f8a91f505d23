//! What the engine can say, and how it is written.
//!
//! Promises: every reply is one line of printable ASCII without its end; free text stands only behind
//! `MESSAGE `, `ERROR ` and `UNKNOWN `; coordinates have no blanks. Never the word "name" in a message
//! (qpiskvork would take it for an ABOUT line), nor a bare word (gomoku-calculator would
//! take it for a move).

use std::fmt;

use crate::types::Point;

/// One line of output.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Reply {
    /// `OK`.
    Ok,
    /// One or several moves, separated by a blank.
    Moves(Vec<Point>),
    /// `SWAP`.
    Swap,
    /// The answer to `ABOUT`.
    About,
    /// The forbidden points; always ends with a full stop, or Yixin-Board reads on.
    Forbid(Vec<Point>),
    /// Text for people.
    Message(String),
    /// Analysis for front ends that asked for it.
    Info(&'static str, String),
    /// A known command that cannot be carried out.
    Error(String),
    /// An unknown command.
    Unknown(String),
}

impl Reply {
    /// A single move.
    #[must_use]
    pub(super) fn one_move(point: Point) -> Self {
        Self::Moves(vec![point])
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("OK"),
            Self::Moves(points) => {
                for (i, point) in points.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" ")?;
                    }
                    write!(f, "{point}")?;
                }
                Ok(())
            }
            Self::Swap => f.write_str("SWAP"),
            Self::About => write!(
                f,
                r#"name="Quincunx", version="{}", author="Quincunx contributors", country="International""#,
                env!("CARGO_PKG_VERSION")
            ),
            Self::Forbid(points) => {
                f.write_str("FORBID ")?;
                for point in points {
                    write!(f, "{:02}{:02}", point.x(), point.y())?;
                }
                f.write_str(".")
            }
            Self::Message(text) => write!(f, "MESSAGE {}", Printable(text)),
            Self::Info(key, value) => write!(f, "INFO {key} {}", Printable(value)),
            Self::Error(text) => write!(f, "ERROR {}", Printable(text)),
            Self::Unknown(text) => write!(f, "UNKNOWN command {}", Printable(text)),
        }
    }
}

/// Longest text behind a key word, in characters.
const LONGEST: usize = 400;

/// Text with everything but printable ASCII replaced, cut to [`LONGEST`].
struct Printable<'a>(&'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        for c in self.0.chars().take(LONGEST) {
            f.write_char(if matches!(c, ' '..='~') { c } else { '?' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_managers_compare_exactly() {
        let points = vec![Point::new(9, 12), Point::new(10, 11)];
        let cases = [
            (Reply::Ok, "OK"),
            (Reply::one_move(Point::new(0, 14)), "0,14"),
            (Reply::Moves(points.clone()), "9,12 10,11"),
            (Reply::Swap, "SWAP"),
            (Reply::Forbid(points), "FORBID 09121011."),
            (Reply::Forbid(vec![]), "FORBID ."),
            (Reply::Info("PV", "DONE".into()), "INFO PV DONE"),
            (Reply::Error("a\nb".into()), "ERROR a?b"),
            (Reply::Unknown("\u{fffd}\0".into()), "UNKNOWN command ??"),
        ];
        for (reply, line) in cases {
            assert_eq!(reply.to_string(), line);
        }
        let about = Reply::About.to_string();
        assert!(about.starts_with(r#"name=""#));
        assert_eq!(about.matches(',').count(), 3);
        assert_eq!(about.matches('"').count(), 8);
    }
}
