//! A judged game as a picture: the board with numbered stones, what should have been played, and Black's
//! chance to win over the game.

use svg::Document;
use svg::node::element::{Circle, Group, Line, Polyline, Rectangle, Text, Title};

use super::review::{MarkKind, Review};
use crate::types::{Cell, Colour, Point, Size};

/// Pixels between two lines of the board.
const CELL: f64 = 36.0;
/// Pixels from the edge of the picture to the outermost line.
const MARGIN: f64 = 52.0;
/// Pixels above the board, for the title.
const TOP: f64 = 34.0;
/// Pixels between the board and the curve.
const GAP: f64 = 14.0;
/// Height of the curve in pixels.
const CURVE: f64 = 150.0;
/// Pixels below the curve, for the numbers of moves and the legend.
const BOTTOM: f64 = 64.0;

const INK: &str = "#3b2f1e";
const BEST: &str = "#0a7d3c";

const fn colour_of(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Mistake => "#e0a800",
        MarkKind::Blunder | MarkKind::Foul => "#d22d2d",
        MarkKind::MissedWin => "#a337c4",
    }
}

/// Draws the game.
pub(super) fn draw(review: &Review, title: &str) -> Document {
    let size = review.game.position.size();
    let board_height = f64::from(size.height() - 1).mul_add(CELL, 2.0 * MARGIN);
    let width = f64::from(size.width() - 1).mul_add(CELL, 2.0 * MARGIN);
    let height = TOP + board_height + GAP + CURVE + BOTTOM;
    Document::new()
        .set("viewBox", (0.0, 0.0, width, height))
        .set("width", width)
        .set("height", height)
        .set("font-family", "sans-serif")
        .add(Title::new(title))
        .add(rectangle(0.0, 0.0, width, height, "#ffffff"))
        .add(label(width / 2.0, 22.0, 15.0, INK, title))
        .add(board(review))
        .add(curve(review, TOP + board_height + GAP, width))
}

fn x_of(point: Point) -> f64 {
    f64::from(point.x()).mul_add(CELL, MARGIN)
}

fn y_of(point: Point) -> f64 {
    f64::from(point.y()).mul_add(CELL, TOP + MARGIN)
}

fn rectangle(x: f64, y: f64, width: f64, height: f64, fill: &str) -> Rectangle {
    Rectangle::new()
        .set("x", tenths(x))
        .set("y", tenths(y))
        .set("width", tenths(width))
        .set("height", tenths(height))
        .set("fill", fill)
}

fn line(from: (f64, f64), to: (f64, f64), stroke: &str) -> Line {
    Line::new()
        .set("x1", tenths(from.0))
        .set("y1", tenths(from.1))
        .set("x2", tenths(to.0))
        .set("y2", tenths(to.1))
        .set("stroke", stroke)
}

fn circle(x: f64, y: f64, radius: f64) -> Circle {
    Circle::new()
        .set("cx", tenths(x))
        .set("cy", tenths(y))
        .set("r", tenths(radius))
}

/// A text whose middle lies at `x` and whose baseline lies at `y`.
fn label(x: f64, y: f64, pixels: f64, fill: &str, text: impl Into<String>) -> Text {
    Text::new(text)
        .set("x", tenths(x))
        .set("y", tenths(y))
        .set("font-size", pixels)
        .set("text-anchor", "middle")
        .set("fill", fill)
}

fn board(review: &Review) -> Group {
    let size = review.game.position.size();
    let mut group = Group::new().add(rectangle(
        MARGIN - CELL * 0.75,
        TOP + MARGIN - CELL * 0.75,
        f64::from(size.width() - 1).mul_add(CELL, CELL * 1.5),
        f64::from(size.height() - 1).mul_add(CELL, CELL * 1.5),
        "#ecc986",
    ));
    group = grid(group, size);
    for point in size.points() {
        if let Some(Cell::Stone(side)) = review.game.position.start().get(point) {
            group = group.add(stone(point, side));
        }
    }
    for (i, judged) in review.moves.iter().enumerate() {
        group = group.add(stone(judged.point, judged.side));
        let fill = match judged.side {
            Colour::Black => "#ffffff",
            Colour::White => "#000000",
        };
        let pixels = if i + 1 < 100 { 15.0 } else { 12.5 };
        let (x, y) = (x_of(judged.point), y_of(judged.point));
        group = group.add(label(
            x,
            y + pixels * 0.35,
            pixels,
            fill,
            (i + 1).to_string(),
        ));
    }
    for (i, judged) in review.moves.iter().enumerate() {
        if let Some(mark) = judged.mark {
            let ring = circle(x_of(judged.point), y_of(judged.point), CELL * 0.46)
                .set("fill", "none")
                .set("stroke", colour_of(mark.kind))
                .set("stroke-width", 3.5)
                .add(Title::new(format!(
                    "{}: {}",
                    i + 1,
                    super::text::describe(mark)
                )));
            group = group.add(ring);
        }
    }
    for (point, numbers) in better_moves(review) {
        group = group.add(better_move(review, point, &numbers));
    }
    group
}

