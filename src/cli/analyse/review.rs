//! From what a search says about each position of a game to what is said about its moves.
//!
//! A move is judged by the chance to win that it gives away: the score of the position before it,
//! seen by the mover, against the score of the position after it. A proved win counts as 1, a proved
//! loss as 0. The move that the search itself would have played is never blamed. What is proved of one position holds for
//! its neighbours, even where their own searches ended before they saw it.

use crate::board::NoObserver;
use crate::eval::params::POINTS_PER_LOGIT;
use crate::foul;
use crate::pattern::Threat;
use crate::record::Game;
use crate::rule::RuleKind;
use crate::search::Report;
use crate::types::score::{self, DRAW, WIN};
use crate::types::{Colour, Point, Score};

/// Chance to win, from 0 to 1, that a mistake gives away at least.
const MISTAKE: f64 = 0.15;
/// Chance to win that a blunder gives away at least.
const BLUNDER: f64 = 0.30;
/// From this chance on a position is called won although nothing is proved. Below it a proved win is gone.
const WON: f64 = 0.90;
/// Below this chance a win that was not proved is gone.
const NO_LONGER_WON: f64 = 0.60;

/// How the moves of a game end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The side made five.
    Five(Colour),
    /// Black played a forbidden move, which loses.
    Foul,
    /// The board is full.
    Full,
    /// Nothing is decided on the board.
    Open,
}

/// How far a game is looked at, and why not further.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    pub(super) rule: RuleKind,
    /// Moves up to the deciding one.
    pub(super) moves: usize,
    pub(super) end: End,
}

impl Course {
    /// Plays the game through. `default` is the rule where the file names none.
    pub(super) fn of(game: &Game, default: RuleKind) -> Self {
        let rule = game.position.rule().unwrap_or(default);
        let mut board = game.position.board_after(0, rule);
        let mut course = Self {
            rule,
            moves: 0,
            end: End::Open,
        };
        for &point in game.position.moves() {
            let side = board.side();
            let five = board.threat(point, side) == Threat::Five;
            let is_foul = side == Colour::Black && foul::is_foul(&mut board, point);
            board.play(point, &mut NoObserver);
            course.moves += 1;
            course.end = if five {
                End::Five(side)
            } else if is_foul {
                End::Foul
            } else if board.empty().is_empty() {
                End::Full
            } else {
                continue;
            };
            break;
        }
        course
    }

    /// How many positions are to be searched: the ones before each move, and the last if it is open.
    pub(super) const fn positions(&self) -> usize {
        self.moves + matches!(self.end, End::Open) as usize
    }
}

/// What is wrong with a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    pub(super) kind: MarkKind,
    /// Whether the win that was missed, or the loss that was chosen, is proved.
    pub(super) proved: bool,
}

/// Kinds of wrong moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MarkKind {
    /// Gives away [`MISTAKE`] or more.
    Mistake,
    /// Gives away [`BLUNDER`] or more.
    Blunder,
    /// There was a win, and there is none any more.
    MissedWin,
    /// Forbidden.
    Foul,
}

impl MarkKind {
    pub(super) const ALL: [Self; 4] = [Self::Mistake, Self::Blunder, Self::MissedWin, Self::Foul];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
            Self::MissedWin => "missed win",
            Self::Foul => "forbidden move",
        }
    }
}

/// A move and what the search thinks of it. Scores and chances are the mover's.
#[derive(Debug)]
pub(super) struct JudgedMove {
    pub(super) point: Point,
    pub(super) side: Colour,
    pub(super) before: Score,
    pub(super) after: Score,
    /// What the search would have played, and how it would have gone on.
    pub(super) line: Vec<Point>,
    pub(super) depth: u32,
    pub(super) nodes: u64,
    pub(super) mark: Option<Mark>,
}

/// A game with all its moves judged.
#[derive(Debug)]
pub(super) struct Review<'a> {
    pub(super) game: &'a Game,
    pub(super) course: Course,
    pub(super) moves: Vec<JudgedMove>,
}

impl<'a> Review<'a> {
    /// `reports` are the results of the searches of all [`Course::positions`], in order.
    pub(super) fn new(game: &'a Game, course: Course, reports: &[Report]) -> Self {
        let mut side = game.position.first();
        let played = &game.position.moves()[..course.moves];
        let verdicts = share_proofs(played, reports);
        let mut moves = Vec::with_capacity(course.moves);
        for (i, &point) in played.iter().enumerate() {
            let (report, verdict) = (&reports[i], &verdicts[i]);
            let after = match verdicts.get(i + 1) {
                Some(next) => -next.score,
                None => match course.end {
                    End::Five(_) => WIN,
                    End::Foul => -WIN,
                    End::Full | End::Open => DRAW,
                },
            };
            let foul = course.end == End::Foul && i + 1 == course.moves;
            let expected = verdict.line.first() == Some(&point);
            moves.push(JudgedMove {
                point,
                side,
                before: verdict.score,
                after,
                line: verdict.line.clone(),
                depth: report.depth,
                nodes: report.nodes,
                mark: if foul {
                    Some(Mark {
                        kind: MarkKind::Foul,
                        proved: true,
                    })
                } else if expected {
                    None
                } else {
                    mark(verdict.score, after)
                },
            });
            side = !side;
        }
        Self {
            game,
            course,
            moves,
        }
    }

