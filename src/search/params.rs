//! Margins of the search, each named, documented, with the range it may be tuned in.
//!
//! Units: points of evaluation, plies, or 1/1024 ply; orders of moves are in hundredths of a nat of
//! the policy. [`Params`] holds the numbers, its methods the formulas that use them. They are constants,
//! unless the crate is built with the feature `tune`: then `pbrain-quincunx tune` plays sets of them against each other
//! and moves them by games (SPSA). The search itself always uses [`Params::DEFAULT`].

use crate::pattern::Threat;

macro_rules! params {
    ($($(#[doc = $doc:literal])* $name:ident: $default:literal, $min:literal, $max:literal;)*) => {
        /// The numbers; see the [module](self).
        #[cfg(feature = "tune")]
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) struct Params {
            $($name: i32,)*
        }

        /// The numbers, all constant; see the [module](self).
        #[cfg(not(feature = "tune"))]
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) struct Params;

        #[cfg_attr(
            not(feature = "tune"),
            allow(
                clippy::unused_self,
                clippy::trivially_copy_pass_by_ref,
                reason = "with the feature the numbers are fields"
            )
        )]
        impl Params {
            /// What the search uses.
            #[cfg(feature = "tune")]
            pub(crate) const DEFAULT: Self = Self { $($name: $default,)* };
            /// What the search uses.
            #[cfg(not(feature = "tune"))]
            pub(crate) const DEFAULT: Self = Self;

            $($(#[doc = $doc])*
            #[must_use]
            #[inline]
            pub(crate) const fn $name(&self) -> i32 {
                #[cfg(feature = "tune")]
                return self.$name;
                #[cfg(not(feature = "tune"))]
                return $default;
            })*
        }

        /// Name, default, least and greatest value of each parameter.
        #[cfg(feature = "tune")]
        pub(crate) const RANGES: &[(&str, i32, i32, i32)] =
            &[$((stringify!($name), $default, $min, $max),)*];

        #[cfg(feature = "tune")]
        impl Params {
            /// The parameter called `name`.
            pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }

        const _: () = {
            $(assert!($min <= $default && $default <= $max, stringify!($name));)*
        };
    };
}

params! {
    /// Half the first aspiration window, in points.
    aspiration: 22, 5, 100;
    /// Deepest nodes that are razored, in plies.
    razor_depth: 2, 0, 8;
    /// Razoring: points below alpha that only fours could make up, at depth 0.
    razor_base: 150, 0, 600;
    /// Razoring: further points per ply.
    razor_slope: 40, 0, 300;
    /// Deepest nodes that reverse futility cuts, in plies.
    reverse_depth: 6, 0, 12;
    /// Reverse futility: points above beta that the opponent cannot make up, at depth 0.
    reverse_base: 25, 0, 400;
    /// Reverse futility: further points per ply.
    reverse_slope: 47, 10, 200;
    /// Points above beta at which the tables alone are trusted where the evaluation would be.
    lazy_margin: 120, 0, 20000;
    /// Greatest remaining depth at which futility skips quiet moves, in plies.
    futility_depth: 9, 0, 12;
    /// Futility: points that a quiet move cannot gain, at depth 0.
    futility_base: 205, 0, 400;
    /// Futility: further points per ply.
    futility_slope: 43, 10, 200;
    /// Moves that are tried at depth 0, in 1/16 of a move.
    count_base: 80, 0, 256;
    /// Further moves per square of the depth, in 1/16 of a move.
    count_slope: 9, 1, 40;
    /// Share of that when the evaluation is not improving, in 1/16.
    count_worsening: 8, 2, 16;
    /// Late moves: reduction of all, in 1/1024 ply.
    late_base: 200, -1000, 1400;
    /// Late moves: reduction per product of the logarithms (base 2) of depth and count.
    late_slope: 500, 100, 1100;
    /// Late moves: what quiet moves are reduced more than others, in 1/1024 ply.
    late_quiet: 0, 0, 3000;
    /// Late moves: further reduction at cut nodes.
    late_cut: 2100, 0, 3000;
    /// Late moves: less reduction on the principal variation.
    late_pv: 1680, 0, 3000;
    /// Late moves: further reduction when the evaluation is not improving.
    late_worsening: 20, 0, 2000;
    /// Late moves: less reduction per 1024 of history.
    late_history: 100, 0, 1000;
    /// Late moves: reduction per nat that the order lies behind the best.
    late_order: 165, 0, 500;
    /// Least depth at which a node without a table move is searched less deep, in plies.
    internal_depth: 3, 2, 12;
    /// What a unit of history adds to the order, in 1/1024.
    history_weight: 44, 0, 200;
    /// Order of a killer.
    killer_order: 180, 0, 400;
    /// Order of the reply that refuted the last move before.
    reply_order: 100, 0, 400;
    /// Order of an open three.
    three_order: 85, 0, 400;
    /// Order of a double three.
    double_three_order: 350, 0, 800;
    /// Order of a plain four.
    four_order: 130, -200, 600;
    /// Order of a four that makes more.
    four_plus_order: 360, -200, 800;
    /// Least depth at which the table's move is tested for being much better than the others, in plies.
    singular_depth: 12, 4, 30;
    /// By how much it has to be better, in quarters of a point per ply of depth.
    singular_slope: 8, 0, 40;
    /// Share of the nodes that look for a VCT of the side to move, and as many for one of the opponent after
    /// the best move, in 1/64. (Another team found an eighth in all right and a quarter harmful.)
    vct_share: 4, 0, 32;
    /// Least depth at which a loss is proved against fours that only delay, too, in plies; on the principal
    /// variation it always is.
    proof_depth: 6, 1, 100;
    /// Nodes that a VCF at a leaf may enter.
    vcf_leaf: 8, 0, 200;
    /// Greatest depth at which a reply to the threat of a straight four costs no depth, in plies.
    reply_depth: 3, 0, 20;
}

