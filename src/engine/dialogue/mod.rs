//! Decisions of the opening dialogues: which stones are fair, which colour is better, how many
//! fifth stones to ask for.
//!
//! What it is for: swap2, Soosõrv and balance searches, each answered by several searches within
//! one job. Assumes the rules of the dialogue about the number of stones; whatever the position, it decides something
//! legal. The rule behind all of them: who divides makes the parts equal, who chooses takes the larger
//! one.

mod study;

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use super::flight::Watch;
use super::opening;
use super::position::Position;
use super::renju::OPENINGS;
use super::task::{Decision, Task};
use super::worker::choose;
use crate::board::{Board, NoObserver};
use crate::search::{Limits, Report};
use crate::types::score::INFINITE;
use crate::types::{Point, PointSet, Score, SplitMix64, Symmetry};
use study::{Stones, Study};

/// With scores nearer to equal than this (about 51 % to win), swap2 is answered by two more stones.
///
/// Who chooses the colour last has the advantage: in 200 games with 40,000 nodes for each decision and 2,000
/// for each move, with 60 points here, two stones came 180 times, and who chose last won 137; the side that
/// was asked after three stones won 64. With 10 points it won 105. So the choice is given away only where
/// there is nothing to choose.
const UNCLEAR: Score = 10;
/// How many choices of stones a balance search begins with.
const CHOICES: usize = 256;
/// The longest time for a decision of an opening dialogue: nobody likes to wait for it, and more time hardly
/// changes it. A balance search is asked for by someone who wants to know, and has no such limit.
const LONGEST: Duration = Duration::from_secs(3);
/// The most fifth stones asked for at Soosõrv.
const MOST_FIFTHS: u32 = 8;

/// Decides `task`, which is not a plain move. Returns what was found with it.
pub(super) fn decide(
    task: Task,
    position: &Position,
    excluded: &PointSet,
    watch: &mut Watch<'_>,
) -> (Decision, Report) {
    let longest = if task.is_analysis() {
        Duration::MAX
    } else {
        LONGEST
    };
    let mut dialogue = Dialogue {
        position,
        board: position.board(),
        study: Study::new(watch, longest),
        random: SplitMix64::new(RandomState::new().hash_one(0)),
        report: Report::default(),
    };
    let decision = match task {
        Task::Balance { stones, wanted } => dialogue.balance(stones, wanted, 100),
        Task::Swap2Opening => dialogue.balance(3, 0, 100),
        Task::Swap2 => dialogue.swap2(),
        Task::SoosorvOpening => dialogue.soosorv_opening(),
        Task::SoosorvFourth => dialogue.soosorv_fourth(),
        Task::SoosorvColour(fifths) => dialogue.soosorv_colour(fifths),
        Task::SoosorvFifths(fifths) => dialogue.soosorv_fifths(fifths),
        Task::SoosorvChoice(fifths) => dialogue.soosorv_choice(&fifths),
        Task::Move { .. } | Task::Win | Task::Colour => None,
    };
    let report = Report {
        nodes: dialogue.study.nodes(),
        ..dialogue.report
    };
    let decision = decision.unwrap_or_else(|| fall_back(task, position, excluded, &report));
    (decision, report)
}

/// The decision when `report` is all that is known: nothing at worst.
pub(super) fn fall_back(
    task: Task,
    position: &Position,
    excluded: &PointSet,
    report: &Report,
) -> Decision {
    let play = || Decision::play(choose(position, report.line.first().copied(), excluded));
    let swap_or_play = || {
        if report.score < 0 {
            Decision::Swap
        } else {
            play()
        }
    };
    match task {
        Task::Move { .. } | Task::Win => play(),
        Task::Swap2 | Task::Colour | Task::SoosorvColour(_) => swap_or_play(),
        Task::SoosorvFourth => match play() {
            Decision::Place(points) if !points.is_empty() => Decision::Fourth(points[0], 1),
            decision => decision,
        },
        Task::SoosorvOpening => Decision::Place(
            OPENINGS[0]
                .stones(position.size())
                .unwrap_or_else(|| opening::swap2_stones(position.size()))
                .into(),
        ),
        Task::Swap2Opening => Decision::Place(opening::swap2_stones(position.size()).into()),
        Task::Balance { stones, .. } => Decision::Place(any_stones(position, report, stones)),
        Task::SoosorvFifths(fifths) => Decision::Place(any_fifths(position, report, fifths)),
        Task::SoosorvChoice(fifths) => Decision::play(fifths.first()),
    }
}

