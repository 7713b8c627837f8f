//! Small spaces within one chain: whether its owner can part them into two eyes, or the attacker kills inside (nakade).
//!
//! The chain holds together, and a stone that its owner adds joins it. So the space only ever gets smaller, no stone of
//! the owner's in it is taken alone, there is neither ko nor repetition, and a search of few positions decides.

use super::locale::Set;
use crate::tactics::patch::Patch;
use crate::tactics::patch::word::Word;

/// The most points of a space.
pub(super) const MOST: usize = 7;

/// The ways in which the points may each be empty, the owner's or the attacker's.
const STATES: usize = 3_usize.pow(MOST as u32);

/// Some points of a space, as bits in the order of their numbers.
type Points = u8;

/// A space within a chain.
#[derive(Debug)]
pub(super) struct Space {
    shape: Shape,
    start: Inside,
    /// The answers found: two bits a question.
    found: [u8; STATES],
}

/// What may be asked of a space.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// See [`Space::is_dead`].
    Dead,
    /// See [`Space::is_alive`].
    Alive,
    /// Whether the chain, with no liberty outside, is taken although its owner is to move.
    Dies,
    /// The same with the attacker to move.
    Taken,
}

impl Space {
    /// The space of these points, if it is small enough, with the attacker's stones among them.
    pub fn new(patch: &Patch<Set>, points: Set, others: Set) -> Option<Self> {
        if points.count() as usize > MOST {
            return None;
        }
        let inside = |set: Set| {
            let numbers = points.points().enumerate();
            let bit = |(at, number)| u8::from(set.meets(Set::point(number))) << at;
            numbers.map(bit).fold(0, |all, bit| all | bit)
        };
        let mut beside = [0; MOST];
        for (beside, number) in beside.iter_mut().zip(points.points()) {
            *beside = inside(patch.beside(Set::point(number)));
        }
        Some(Self {
            shape: Shape { beside },
            start: Inside {
                points: inside(points),
                others: inside(others),
            },
            found: [0; STATES],
        })
    }

    /// Whether the chain dies although its owner moves first, if the attacker need not fear for the stones around it:
    /// however many liberties it has outside, its owner gets no two eyes, and no seki.
    pub fn is_dead(&mut self) -> bool {
        self.answer(Question::Dead, self.start)
    }

    /// Whether the owner, with the second move, parts the space into two eyes though the chain has no liberty outside.
    pub fn is_alive(&mut self) -> bool {
        self.answer(Question::Alive, self.start)
    }

    /// The answer to a question about what is left, which is found once.
    fn answer(&mut self, question: Question, inside: Inside) -> bool {
        let (at, shift) = (inside.state(), 2 * question as u32);
        match self.found[at] >> shift & 3 {
            0 => {
                let answer = match question {
                    Question::Dead => self.find_dead(inside),
                    Question::Alive => self.find_alive(inside),
                    Question::Dies => self.find_dies(inside),
                    Question::Taken => self.find_taken(inside),
                };
                self.found[at] |= (2 + u8::from(answer)) << shift;
                answer
            }
            found => found == 3,
        }
    }

    fn find_dead(&mut self, inside: Inside) -> bool {
        let shape = self.shape;
        let mut is_dead = |after| self.answer(Question::Dead, after);
        !shape.can_be_parted(inside)
            && { shape.after_own(inside) }
                .all(|after| is_dead(after) || shape.after_other(after).any(&mut is_dead))
            && self.answer(Question::Dies, inside)
    }

    fn find_alive(&mut self, inside: Inside) -> bool {
        let shape = self.shape;
        let mut makes_eyes = |inside| {
            shape.after_own(inside).any(|after| {
                after.empty() != 0
                    && (shape.is_parted(after) || self.answer(Question::Alive, after))
            })
        };
        // With a single liberty the chain is taken.
        inside.empty().count_ones() > 1
            && makes_eyes(inside)
            && shape.after_other(inside).all(makes_eyes)
    }

