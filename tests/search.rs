//! What the search promises: the same answer every time, mates that are there, and lines of
//! analysis with scores that are their own.
//!
//! A win or loss that the search announces is taken at its word: the position is played on, the
//! winner with the engine, the loser with every kind of reply, under the eye of the oracle.

use quincunx::board::{Board, NoObserver};
use quincunx::foul;
use quincunx::movegen::is_legal;
use quincunx::rule::{RuleKind, oracle};
use quincunx::search::{Control, Limits, Report, Searcher, Unattended};
use quincunx::types::{Point, PointSet, Size, SplitMix64, score};

fn search(searcher: &mut Searcher, board: &mut Board, nodes: u64) -> Report {
    let limits = Limits {
        max_nodes: Some(nodes),
        ..Limits::default()
    };
    searcher.think(board, &limits, &mut Unattended)
}

/// A position of `stones` legal moves near each other without a five.
fn random_position(rule: RuleKind, size: Size, stones: usize, rng: &mut SplitMix64) -> Board {
    'again: loop {
        let mut board = Board::new(size, rule);
        for _ in 0..stones {
            let mover = board.side();
            let near: Vec<Point> = board.candidates().iter().collect();
            let point = near[rng.below(near.len())];
            if !is_legal(&mut board, point, mover)
                || oracle::wins(rule, &board.to_grid(), mover, point)
            {
                continue 'again;
            }
            board.play(point, &mut NoObserver);
        }
        return board;
    }
}

#[test]
fn the_same_search_gives_the_same_answer() {
    let mut rng = SplitMix64::new(46);
    for rule in RuleKind::ALL {
        let mut board = random_position(rule, Size::square(15), 8, &mut rng);
        let before = board.hash();
        let mut searcher = Searcher::new(1 << 20);
        let first = search(&mut searcher, &mut board, 20_000);
        assert_eq!(board.hash(), before, "the board is left as it was");
        for _ in 0..3 {
            searcher.new_game();
            assert_eq!(search(&mut searcher, &mut board, 20_000), first, "{rule}");
        }
        let mut fresh = Searcher::new(1 << 20);
        assert_eq!(search(&mut fresh, &mut board, 20_000), first, "{rule}");
    }
}

#[test]
fn a_node_limit_is_kept() {
    let mut board = random_position(
        RuleKind::Freestyle,
        Size::square(20),
        10,
        &mut SplitMix64::new(5),
    );
    for nodes in [1, 500, 5_000, 50_000] {
        let report = search(&mut Searcher::new(1 << 20), &mut board, nodes);
        assert!(!report.line.is_empty());
        // Between two looks at the limit lie a few hundred nodes and a VCF or two.
        assert!(report.nodes <= nodes + 5_000, "{nodes}: {}", report.nodes);
    }
}

/// Plays on from a position that the side to move is said to win within `plies`. The loser's
/// replies are chosen by `reply`.
fn play_out(mut board: Board, mut plies: i32, reply: &mut dyn FnMut(&mut Board) -> Option<Point>) {
    let start = board.to_grid();
    let rule = board.rule();
    let mut searcher = Searcher::new(1 << 20);
    loop {
        let side = board.side();
        let report = search(&mut searcher, &mut board, 60_000);
        assert!(
            score::is_win(report.score),
            "{rule}: a win within {plies} plies is gone at\n{}that began at\n{start}",
            board.to_grid()
        );
        let point = report.line[0];
        assert!(
            is_legal(&mut board, point, side),
            "{rule}: {point} is foul in\n{}",
            board.to_grid()
        );
        if oracle::wins(rule, &board.to_grid(), side, point) {
            return;
        }
        board.play(point, &mut NoObserver);
        let Some(answer) = reply(&mut board) else {
            return; // The loser has no legal reply.
        };
        let winner = oracle::wins(rule, &board.to_grid(), !side, answer);
        assert!(
            !winner,
            "{rule}: the loser wins by {answer} in\n{}",
            board.to_grid()
        );
        board.play(answer, &mut NoObserver);
        plies -= 2;
        assert!(plies > -20, "{rule}: no end to\n{start}");
    }
}

/// The loser's best reply by the engine, or a random legal point near stones.
fn any_reply(board: &mut Board, rng: &mut SplitMix64) -> Option<Point> {
    let side = board.side();
    if rng.below(3) > 0 {
        let point = *search(&mut Searcher::new(1 << 18), board, 2_000)
            .line
            .first()?;
        return is_legal(board, point, side).then_some(point);
    }
    let candidates = board.candidates();
    let legal: Vec<Point> = candidates
        .iter()
        .filter(|&point| is_legal(board, point, side))
        .collect();
    (!legal.is_empty()).then(|| legal[rng.below(legal.len())])
}

#[test]
fn announced_wins_are_won() {
    let mut rng = SplitMix64::new(6);
    for rule in RuleKind::ALL {
        let mut wins = 0;
        for i in 0..60 {
            let size = Size::square(if i % 3 == 0 { 11 } else { 15 });
            let stones = 8 + rng.below(24);
            let mut board = random_position(rule, size, stones, &mut rng);
            let report = search(&mut Searcher::new(1 << 20), &mut board, 10_000);
            if score::is_win(report.score) {
                wins += 1;
                let plies = score::mate_distance(report.score).expect("a win has a distance");
                play_out(board, plies, &mut |board| any_reply(board, &mut rng));
            }
        }
        assert!(wins >= 5, "{rule}: only {wins} announced wins to look at");
    }
}