/// The first `count` points of the line, or others where it is too short. All are legal for the
/// side that puts them in turn.
fn any_stones(position: &Position, report: &Report, count: usize) -> Vec<Point> {
    let mut position = position.clone();
    let mut points = Vec::new();
    for i in 0..count {
        let Some(point) = choose(&position, report.line.get(i).copied(), &PointSet::EMPTY) else {
            break;
        };
        points.push(point);
        // A point that was chosen is empty.
        let _ = position.play(point);
    }
    points
}

/// The best fifth stone and others, all for Black.
fn any_fifths(position: &Position, report: &Report, count: u32) -> Vec<Point> {
    let mut taken = PointSet::EMPTY;
    let mut points = Vec::new();
    let mut proposed = report.line.first().copied();
    for _ in 0..count {
        let Some(point) = choose(position, proposed.take(), &taken) else {
            break;
        };
        if taken.contains(point) {
            break;
        }
        taken.insert(point);
        points.push(point);
    }
    points
}

struct Dialogue<'a, 'w> {
    position: &'a Position,
    board: Board,
    study: Study<'a, 'w>,
    random: SplitMix64,
    /// The search that decided.
    report: Report,
}

impl Dialogue<'_, '_> {
    /// Stones after which the position is worth about `wanted`, within a share of the limits.
    fn balance(&mut self, stones: usize, wanted: Score, percent: u32) -> Option<Decision> {
        let choices = if stones == 1 {
            self.single_stones()
        } else {
            self.random_stones(stones)
        };
        let (stones, report) = self.nearest(choices, wanted, percent)?;
        self.report = report;
        Some(Decision::Place(stones.to_vec()))
    }

    fn nearest(
        &mut self,
        choices: Vec<Stones>,
        wanted: Score,
        percent: u32,
    ) -> Option<(Stones, Report)> {
        let end = self.study.share(percent);
        self.study.nearest(&mut self.board, choices, wanted, end)
    }

    /// The best line that a search finds within a share of the limits.
    fn search(&mut self, percent: u32) -> Option<Report> {
        self.lines(1, percent).into_iter().next()
    }

    fn lines(&mut self, lines: u32, percent: u32) -> Vec<Report> {
        let limits = Limits {
            lines,
            ..Limits::default()
        };
        let end = self.study.share(percent);
        self.study.search(&mut self.board, &limits, end)
    }

    /// Three stones are there, White is to move.
    fn swap2(&mut self) -> Option<Decision> {
        self.report = self.search(50)?;
        if self.report.score.abs() >= UNCLEAR {
            return None; // the score decides
        }
        self.balance(2, 0, 100)
    }

    fn soosorv_opening(&mut self) -> Option<Decision> {
        let size = self.position.size();
        let mut choices = Vec::new();
        while choices.len() < 8 {
            let opening = OPENINGS[self.random.below(OPENINGS.len())];
            let symmetry = Symmetry::ALL[self.random.below(Symmetry::ALL.len())];
            let stones = opening.stones(size)?;
            if size.is_square() {
                choices.push(stones.map(|point| symmetry.apply(point, size)).into());
            } else {
                choices.push(stones.into());
            }
        }
        let (stones, report) = self.nearest(choices, 0, 100)?;
        self.report = report;
        Some(Decision::Place(stones.to_vec()))
    }

    /// If White's best move leaves Black the better side, Black has to offer so many fifths that the
    /// worst of them makes it equal; otherwise a fourth stone that makes it equal with a single one.
    fn soosorv_fourth(&mut self) -> Option<Decision> {
        self.report = self.search(40)?;
        if self.report.score >= 0 {
            let Decision::Place(stones) = self.balance(1, 0, 100)? else {
                return None;
            };
            return stones.first().map(|&fourth| Decision::Fourth(fourth, 1));
        }
        let fourth = self.report.line.first().copied()?;
        self.board.play(fourth, &mut NoObserver);
        let lines = self.lines(MOST_FIFTHS, 100);
        self.board.undo();
        let distinct = self.distinct(&lines, Some(fourth));
        let (fifths, _) = (1..)
            .zip(&distinct)
            .min_by_key(|(_, line)| line.score.abs())?;
        Some(Decision::Fourth(fourth, fifths))
    }