fn grid(mut group: Group, size: Size) -> Group {
    let last = Point::new(size.width() - 1, size.height() - 1);
    for x in 0..size.width() {
        let at = x_of(Point::new(x, 0));
        let (top, bottom) = (TOP + MARGIN, y_of(last));
        group = group.add(line((at, top), (at, bottom), INK)).add(label(
            at,
            bottom + 41.0,
            13.0,
            INK,
            char::from(b'A' + x),
        ));
    }
    for y in 0..size.height() {
        let at = y_of(Point::new(0, y));
        let number = (size.height() - y).to_string();
        group = group
            .add(line((MARGIN, at), (x_of(last), at), INK))
            .add(label(MARGIN * 0.24, at + 5.0, 13.0, INK, number));
    }
    group
}

fn stone(point: Point, side: Colour) -> Circle {
    circle(x_of(point), y_of(point), CELL * 0.44)
        .set(
            "fill",
            if side == Colour::Black {
                "#1c1c1c"
            } else {
                "#f7f7f2"
            },
        )
        .set("stroke", "#1c1c1c")
}

/// For each point that would have been better than a marked move, the numbers of these moves.
fn better_moves(review: &Review) -> Vec<(Point, Vec<usize>)> {
    let mut found: Vec<(Point, Vec<usize>)> = Vec::new();
    for (i, judged) in review.moves.iter().enumerate() {
        let (Some(_), Some(&best)) = (judged.mark, judged.line.first()) else {
            continue;
        };
        match found.iter_mut().find(|(point, _)| *point == best) {
            Some((_, numbers)) => numbers.push(i + 1),
            None => found.push((best, vec![i + 1])),
        }
    }
    found
}

/// A dashed ring, with the number of the move that it should have replaced if the point stayed empty.
fn better_move(review: &Review, point: Point, numbers: &[usize]) -> Group {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let (x, y) = (x_of(point), y_of(point));
    let free = review.game.position.start().get(point) == Some(Cell::Empty)
        && review.moves.iter().all(|judged| judged.point != point);
    let ring = circle(x, y, CELL * if free { 0.36 } else { 0.4 })
        .set("fill", if free { "#ecc986" } else { "none" })
        .set("stroke", BEST)
        .set("stroke-width", 2.5)
        .set("stroke-dasharray", "4 2.5");
    let mut group = Group::new()
        .add(Title::new(format!(
            "better than move {}",
            numbers.join(", ")
        )))
        .add(ring);
    if free {
        group = group.add(label(x, y + 4.5, 12.5, BEST, numbers[0].clone()));
    }
    group
}

/// Black's chance to win, from the first move to the last, between `left` and `right`.
fn curve(review: &Review, top: f64, width: f64) -> Group {
    let chances = review.chances();
    let (left, right) = (MARGIN, width - MARGIN);
    let steps = chances.len().saturating_sub(1).max(1);
    let x = |i: usize| left + (right - left) * ratio(i, steps);
    let y = |chance: f64| top + CURVE * (1.0 - chance);
    let mut group = Group::new().add(rectangle(left, top, right - left, CURVE, "#f3f0e8"));
    for (chance, name) in [(1.0, "100 %"), (0.5, "50 %"), (0.0, "0 %")] {
        group = group
            .add(line((left, y(chance)), (right, y(chance)), "#b8b0a0"))
            .add(label(left * 0.52, y(chance) + 4.0, 12.0, INK, name));
    }
    for i in (0..chances.len()).step_by(10) {
        group = group
            .add(line((x(i), top), (x(i), top + CURVE), "#d9d3c6"))
            .add(label(x(i), top + CURVE + 16.0, 12.0, INK, i.to_string()));
    }
    let points: Vec<String> = chances
        .iter()
        .enumerate()
        .map(|(i, &chance)| format!("{:.1},{:.1}", x(i), y(chance)))
        .collect();
    group = group.add(
        Polyline::new()
            .set("points", points.join(" "))
            .set("fill", "none")
            .set("stroke", "#1c1c1c")
            .set("stroke-width", 2),
    );
    for (i, judged) in review.moves.iter().enumerate() {
        if let Some(mark) = judged.mark {
            let dot = circle(x(i + 1), y(chances[i + 1]), 4.5).set("fill", colour_of(mark.kind));
            group = group.add(dot);
        }
    }
    group.add(legend(left, right, top + CURVE + 44.0))
}

fn legend(left: f64, right: f64, y: f64) -> Group {
    let entries = [
        ("#1c1c1c", "Black's chance to win"),
        (colour_of(MarkKind::Mistake), "mistake"),
        (colour_of(MarkKind::Blunder), "blunder"),
        (colour_of(MarkKind::MissedWin), "missed win"),
        (BEST, "better move"),
    ];
    // In parts of the width: the first text is the longest.
    let places = [0.0, 0.34, 0.49, 0.64, 0.82];
    let mut group = Group::new();
    for ((fill, text), place) in entries.into_iter().zip(places) {
        let x = left + (right - left) * place;
        group = group
            .add(circle(x, y - 4.0, 5.0).set("fill", fill))
            .add(label(x + 10.0, y, 12.0, INK, text).set("text-anchor", "start"));
    }
    group
}

/// Rounded to tenths of a pixel: more digits would only make the file larger.
fn tenths(pixels: f64) -> f64 {
    (pixels * 10.0).round() / 10.0
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    number(part) / number(whole)
}
