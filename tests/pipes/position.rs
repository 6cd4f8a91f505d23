//! The tests' own board: bare stones, judged by the slow oracle.

use quincunx::rule::{RuleKind, oracle};
use quincunx::types::{Cell, Colour, Grid, Point, Size};

use super::Fault;

/// A position and whose turn it is.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    grid: Grid,
    rule: RuleKind,
    side: Colour,
    stones: Vec<Point>,
}

impl Position {
    pub(crate) fn new(size: Size, rule: RuleKind) -> Self {
        Self {
            grid: Grid::new(size),
            rule,
            side: Colour::Black,
            stones: Vec::new(),
        }
    }

    pub(crate) fn size(&self) -> Size {
        self.grid.size()
    }

    pub(crate) fn side(&self) -> Colour {
        self.side
    }

    pub(crate) fn set_rule(&mut self, rule: RuleKind) {
        self.rule = rule;
    }

    pub(crate) fn set_side(&mut self, side: Colour) {
        self.side = side;
    }

    /// Stones in the order they were played.
    pub(crate) fn stones(&self) -> &[Point] {
        &self.stones
    }

    pub(crate) fn empty(&self) -> impl Iterator<Item = Point> + '_ {
        self.grid.points_of(Cell::Empty)
    }

    /// The empty point at `x,y`.
    pub(crate) fn empty_at(&self, (x, y): (i64, i64)) -> Result<Point, Fault> {
        let point = self.size().point(x, y);
        let point = point.ok_or(format!("{x},{y} is outside the board"))?;
        match self.grid.get(point) {
            Some(Cell::Empty) => Ok(point),
            _ => Err(format!("{x},{y} is occupied")),
        }
    }

    /// Whether the side to move would lose by foul on the empty `point`.
    pub(crate) fn is_foul(&self, point: Point) -> bool {
        !oracle::foul(self.rule, &self.grid, self.side, point).is_empty()
    }

    /// The point at `x,y`, if the side to move may play there: on the board, empty, not
    /// forbidden. Where all is forbidden, every point is as good as the next.
    pub(crate) fn legal(&self, at: (i64, i64)) -> Result<Point, Fault> {
        let point = self.empty_at(at)?;
        if self.is_foul(point) && !self.empty().all(|other| self.is_foul(other)) {
            return Err(format!("{point} is forbidden"));
        }
        Ok(point)
    }

    /// Whether `colour` wins at once on the empty `point`.
    pub(crate) fn wins(&self, colour: Colour, point: Point) -> bool {
        oracle::wins(self.rule, &self.grid, colour, point)
    }

    /// Puts a stone of the side to move on the empty `point`.
    pub(crate) fn play(&mut self, point: Point) {
        self.put(point, self.side);
        self.side = !self.side;
    }

    /// Puts a stone that the order of play does not explain.
    pub(crate) fn put(&mut self, point: Point, colour: Colour) {
        self.grid.set(point, Cell::Stone(colour));
        self.stones.push(point);
    }

    /// Makes `point` a dead stone that belongs to nobody.
    pub(crate) fn wall(&mut self, point: Point) {
        self.grid.set(point, Cell::Wall);
    }

    /// Takes the last stone off the board.
    pub(crate) fn take_back(&mut self) -> Option<Point> {
        let point = self.stones.pop()?;
        self.grid.set(point, Cell::Empty);
        self.side = !self.side;
        Some(point)
    }

    /// The lines between BOARD and DONE for the side to move.
    pub(crate) fn board_lines(&self) -> Vec<String> {
        let own = Cell::Stone(self.side);
        self.stones
            .iter()
            .map(|&point| {
                let field = if self.grid.get(point) == Some(own) {
                    1
                } else {
                    2
                };
                format!("{point},{field}")
            })
            .collect()
    }
}