    /// Black's chance to win before each move and after the last.
    pub(super) fn chances(&self) -> Vec<f64> {
        let of_black = |side: Colour, score: Score| match side {
            Colour::Black => chance(score),
            Colour::White => 1.0 - chance(score),
        };
        let before = self.moves.iter().map(|m| of_black(m.side, m.before));
        let after = self.moves.last().map(|m| of_black(m.side, m.after));
        before.chain(after).collect()
    }
}

/// What is known of a position: the score of the side to move, and how both would go on.
struct Verdict {
    score: Score,
    line: Vec<Point>,
}

/// What the searches found, with each proof carried along the moves `played`: forth as long as they follow its
/// line, and back to where the move that leads there is one that wins.
fn share_proofs(played: &[Point], reports: &[Report]) -> Vec<Verdict> {
    let mut verdicts: Vec<Verdict> = reports
        .iter()
        .map(|report| Verdict {
            score: report.score,
            line: report.line.clone(),
        })
        .collect();
    for (i, point) in played.iter().enumerate() {
        let Some([this, next]) = verdicts.get_mut(i..).and_then(<[_]>::first_chunk_mut) else {
            break;
        };
        let Some(plies) = score::mate_distance(this.score) else {
            continue;
        };
        if score::is_decisive(next.score) || this.line.first() != Some(point) {
            continue;
        }
        next.score = if score::is_win(this.score) {
            score::loss_in(plies - 1)
        } else {
            score::win_in(plies - 1)
        };
        next.line = this.line[1..].to_vec();
    }
    for (i, &point) in played.iter().enumerate().rev() {
        let Some([this, next]) = verdicts.get_mut(i..).and_then(<[_]>::first_chunk_mut) else {
            continue;
        };
        if let Some(plies) = score::mate_distance(next.score)
            && score::is_loss(next.score)
            && !score::is_win(this.score)
        {
            this.score = score::win_in(plies + 1);
            this.line = [&[point], &next.line[..]].concat();
        }
    }
    verdicts
}

/// What is wrong with a move that leads from `before` to `after`.
fn mark(before: Score, after: Score) -> Option<Mark> {
    let (won, now) = (chance(before), chance(after));
    let lost = won - now;
    let proved_win = score::is_win(before) && !score::is_win(after);
    let proved_loss = score::is_loss(after) && !score::is_loss(before);
    let missed = if proved_win {
        now < WON
    } else {
        won >= WON && now < NO_LONGER_WON
    };
    let (kind, proved) = if missed {
        (MarkKind::MissedWin, proved_win)
    } else if lost >= BLUNDER {
        (MarkKind::Blunder, proved_loss)
    } else if lost >= MISTAKE {
        (MarkKind::Mistake, proved_loss)
    } else {
        return None;
    };
    Some(Mark { kind, proved })
}

/// Chance to win, from 0 to 1, of the side that a score belongs to.
pub(super) fn chance(score: Score) -> f64 {
    if score::is_win(score) {
        1.0
    } else if score::is_loss(score) {
        0.0
    } else {
        1.0 / (1.0 + (-f64::from(score) / f64::from(POINTS_PER_LOGIT)).exp())
    }
}

