//! The answers that make up a proof, to be shown.

use super::entry::Numbers;
use super::fight::{Fight, Reply};
use super::locale::Locale;
use super::prove::Prover;
use crate::game::point::Move;

/// How many moves are shown of the side that cannot help it, at its first turn; half as many at each further one.
const WIDEST: usize = 8;
/// Moves of the longest line.
const LONGEST: usize = 24;

/// A move and what may follow it; colours alternate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The move.
    pub mv: Move,
    /// The moves that answer it: of the side that succeeds one, of the other its most stubborn ones.
    pub answers: Vec<Branch>,
}

/// The answers from a position on that is proved; `proves` says whether the prover is to move.
pub(super) fn grow(
    prover: &Prover<'_>,
    locale: &Locale,
    fight: &Fight,
    proves: bool,
) -> Vec<Branch> {
    answers(prover, locale, fight, proves, [WIDEST, LONGEST])
}

fn answers(
    prover: &Prover<'_>,
    locale: &Locale,
    fight: &Fight,
    proves: bool,
    [widest, longest]: [usize; 2],
) -> Vec<Branch> {
    if longest == 0 {
        return Vec::new();
    }
    let proved = |reply: Reply| {
        let known = prover.known(&reply.fight).filter(|known| known.proof == 0);
        known.map(|Numbers { work, .. }| (work, reply))
    };
    let mut replies: Vec<(u32, Reply)> = (prover.replies(fight).into_iter())
        .filter_map(proved)
        .collect();
    let (width, next) = if proves {
        (1, widest)
    } else {
        replies.sort_by_key(|(work, _)| std::cmp::Reverse(*work));
        (widest, (widest / 2).max(1))
    };
    let branch = |(_, reply): (u32, Reply)| Branch {
        mv: reply
            .stone
            .map_or(Move::Pass, |stone| Move::Play(locale.point(stone))),
        answers: answers(prover, locale, &reply.fight, !proves, [next, longest - 1]),
    };
    replies.into_iter().take(width).map(branch).collect()
}
