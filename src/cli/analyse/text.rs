//! A judged game as text for a terminal.

use std::io::{self, Write};
use std::iter;

use super::review::{End, Mark, MarkKind, Review, moves_to_win};
use crate::types::{Cell, Colour, Point, Score};

/// Moves of a best line that are shown.
const SHOWN: usize = 8;

/// Writes the moves with their scores, the board, and a summary.
pub(super) fn write(review: &Review, title: &str, out: &mut impl Write) -> io::Result<()> {
    let size = review.game.position.size();
    writeln!(out, "{title}\n")?;
    writeln!(out, "   # move  before   after  best line")?;
    for (i, judged) in review.moves.iter().enumerate() {
        let line: Vec<String> = judged
            .line
            .iter()
            .take(SHOWN)
            .map(|point| point.letters(size).to_string())
            .collect();
        let mut line = line.join(" ");
        if judged.line.len() > SHOWN {
            line.push_str(" ...");
        }
        if let Some(mark) = judged.mark {
            line = format!("{line:<34} {}", describe(mark));
        }
        writeln!(
            out,
            "{:>4} {} {:<4}{:>7} {:>7}  {line}",
            i + 1,
            symbol(judged.side),
            judged.point.letters(size).to_string(),
            show(judged.before),
            show(judged.after),
        )?;
    }
    write_end(review, out)?;
    writeln!(out)?;
    write_board(review, out)?;
    writeln!(out)?;
    for side in Colour::ALL {
        writeln!(out, "{side:?}: {}", summary(review, side))?;
    }
    Ok(())
}

/// Points of evaluation, or `+M3` for a proved win with the third own move, `-M3` for a loss.
fn show(score: Score) -> String {
    match moves_to_win(score) {
        None => format!("{score:+}"),
        Some(0) if score > 0 => "won".into(),
        Some(0) => "lost".into(),
        Some(moves) if moves > 0 => format!("+M{moves}"),
        Some(moves) => format!("-M{}", -moves),
    }
}

/// The mark in words.
pub(super) fn describe(mark: Mark) -> String {
    match (mark.kind, mark.proved) {
        (MarkKind::Foul, _) | (_, false) => mark.kind.name().into(),
        (MarkKind::MissedWin, true) => "missed win (proved)".into(),
        (kind, true) => format!("{} (loses, proved)", kind.name()),
    }
}

fn symbol(side: Colour) -> char {
    match side {
        Colour::Black => 'X',
        Colour::White => 'O',
    }
}

fn write_end(review: &Review, out: &mut impl Write) -> io::Result<()> {
    match review.course.end {
        End::Five(side) => writeln!(out, "     {side:?} has made five.")?,
        End::Foul => writeln!(out, "     Black's move was forbidden: White wins.")?,
        End::Full => writeln!(out, "     The board is full.")?,
        End::Open => {}
    }
    let ignored = review.game.position.moves().len() - review.course.moves;
    if ignored > 0 {
        writeln!(out, "     {ignored} moves after the end are left out.")?;
    }
    Ok(())
}

/// Rows from the top: `X` Black, `O` White, each with the number of its move.
fn write_board(review: &Review, out: &mut impl Write) -> io::Result<()> {
    let position = &review.game.position;
    let size = position.size();
    let width = if review.moves.len() < 100 { 3 } else { 4 };
    for y in 0..size.height() {
        let cells = (0..size.width()).map(|x| cell(review, Point::new(x, y)));
        let number = format!("{:>2}", size.height() - y);
        writeln!(out, "{}", row(number, cells, width))?;
    }
    let letters = (0..size.width()).map(|x| char::from(b'A' + x).into());
    writeln!(out, "{}", row("  ".into(), letters, width))
}

/// A line of the board: its first column, then cells of `width` characters.
fn row(first: String, cells: impl Iterator<Item = String>, width: usize) -> String {
    let padded = cells.map(|cell| format!("{cell:<width$}"));
    let columns: Vec<String> = iter::once(first).chain(padded).collect();
    columns.join(" ").trim_end().to_owned()
}

fn cell(review: &Review, point: Point) -> String {
    let played = review.moves.iter().position(|m| m.point == point);
    if let Some(i) = played {
        return format!("{}{}", symbol(review.moves[i].side), i + 1);
    }
    match review.game.position.start().get(point) {
        Some(Cell::Stone(side)) => symbol(side).into(),
        Some(Cell::Wall) => "#".into(),
        _ => ".".into(),
    }
}

/// How often each mark was made by `side`.
fn summary(review: &Review, side: Colour) -> String {
    let counts: Vec<String> = MarkKind::ALL
        .into_iter()
        .filter_map(|kind| {
            let marks = review.moves.iter().filter(|m| m.side == side);
            let marks: Vec<Mark> = marks
                .filter_map(|m| m.mark)
                .filter(|mark| mark.kind == kind)
                .collect();
            let proved = marks.iter().filter(|mark| mark.proved).count();
            let plural = match (kind, marks.len()) {
                (_, 0) => return None,
                (_, 1) => "",
                _ => "s",
            };
            let proved = match (kind, proved) {
                (MarkKind::Foul, _) | (_, 0) => String::new(),
                (_, proved) => format!(" ({proved} proved)"),
            };
            Some(format!("{} {}{plural}{proved}", marks.len(), kind.name()))
        })
        .collect();
    if counts.is_empty() {
        "nothing to blame".into()
    } else {
        counts.join(", ")
    }
}