/// The number of own moves, this one included, after which a proved win is complete; negative for
/// a proved loss, counted in the opponent's moves. `None` for an evaluation.
pub(super) fn moves_to_win(score: Score) -> Option<i32> {
    let moves = (score::mate_distance(score)? + 1) / 2;
    Some(if score::is_win(score) { moves } else { -moves })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::games;
    use crate::types::Size;
    use crate::types::score::{loss_in, win_in};

    fn game(text: &str) -> Game {
        games(text.as_bytes(), Size::square(15))
            .remove(0)
            .expect(text)
    }

    #[test]
    fn a_game_ends_where_it_is_decided() {
        for (text, rule, moves, end) in [
            (
                "h8a1h9a3h10a5h11a7h12a9",
                RuleKind::Freestyle,
                9,
                End::Five(Colour::Black),
            ),
            (
                "a1h8a3h9a5h10a7h11c1h12",
                RuleKind::Renju,
                10,
                End::Five(Colour::White),
            ),
            ("h8a1h9a3f10a5g10a7h10a9", RuleKind::Renju, 9, End::Foul),
            ("h8a1h9a3f10a5g10a7h10a9", RuleKind::Standard, 10, End::Open),
            ("{\"moves\":\"\"}", RuleKind::Caro, 0, End::Open),
        ] {
            let course = Course::of(&game(text), rule);
            assert_eq!((course.moves, course.end), (moves, end), "{text} {rule}");
            assert_eq!(course.positions(), moves + usize::from(end == End::Open));
        }
    }

    #[test]
    fn marks_follow_the_chance_given_away() {
        let kind = |before, after| mark(before, after).map(|mark| (mark.kind, mark.proved));
        assert_eq!(kind(0, -100), None);
        assert_eq!(kind(0, -160), Some((MarkKind::Mistake, false)));
        assert_eq!(kind(100, -300), Some((MarkKind::Blunder, false)));
        assert_eq!(kind(0, loss_in(5)), Some((MarkKind::Blunder, true)));
        assert_eq!(kind(600, 0), Some((MarkKind::MissedWin, false)));
        assert_eq!(kind(win_in(7), 0), Some((MarkKind::MissedWin, true)));
        assert_eq!(
            kind(win_in(7), loss_in(4)),
            Some((MarkKind::MissedWin, true))
        );
        assert_eq!(kind(win_in(7), 500), Some((MarkKind::MissedWin, true)));
        // A slower win is a win, and who was lost before loses nothing.
        assert_eq!(kind(win_in(3), win_in(20)), None);
        assert_eq!(kind(win_in(3), 900), None);
        assert_eq!(kind(loss_in(4), loss_in(2)), None);
        assert_eq!(kind(-900, loss_in(3)), None);
    }

    #[test]
    fn the_expected_move_is_never_blamed_and_the_mover_sees_the_scores() {
        let game = game("h8h9h10");
        let course = Course::of(&game, RuleKind::Freestyle);
        let report = |score, best: &str| Report {
            score,
            line: vec![Point::parse(best, Size::square(15)).expect("a point")],
            ..Report::default()
        };
        let reports = [
            report(0, "h8"),
            report(400, "a1"),
            report(500, "a1"),
            report(win_in(3), "a1"),
        ];
        let review = Review::new(&game, course, &reports);
        let scores: Vec<_> = review.moves.iter().map(|m| (m.before, m.after)).collect();
        assert_eq!(scores, [(0, -400), (400, -500), (500, loss_in(3))]);
        let marks: Vec<_> = review.moves.iter().map(|m| m.mark).collect();
        let blunder = |proved| {
            Some(Mark {
                kind: MarkKind::Blunder,
                proved,
            })
        };
        assert_eq!(marks, [None, blunder(false), blunder(true)]);
        let chances = review.chances();
        assert_eq!(chances.len(), 4);
        assert!((chances[0] - 0.5).abs() < 1e-9 && chances[3].abs() < 1e-9);
        assert!(chances[1] < 0.2 && chances[2] > 0.8);
    }

    /// The scores of four positions of a game whose moves are 0, 1 and 2, given each one's score and first move of
    /// the best line.
    fn shared(found: [(Score, u8); 4]) -> Vec<Score> {
        let point = |x| Point::new(x, 0);
        let reports = found.map(|(score, best)| Report {
            score,
            line: vec![point(best), point(best + 1), point(best + 2)],
            ..Report::default()
        });
        share_proofs(&[0, 1, 2].map(point), &reports)
            .iter()
            .map(|verdict| verdict.score)
            .collect()
    }

    #[test]
    fn a_proof_holds_while_its_line_is_followed() {
        let expected = [win_in(9), loss_in(8), win_in(7), loss_in(6)];
        assert_eq!(
            shared([(win_in(9), 0), (50, 8), (60, 8), (70, 8)]),
            expected
        );
        // What a search proved by itself stands.
        let own = [win_in(9), loss_in(4), win_in(3), 70];
        assert_eq!(
            shared([(own[0], 0), (own[1], 8), (own[2], 8), (own[3], 8)]),
            own
        );
        // Off the line nothing is known.
        let lost = [win_in(9), 50, 60, 70];
        assert_eq!(
            shared([(lost[0], 8), (lost[1], 1), (lost[2], 2), (lost[3], 3)]),
            lost
        );
    }

    #[test]
    fn a_move_that_wins_shows_that_its_position_was_won() {
        let scores = shared([(-40, 8), (20, 8), (30, 8), (loss_in(6), 8)]);
        assert_eq!(scores, [-40, 20, win_in(7), loss_in(6)]);
        // That the side to move is lost says nothing of what else the other side could have played.
        let scores = shared([(-40, 8), (20, 8), (win_in(7), 8), (60, 8)]);
        assert_eq!(scores, [-40, 20, win_in(7), 60]);
    }

    #[test]
    fn proofs_are_counted_in_moves() {
        for (score, moves) in [
            (win_in(1), Some(1)),
            (win_in(7), Some(4)),
            (loss_in(2), Some(-1)),
            (loss_in(8), Some(-4)),
            (WIN, Some(0)),
            (250, None),
        ] {
            assert_eq!(moves_to_win(score), moves);
        }
    }
}