    fn find_dies(&mut self, inside: Inside) -> bool {
        let shape = self.shape;
        let mut is_taken = |after| self.answer(Question::Taken, after);
        !shape.can_be_parted(inside)
            && is_taken(inside)
            // The owner may not fill the last liberty.
            && { shape.after_own(inside) }.all(|after| after.empty() == 0 || is_taken(after))
    }

    fn find_taken(&mut self, inside: Inside) -> bool {
        let shape = self.shape;
        let dies = |after| self.answer(Question::Dies, after);
        inside.empty().count_ones() <= 1 || shape.after_other(inside).any(dies)
    }
}

/// What of a space is left, and who is there.
#[derive(Clone, Copy, Debug)]
struct Inside {
    /// Its points that the owner has not played on.
    points: Points,
    /// Those of them with a stone of the attacker.
    others: Points,
}

impl Inside {
    const fn empty(self) -> Points {
        self.points & !self.others
    }

    /// Its number among all the ways in which points may be held, below [`STATES`].
    fn state(self) -> usize {
        let digit = |at: usize| usize::from((self.points >> at & 1) + (self.others >> at & 1));
        (0..MOST).fold(0, |number, at| 3 * number + digit(at))
    }
}

/// How the points of a space hang together.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// The points beside each.
    beside: [Points; MOST],
}

impl Shape {
    /// What the moves of the owner lead to.
    fn after_own(self, inside: Inside) -> impl Iterator<Item = Inside> {
        { inside.empty().points() }.map(move |at| self.with_own(inside, 1 << at))
    }

    /// What the moves of the attacker lead to, but those that leave its stones no liberty.
    fn after_other(self, inside: Inside) -> impl Iterator<Item = Inside> {
        { inside.empty().points() }.filter_map(move |at| self.with_other(inside, 1 << at))
    }

    fn with_own(self, inside: Inside, point: Points) -> Inside {
        let points = inside.points & !point;
        let (mut rest, mut standing) = (inside.others, 0);
        while rest != 0 {
            let chain = self.flood(rest & rest.wrapping_neg(), rest);
            rest &= !chain;
            if self.around(chain) & points & !inside.others != 0 {
                standing |= chain;
            }
        }
        Inside {
            points,
            others: standing,
        }
    }

    fn with_other(self, inside: Inside, point: Points) -> Option<Inside> {
        let after = Inside {
            others: inside.others | point,
            ..inside
        };
        let chain = self.flood(point, after.others);
        (self.around(chain) & after.empty() != 0).then_some(after)
    }

    /// Whether a single move of the owner makes two eyes.
    fn can_be_parted(self, inside: Inside) -> bool {
        self.after_own(inside).any(|after| self.is_parted(after))
    }

    /// Whether the points do not hang together any more.
    fn is_parted(self, Inside { points, .. }: Inside) -> bool {
        self.flood(points & points.wrapping_neg(), points) != points
    }

    /// What can be reached from the points by steps within `through`.
    fn flood(self, from: Points, through: Points) -> Points {
        let mut reached = from;
        loop {
            let grown = reached | self.around(reached) & through;
            if grown == reached {
                return reached;
            }
            reached = grown;
        }
    }