    /// White will leave Black the worst of the fifths: Black is worth as much as that one.
    fn soosorv_colour(&mut self, fifths: u32) -> Option<Decision> {
        let lines = self.fifths(fifths);
        self.report = lines.last()?.clone();
        None // the score decides
    }

    fn soosorv_fifths(&mut self, fifths: u32) -> Option<Decision> {
        let lines = self.fifths(fifths);
        let points: Vec<Point> = lines
            .iter()
            .filter_map(|line| line.line.first().copied())
            .collect();
        self.report = lines.into_iter().next()?;
        (points.len() == usize::try_from(fifths).ok()?).then_some(Decision::Place(points))
    }

    /// The best `count` fifth stones, no two of them symmetric.
    fn fifths(&mut self, count: u32) -> Vec<Report> {
        // Every stone may have up to seven mirror images.
        let lines = self.lines(count.saturating_mul(2).saturating_add(6), 100);
        let mut distinct = self.distinct(&lines, None);
        distinct.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        distinct
    }

    fn soosorv_choice(&mut self, fifths: &PointSet) -> Option<Decision> {
        let choices = fifths.iter().map(|point| Stones::from_slice(&[point]));
        let (stones, report) = self.nearest(choices.collect(), -INFINITE, 100)?;
        self.report = report;
        Some(Decision::Place(stones.to_vec()))
    }

    /// `lines` without those whose first move is a mirror image of one before, on the board with `added`.
    fn distinct(&self, lines: &[Report], added: Option<Point>) -> Vec<Report> {
        let size = self.position.size();
        let mut position = self.position.clone();
        if let Some(point) = added {
            // It was searched on this board, so it is empty.
            let _ = position.play(point);
        }
        let symmetries = position.symmetries();
        let mut seen = PointSet::EMPTY;
        let mut distinct = Vec::new();
        for line in lines {
            let Some(&point) = line.line.first() else {
                continue;
            };
            if !seen.contains(point) {
                distinct.push(line.clone());
                for symmetry in &symmetries {
                    seen.insert(symmetry.apply(point, size));
                }
            }
        }
        distinct
    }

    /// Every legal stone near others, in random order; one of each kind on an empty board.
    fn single_stones(&mut self) -> Vec<Stones> {
        let choices = if self.position.stones().is_empty() {
            let images = self.position.mirror_images(&PointSet::EMPTY);
            self.board.empty().difference(&images)
        } else {
            self.board.candidates()
        };
        let mut points: Vec<Point> = choices.iter().collect();
        points.retain(|&point| study::may_play(&mut self.board, point));
        points.sort_by_cached_key(|_| self.random.next_u64());
        let stone = |point| Stones::from_slice(&[point]);
        points.into_iter().map(stone).collect()
    }

    /// Choices of stones near the centre or other stones, at random so that games differ.
    fn random_stones(&mut self, count: usize) -> Vec<Stones> {
        let size = self.position.size();
        let reach = (size.width().min(size.height()) / 2)
            .saturating_sub(2)
            .max(2);
        let central = |point: &Point| point.distance(size.centre()) <= reach;
        let region: PointSet = if self.position.stones().is_empty() {
            size.points().filter(central).collect()
        } else {
            self.board.candidates().grown_square(1)
        };
        let region = region.intersection(self.board.empty());
        let points: Vec<Point> = region.iter().collect();
        let mut choices = Vec::new();
        for _ in 0..CHOICES {
            let mut stones = Stones::new();
            for _ in 0..count {
                let Some(&point) = points.get(self.random.below(points.len())) else {
                    break;
                };
                if stones.contains(&point) || !study::may_play(&mut self.board, point) {
                    break;
                }
                self.board.play(point, &mut NoObserver);
                stones.push(point);
            }
            for _ in &stones {
                self.board.undo();
            }
            if stones.len() == count {
                choices.push(stones);
            }
        }
        choices
    }
}