/// Depth from which iterations use an aspiration window, in plies.
pub(super) const ASPIRATION_DEPTH: i32 = 5;
/// Attacker moves of a VCF at a leaf.
pub(super) const LEAF_VCF_MOVES: u8 = 12;
/// Nodes that the VCF before the first iteration may enter.
pub(super) const ROOT_VCF_NODES: u64 = 60_000;
/// Attacker moves of the VCF before the first iteration.
pub(super) const ROOT_VCF_MOVES: u8 = 60;

/// Nodes below which that is not worth starting.
pub(super) const VCT_LEAST: u64 = 500;

impl Params {
    /// An evaluation this far below alpha at `depth` is trusted unless a VCF says otherwise.
    pub(super) const fn razor_margin(&self, depth: i32) -> i32 {
        self.razor_base() + self.razor_slope() * depth
    }

    /// An evaluation this far above beta is trusted at `depth`.
    pub(super) const fn reverse_margin(&self, depth: i32, improving: bool) -> i32 {
        self.reverse_base() + self.reverse_slope() * (depth - improving as i32)
    }

    /// A quiet move with `depth` plies left cannot gain more than this.
    pub(super) const fn futility_margin(&self, depth: i32) -> i32 {
        self.futility_base() + self.futility_slope() * depth
    }

    /// After this many moves at `depth` the rest of the quiet ones are skipped.
    pub(super) const fn count_limit(&self, depth: i32, improving: bool) -> i32 {
        let limit = self.count_base() + self.count_slope() * depth * depth;
        (if improving {
            limit
        } else {
            limit * self.count_worsening() / 16
        }) / 16
    }

    /// What the `count`-th move at `depth` is reduced before adjustments, in 1/1024 ply.
    pub(super) const fn late_reduction(&self, depth: i32, count: i32) -> i32 {
        self.late_base() + ((log2(depth) * log2(count)) >> 10) * self.late_slope() / 1024
    }

    /// What making a threat adds to the order of a move.
    pub(super) const fn threat_order(&self, threat: Threat) -> i32 {
        match threat {
            Threat::Three | Threat::ThreePlus => self.three_order(),
            Threat::DoubleThree => self.double_three_order(),
            Threat::Four => self.four_order(),
            Threat::FourPlus => self.four_plus_order(),
            Threat::FourThree => self.four_plus_order() + 200,
            Threat::DoubleFour | Threat::OpenFour | Threat::Five => 1000,
            _ => 0,
        }
    }
}

/// The logarithm to base 2 of `n` in 1/1024, by a table: the same on every CPU.
const fn log2(n: i32) -> i32 {
    const TABLE: [i32; 256] = {
        let mut table = [0; 256];
        let mut n = 1;
        while n < 256 {
            // Whole part, then ten more binary places by repeated squaring.
            let whole = (n as u64).ilog2();
            let mut mantissa = ((n as u64) << 31) >> whole;
            let mut result = whole.cast_signed();
            let mut place = 0;
            while place < 10 {
                mantissa = (mantissa * mantissa) >> 31;
                result *= 2;
                if mantissa >> 32 != 0 {
                    mantissa >>= 1;
                    result += 1;
                }
                place += 1;
            }
            table[n] = result;
            n += 1;
        }
        table
    };
    TABLE[if n < 1 {
        1
    } else if n > 255 {
        255
    } else {
        n.cast_unsigned() as usize
    }]
}