    /// The points beside these.
    fn around(self, points: Points) -> Points {
        let beside = |(at, beside): (usize, Points)| if points >> at & 1 == 1 { beside } else { 0 };
        (self.beside.into_iter().enumerate().map(beside)).fold(0, |all, beside| all | beside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Spaces along an edge, `.` empty and `O` the attacker's: whether they are dead, and whether they live.
    #[test]
    fn rows_and_bent_spaces() {
        for (rows, dead, alive) in [
            (["."].as_slice(), true, false),
            (&[".."], true, false),
            (&["..."], false, false),
            (&[".O."], true, false),
            (&["...."], false, true),
            (&[".OO."], true, false),
            (&["..", ".."], true, false),
            (&["...", "  ."], false, true),
            (&["...", " . "], false, false),
            (&[".O.", " . "], true, false),
        ] {
            let patch = Patch::new(7, 3).unwrap();
            let at = |wanted: &str| {
                let points = rows.iter().enumerate().flat_map(|(y, row)| {
                    let points = row.chars().enumerate();
                    points.map(move |(x, letter)| (x as u32, y as u32, letter))
                });
                points
                    .filter(|(.., letter)| wanted.contains(*letter))
                    .fold(Set::EMPTY, |set, (x, y, _)| {
                        set | Set::point(patch.number(x + 1, y + 1))
                    })
            };
            let mut space = Space::new(&patch, at(".O"), at("O")).unwrap();
            assert_eq!(
                (space.is_dead(), space.is_alive()),
                (dead, alive),
                "{rows:?}"
            );
        }
    }

    /// The points of a space, and those of them with a stone of the attacker.
    type Left = (Set, Set);

    /// What the moves of the owner, or else of the attacker, lead to.
    fn moves(patch: &Patch<Set>, (points, others): Left, owner: bool) -> Vec<Left> {
        let play = |number| {
            let (stone, mut after) = (Set::point(number), (points, others));
            if owner {
                after = (points & !stone, Set::EMPTY);
                let free = after.0 & !others;
                for chain in patch
                    .parts(others)
                    .filter(|chain| patch.beside(*chain).meets(free))
                {
                    after.1 |= chain;
                }
            } else {
                after.1 |= stone;
                let chain = patch.flood(stone, after.1);
                if !patch.beside(chain).meets(points & !after.1) {
                    return None;
                }
            }
            Some(after)
        };
        (points & !others).points().filter_map(play).collect()
    }

    fn can_be_parted(patch: &Patch<Set>, left: Left) -> bool {
        moves(patch, left, true)
            .iter()
            .any(|after| patch.parts(after.0).count() > 1)
    }

    fn dies(patch: &Patch<Set>, left: Left) -> bool {
        let taken = |left: Left| {
            let free = (left.0 & !left.1).count();
            free <= 1
                || moves(patch, left, false)
                    .into_iter()
                    .any(|after| dies(patch, after))
        };
        !can_be_parted(patch, left)
            && taken(left)
            && moves(patch, left, true)
                .into_iter()
                .all(|after| after.0 == after.1 || taken(after))
    }

    fn dead(patch: &Patch<Set>, left: Left) -> bool {
        !can_be_parted(patch, left)
            && moves(patch, left, true).into_iter().all(|after| {
                let mut answers = moves(patch, after, false).into_iter();
                dead(patch, after) || answers.any(|answer| dead(patch, answer))
            })
            && dies(patch, left)
    }

    fn alive(patch: &Patch<Set>, left: Left) -> bool {
        let eyes = |left: Left| {
            let parted = |after: Left| patch.parts(after.0).count() > 1 || alive(patch, after);
            moves(patch, left, true)
                .into_iter()
                .any(|after| after.0 != after.1 && parted(after))
        };
        (left.0 & !left.1).count() > 1
            && eyes(left)
            && moves(patch, left, false).into_iter().all(eyes)
    }

    #[test]
    fn remembered_answers_are_those_of_plain_recursion() {
        let patch = Patch::new(4, 3).unwrap();
        let mut rng = Rng::new(7);
        let mut counts = [0; 3];
        let any_point = |rng: &mut Rng| -> Set {
            let (column, row) = (rng.below(4) as u32, rng.below(3) as u32);
            Set::point(patch.number(column, row))
        };
        for _ in 0..2_000 {
            let mut points = any_point(&mut rng);
            for _ in 0..rng.below(20) {
                let next = any_point(&mut rng);
                let joins = patch.beside(next).meets(points);
                if joins && (points | next).count() <= 6 {
                    points |= next;
                }
            }
            let others = (points.points()).filter(|_| rng.below(3) == 0);
            let others = others.fold(Set::EMPTY, |set, number| set | Set::point(number));
            let mut space = Space::new(&patch, points, others).unwrap();
            let found = (space.is_dead(), space.is_alive());
            let left = (points, others);
            assert_eq!(found, (dead(&patch, left), alive(&patch, left)), "{left:?}");
            counts[usize::from(found.0) + 2 * usize::from(found.1)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }
}
