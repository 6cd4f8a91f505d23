//! Hand-made parameters: plausible numbers for rules without fitted ones, and where
//! a fit starts.

use super::combo::{COMBOS, combo};
use super::params::{self, MOST, TEMPO};
use crate::pattern::{Class, Key, Threat};
use crate::rule::RuleKind;
use crate::types::Colour;

/// Points for one line of an empty cell. Index: class.
const CLASS_POINTS: [i16; 15] = [0, 0, 1, 3, 4, 9, 11, 13, 12, 26, 30, 26, 30, 60, 80];

/// Points per point with a threat: of the side to move, of the opponent.
const THREAT_POINTS: [(Threat, i16, i16); 9] = [
    (Threat::SleepingThreePlus, 2, 1),
    (Threat::Three, 4, 2),
    (Threat::ThreePlus, 10, 4),
    (Threat::DoubleThree, 60, 16),
    (Threat::Four, 6, 2),
    (Threat::FourPlus, 18, 6),
    (Threat::FourThree, 200, 60),
    (Threat::DoubleFour, 500, 150),
    (Threat::OpenFour, 500, 120),
];

/// The hand-made parameters for `rule`; see [`params`] for the layout.
#[must_use]
pub(crate) fn parameters(rule: RuleKind) -> Vec<i16> {
    let mut values = vec![0; params::COUNT];
    for colour in Colour::ALL {
        let mut seen = [false; COMBOS];
        for key in (0..=u16::MAX).map(Key) {
            let combo = combo(key);
            if !std::mem::replace(&mut seen[combo], true) {
                let points = cell_points(key, rule.has_fouls(colour));
                values[params::own_cell(rule, colour, combo)] = points;
                values[params::opponent_cell(rule, colour, combo)] = -points;
            }
        }
    }
    for (threat, own, opponent) in THREAT_POINTS {
        for count in 0..=MOST {
            let times = i16::try_from(count).unwrap_or(0);
            values[params::own_threat(threat, count)] = own * times;
            values[params::opponent_threat(threat, count)] = -opponent * times;
        }
    }
    values[TEMPO] = 100;
    for colour in Colour::ALL {
        for key in (0..=u16::MAX).map(Key) {
            let threat = if rule.has_fouls(colour) {
                Threat::of_restricted(key)
            } else {
                Threat::of(key)
            };
            let points = cell_points(key, rule.has_fouls(colour)) * 2;
            let combo = combo(key);
            values[params::policy_own(rule, colour, combo)] = points + POLICY_OWN[threat.index()];
            values[params::policy_opponent(rule, colour, combo)] =
                points * 3 / 4 + POLICY_BLOCK[threat.index()];
        }
    }
    values
}

/// What making a threat adds to the policy. Index: threat of the mover.
const POLICY_OWN: [i16; Threat::COUNT] = [
    0, -200, 30, 42, 60, 70, 150, 190, 420, 160, 230, 600, 900, 950, 2000,
];
/// What taking a point of the opponent adds. Index: threat of the opponent there.
const POLICY_BLOCK: [i16; Threat::COUNT] = [
    0, -100, 22, 26, 46, 50, 90, 130, 300, 70, 110, 360, 500, 520, 1000,
];

fn cell_points(key: Key, restricted: bool) -> i16 {
    let classes = key.classes();
    let lines: i16 = classes
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
    let open = classes
        .iter()
        .filter(|&&class| class >= Class::OpenOne)
        .count();
    lines + together + i16::try_from(open.saturating_sub(1)).unwrap_or(0)
}
