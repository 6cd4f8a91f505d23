//! Hand-made tables: plausible numbers, to be replaced by fitted ones.

use std::sync::LazyLock;

use super::Weights;
use crate::pattern::{Class, Key, Threat};
use crate::rule::RuleKind;
use crate::types::{ByColour, Colour};

static WEIGHTS: [LazyLock<Weights>; 5] = [
    LazyLock::new(|| build(RuleKind::Freestyle)),
    LazyLock::new(|| build(RuleKind::Standard)),
    LazyLock::new(|| build(RuleKind::Renju)),
    LazyLock::new(|| build(RuleKind::Caro)),
    LazyLock::new(|| build(RuleKind::CaroExact)),
];

/// The hand-made tables for `rule`.
#[must_use]
pub fn weights(rule: RuleKind) -> &'static Weights {
    &WEIGHTS[rule.index()]
}

/// Points for one line of an empty cell. Index: class.
const CLASS_POINTS: [i32; 15] = [0, 0, 1, 3, 4, 9, 11, 13, 12, 26, 30, 26, 30, 60, 80];

fn build(rule: RuleKind) -> Weights {
    let cells = Colour::ALL.map(|colour| {
        (0..=u16::MAX)
            .map(|key| cell_points(Key(key), rule.has_fouls(colour)))
            .collect::<Box<[i16]>>()
    });
    let mut own_threats = [0; Threat::COUNT];
    let mut opponent_threats = [0; Threat::COUNT];
    for (threat, own, opponent) in [
        (Threat::SleepingThreePlus, 2, 1),
        (Threat::Three, 4, 2),
        (Threat::ThreePlus, 10, 4),
        (Threat::DoubleThree, 60, 16),
        (Threat::Four, 6, 2),
        (Threat::FourPlus, 18, 6),
        (Threat::FourThree, 200, 60),
        (Threat::DoubleFour, 500, 150),
        (Threat::OpenFour, 500, 120),
    ] {
        own_threats[threat.index()] = own;
        opponent_threats[threat.index()] = opponent;
    }
    Weights {
        cells: ByColour(cells),
        own_threats,
        opponent_threats,
        tempo: 20,
    }
}

fn cell_points(key: Key, restricted: bool) -> i16 {
    let classes = key.classes();
    let lines: i32 = classes
        .iter()
        .map(|&class| CLASS_POINTS[class as usize])
        .sum();
    let threat = if restricted {
        Threat::of_restricted(key)
    } else {
        Threat::of(key)
    };
    // Lines that help each other on one cell are worth more than their sum.
    let together = match threat {
        Threat::Foul => -lines / 2,
        Threat::DoubleTwo | Threat::SleepingThreePlus => 8,
        Threat::ThreePlus | Threat::FourPlus => 14,
        Threat::DoubleThree => 50,
        Threat::FourThree => 80,
        Threat::DoubleFour => 100,
        Threat::OpenFour => 60,
        _ => 0,
    };
    let open_ones = classes
        .iter()
        .filter(|&&class| class >= Class::OpenOne)
        .count();
    let many = i32::try_from(open_ones.saturating_sub(1)).unwrap_or(0);
    i16::try_from(lines + together + many).unwrap_or(i16::MAX)
}