#[test]
fn announced_losses_are_lost_whatever_the_reply() {
    let mut rng = SplitMix64::new(7);
    for rule in RuleKind::ALL {
        let mut losses = 0;
        for _ in 0..60 {
            let stones = 7 + 2 * rng.below(10);
            let mut board = random_position(rule, Size::square(12), stones, &mut rng);
            let report = search(&mut Searcher::new(1 << 20), &mut board, 10_000);
            if !score::is_loss(report.score) {
                continue;
            }
            losses += 1;
            let side = board.side();
            let empty = *board.empty();
            for point in &empty {
                if foul::is_foul(&mut board, point) && rule.has_fouls(side) {
                    continue;
                }
                let mut child = board.clone();
                child.play(point, &mut NoObserver);
                let answer = search(&mut Searcher::new(1 << 20), &mut child, 100_000);
                assert!(
                    score::is_win(answer.score),
                    "{rule}: said to be lost, but {point} saves\n{}",
                    board.to_grid()
                );
            }
        }
        assert!(
            losses >= 2,
            "{rule}: only {losses} announced losses to look at"
        );
    }
}

/// Keeps the lines of the last iteration that has all.
#[derive(Default)]
struct Lines {
    growing: Vec<Report>,
    complete: Vec<Report>,
}

impl Control for Lines {
    fn should_stop(&mut self, _: u64) -> bool {
        false
    }

    fn iteration(&mut self, report: &Report) -> bool {
        if report.rank == 0 {
            self.growing.clear();
        }
        self.growing.push(report.clone());
        if self.growing.len() == report.lines as usize {
            self.complete.clone_from(&self.growing);
        }
        true
    }
}

fn lines(board: &mut Board, lines: u32, nodes: u64) -> Vec<Report> {
    let limits = Limits {
        max_nodes: Some(nodes),
        lines,
        ..Limits::default()
    };
    let mut heard = Lines::default();
    Searcher::new(1 << 20).think(board, &limits, &mut heard);
    heard.complete
}

#[test]
fn every_line_has_a_score_of_its_own() {
    let mut rng = SplitMix64::new(8);
    let (mut wins, mut losses, mut open) = (0, 0, 0);
    for rule in RuleKind::ALL {
        for i in 0..6 {
            let stones = 6 + rng.below(14);
            let mut board = random_position(rule, Size::square(11), stones, &mut rng);
            if i % 2 == 1 {
                // A stone too many for the opponent: threats to answer, moves that lose.
                board.set_side(!board.side());
            }
            let side = board.side();
            let grid = board.to_grid();
            let wanted = [2, 5, u32::MAX][i % 3];
            let lines = lines(&mut board, wanted, 40_000);
            let empty = *board.empty();
            let mut legal = Vec::new();
            for point in &empty {
                if is_legal(&mut board, point, side) {
                    legal.push(point);
                }
            }
            assert_eq!(
                lines.len(),
                legal.len().min(wanted as usize),
                "{rule}\n{grid}"
            );
            assert!(lines.is_sorted_by_key(|line| -line.score), "{rule}\n{grid}");
            let mut seen = PointSet::EMPTY;
            for (rank, line) in (0..).zip(&lines) {
                assert_eq!(line.rank, rank);
                let point = line.line[0];
                assert!(legal.contains(&point) && !seen.contains(point));
                seen.insert(point);
                let five = oracle::wins(rule, &grid, side, point);
                assert_eq!(
                    five,
                    line.score == score::win_in(1),
                    "{rule} {point}\n{grid}"
                );
                if five {
                    continue;
                }
                let mut child = board.clone();
                child.play(point, &mut NoObserver);
                // One of each kind is enough: the last win that a short search can confirm, the first loss.
                let next = lines.get(rank as usize + 1).map_or(0, |line| line.score);
                let near = |value| value >= score::win_in(5);
                let last = rank > 0 && !score::is_loss(lines[rank as usize - 1].score);
                if score::is_loss(line.score) && last {
                    losses += 1;
                    let answer = search(&mut Searcher::new(1 << 20), &mut child, 100_000);
                    assert!(score::is_win(answer.score), "{rule} {point} holds\n{grid}");
                } else if near(line.score) && !near(next) {
                    wins += 1;
                    let answer = search(&mut Searcher::new(1 << 20), &mut child, 100_000);
                    assert!(
                        score::is_loss(answer.score),
                        "{rule} {point} wins not\n{grid}"
                    );
                } else if !score::is_decisive(line.score) {
                    open += 1;
                }
            }
        }
    }
    assert!(
        wins > 2 && losses > 2 && open > 99,
        "{wins} {losses} {open}"
    );
}

#[test]
fn excluded_points_are_not_played_while_there_are_others() {
    let mut rng = SplitMix64::new(9);
    for rule in RuleKind::ALL {
        let mut board = random_position(rule, Size::square(9), 16, &mut rng);
        let side = board.side();
        let empty = *board.empty();
        let legal = empty
            .iter()
            .filter(|&point| is_legal(&mut board, point, side))
            .count();
        let mut limits = Limits {
            max_nodes: Some(2_000),
            ..Limits::default()
        };
        for lines in [1, 3] {
            limits.lines = lines;
            limits.excluded = PointSet::EMPTY;
            for _ in 0..legal {
                let report = Searcher::new(1 << 18).think(&mut board, &limits, &mut Unattended);
                let point = report.line[0];
                assert!(!limits.excluded.contains(point), "{rule} {point}");
                assert!(is_legal(&mut board, point, side), "{rule} {point}");
                limits.excluded.insert(point);
            }
            let report = Searcher::new(1 << 18).think(&mut board, &limits, &mut Unattended);
            assert!(is_legal(&mut board, report.line[0], side), "{rule}");
        }
    }
}
