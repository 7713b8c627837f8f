//! What the replies to a position say of it, and which of them is to be searched next.

use super::entry::{NEVER, Numbers};

/// The replies' numbers taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outlook {
    /// Those of the position.
    pub numbers: Numbers,
    /// The reply to be searched next, if one can help the side to move.
    pub next: Option<usize>,
    /// The number of the reply that comes after it, by which it is measured.
    pub rival: u32,
}

impl Outlook {
    /// Of a position where the prover is to move, or the other side. Next is the reply that is easiest for that side;
    /// where a thread is at it, another that is about as easy, if it is within that side's limit.
    pub fn of(replies: &[Numbers], own_move: bool, limit: u32) -> Self {
        let mut sum = 0_u32;
        let [mut first, mut free] = [Choice::NONE; 2];
        for (
            at,
            &Numbers {
                proof,
                disproof,
                busy,
                ..
            },
        ) in replies.iter().enumerate()
        {
            let (easy, hard) = if own_move {
                (proof, disproof)
            } else {
                (disproof, proof)
            };
            // A sum of large numbers is not yet "never".
            let most = if hard == NEVER || sum == NEVER {
                NEVER
            } else {
                NEVER - 1
            };
            sum = sum.saturating_add(hard).min(most);
            first.offer(at, easy, easy);
            free.offer(at, easy, if busy { detour(easy) } else { easy });
        }
        let least = first.easy;
        let (proof, disproof) = if own_move { (least, sum) } else { (sum, least) };
        let choice = if free.easy < limit { free } else { first };
        Self {
            numbers: Numbers::new(proof, disproof),
            next: choice.at,
            rival: choice.rival,
        }
    }
}

/// How hard a reply must be for a thread to go into one of this number that another is at.
fn detour(easy: u32) -> u32 {
    if easy == NEVER {
        NEVER
    } else {
        (2 * easy + 1).min(NEVER - 1)
    }
}

/// The reply of the least weight, and the weight of the next.
#[derive(Clone, Copy)]
struct Choice {
    at: Option<usize>,
    /// Its number.
    easy: u32,
    weight: u32,
    rival: u32,
}

impl Choice {
    const NONE: Self = Self {
        at: None,
        easy: NEVER,
        weight: NEVER,
        rival: NEVER,
    };

    fn offer(&mut self, at: usize, easy: u32, weight: u32) {
        if weight < self.weight {
            *self = Self {
                at: Some(at),
                easy,
                weight,
                rival: self.weight,
            };
        } else {
            self.rival = self.rival.min(weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlook(replies: &[(u32, u32, bool)], own_move: bool, limit: u32) -> Outlook {
        let numbers = |&(proof, disproof, busy): &(u32, u32, bool)| Numbers {
            busy,
            ..Numbers::new(proof, disproof)
        };
        let replies: Vec<_> = replies.iter().map(numbers).collect();
        Outlook::of(&replies, own_move, limit)
    }

    #[test]
    fn the_easiest_reply_decides_for_the_side_to_move() {
        let replies = [(5, 3, false), (2, 9, false), (4, 1, false)];
        let expected = |numbers, next, rival| Outlook {
            numbers,
            next: Some(next),
            rival,
        };
        assert_eq!(
            outlook(&replies, true, NEVER),
            expected(Numbers::new(2, 13), 1, 4)
        );
        assert_eq!(
            outlook(&replies, false, NEVER),
            expected(Numbers::new(11, 1), 2, 3)
        );
    }

    #[test]
    fn what_is_decided_decides() {
        let won = outlook(&[(7, 7, false), (0, NEVER, false)], true, NEVER);
        assert_eq!(won.numbers, Numbers::decided(true));
        let lost = outlook(&[(NEVER, 0, false), (NEVER, 0, false)], true, NEVER);
        assert_eq!((lost.numbers, lost.next), (Numbers::decided(false), None));
        let none = outlook(&[], false, NEVER);
        assert_eq!((none.numbers, none.next), (Numbers::decided(true), None));
        let large = outlook(&[(1, NEVER - 1, false), (1, NEVER - 1, false)], true, NEVER);
        assert_eq!(large.numbers.disproof, NEVER - 1, "not yet never");
    }

    #[test]
    fn where_others_are_another_is_as_good() {
        let next =
            |others: (u32, u32, bool), limit| outlook(&[(2, 9, true), others], true, limit).next;
        assert_eq!(next((4, 9, false), NEVER), Some(1));
        assert_eq!(next((6, 9, false), NEVER), Some(0), "much harder");
        assert_eq!(next((4, 9, false), 4), Some(0), "beyond the limit");
        assert_eq!(next((3, 9, true), NEVER), Some(0), "others are at both");
        let numbers = outlook(&[(2, 9, true), (4, 9, false)], true, NEVER).numbers;
        assert_eq!(numbers, Numbers::new(2, 18), "what is known is the same");
    }
}
