//! Random games, compared with the naive rules after every move.

use std::collections::{HashMap, HashSet};

use honinbo::game::benson::pass_alive;
use honinbo::game::color::Color;
use honinbo::game::point::{Move, Point};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::{MoveError, Position};
use honinbo::game::rules::{KoRule, Rules, Scoring};
use honinbo::game::score::count;
use honinbo::random::Rng;

use super::scores::naive_connections;
use crate::naive::bridge::{point, points, set_up};
use crate::naive::{After, Legality, NaiveBoard, NaiveGame, Place};

/// Every ko rule, with and without suicide.
fn rule_sets() -> Vec<Rules> {
    let mut sets = Vec::new();
    for ko in [KoRule::Simple, KoRule::Positional, KoRule::Situational] {
        for suicide in [false, true] {
            sets.push(Rules {
                ko,
                suicide,
                ..Rules::default()
            });
        }
    }
    sets
}

/// Checks that boards have the same hash exactly if they are equal.
#[derive(Default)]
struct Hashes {
    of_board: HashMap<NaiveBoard, u64>,
    of_hash: HashMap<u64, NaiveBoard>,
}

impl Hashes {
    fn check(&mut self, board: &NaiveBoard, hash: u64) {
        let known = *self.of_board.entry(board.clone()).or_insert(hash);
        assert_eq!(known, hash, "one board with two hashes");
        let known = self.of_hash.entry(hash).or_insert_with(|| board.clone());
        assert_eq!(known, board, "two boards with one hash");
    }
}

/// Numbers of cases covered, to make sure that every comparison has been exercised.
#[derive(Debug, Default)]
struct Coverage {
    captures: usize,
    suicides: usize,
    kos: usize,
    superkos: usize,
    alive: usize,
    attacked: usize,
}

/// A game under all rule sets simultaneously. All positions receive the same moves, whether legal under their rules
/// or not.
struct Game {
    naive: NaiveGame,
    positions: Vec<Position>,
}

impl Game {
    fn new(board: NaiveBoard, to_move: Color) -> Self {
        let start = set_up(&board);
        let position = |rules| Position::from_board(start.clone(), to_move, rules);
        Self {
            positions: rule_sets().into_iter().map(position).collect(),
            naive: NaiveGame::new(board, to_move),
        }
    }

    fn to_move(&self) -> Color {
        self.positions[0].to_move()
    }

    fn play(&mut self, color: Color, place: Option<Place>) {
        let mv = place.map_or(Move::Pass, |place| Move::Play(point(place)));
        let mut verdicts = vec![Legality::Legal; self.positions.len()];
        let mut ko = None;
        if let Some(place) = place {
            let after = self.naive.board.after(color, place);
            for (position, legality) in self.positions.iter().zip(&mut verdicts) {
                *legality = self.legality(position.rules(), color, &after);
            }
            ko = after.retaken_at(place).map(point);
        }
        for (position, legality) in self.positions.iter_mut().zip(verdicts) {
            let played = position.play(color, mv);
            assert_eq!(played.is_ok(), legality == Legality::Legal, "{played:?}");
            if played.is_err() {
                position.play_unchecked(color, mv);
            }
            assert_eq!(position.ko_for(color.opposite()), ko);
            assert_eq!(position.ko_for(color), None);
        }
        self.naive.play(color, place);
        for position in &self.positions {
            let has_no_result =
                position.rules().ko == KoRule::Simple && self.naive.occurrences() >= 3;
            assert_eq!(position.has_no_result(), has_no_result);
        }
    }

    fn legality(&self, rules: &Rules, color: Color, after: &After) -> Legality {
        self.naive.legality(rules.ko, rules.suicide, color, after)
    }

    /// Returns a random move of the side to move that is legal under the leading rules, or `None` for a pass. Usually
    /// avoids filling the side's eyes.
    fn random_move(&self, leading: usize, rng: &mut Rng) -> Option<Place> {
        let (board, color) = (&self.naive.board, self.to_move());
        let mut places = board.empty();
        rng.shuffle(&mut places);
        let may_fill_eyes = rng.chance(0.1);
        let fills_eye = |place| {
            board
                .neighbours(place)
                .all(|next| board.at(next) == Some(color))
        };
        places.into_iter().find(|&place| {
            (may_fill_eyes || !fills_eye(place))
                && self.positions[leading].check_legal(point(place)).is_ok()
        })
    }

    fn compare_board(&self, hashes: &mut Hashes) {
        let (naive, board) = (&self.naive.board, self.positions[0].board());
        let from_scratch = set_up(naive);
        assert_eq!(*board, from_scratch);
        assert_eq!(board.hash(), from_scratch.hash());
        hashes.check(naive, board.hash());
        assert_eq!(board.empty_points(), points(&naive.empty()));
        let chains = naive.chains();
        assert_eq!(board.chains().count(), chains.len());
        for chain in &chains {
            for &stone in &chain.stones {
                let found = board.chain_at(point(stone)).expect("a chain");
                assert_eq!(found.color, chain.color);
                assert_eq!(found.stones, points(&chain.stones));
                assert_eq!(found.liberties, points(&chain.liberties));
            }
        }
        for position in &self.positions {
            assert_eq!(position.board(), board);
            assert_eq!(position.board().hash(), board.hash());
            for color in Color::BOTH {
                assert_eq!(
                    position.lost_stones(color),
                    self.naive.prisoners[color as usize]
                );
                for (moves_ago, (before, _)) in (1..8).zip(self.naive.line.iter().rev()) {
                    let stones = points(&before.stones(color));
                    assert_eq!(position.past_stones(moves_ago, color), stones);
                }
            }
        }
    }

    /// Compares legality at every empty point, for both colours and all rule sets.
    fn compare_moves(&self, coverage: &mut Coverage) {
        let mut legal = vec![PointSet::EMPTY; self.positions.len()];
        let mut forbidden_by_ko = legal.clone();
        for color in Color::BOTH {
            for place in self.naive.board.empty() {
                let after = self.naive.board.after(color, place);
                self.compare_outcome(color, place, &after, coverage);
                for (index, position) in self.positions.iter().enumerate() {
                    let legality = self.legality(position.rules(), color, &after);
                    let found = position.check_legal_for(color, point(place));
                    let expected = match legality {
                        Legality::Legal => found.is_ok(),
                        Legality::Suicide => found == Err(MoveError::Suicide),
                        Legality::Repeats => {
                            matches!(found, Err(MoveError::Ko | MoveError::Superko))
                        }
                    };
                    assert!(
                        expected,
                        "{legality:?} but {found:?} for {color} at {place:?}"
                    );
                    coverage.kos += usize::from(found == Err(MoveError::Ko));
                    coverage.superkos += usize::from(found == Err(MoveError::Superko));
                    if color == position.to_move() {
                        match legality {
                            Legality::Legal => legal[index].insert(point(place)),
                            Legality::Repeats => forbidden_by_ko[index].insert(point(place)),
                            Legality::Suicide => {}
                        }
                    }
                }
            }
            for &stone in &self.naive.board.stones(color) {
                let found = self.positions[0].check_legal_for(color, point(stone));
                assert_eq!(found, Err(MoveError::Occupied));
            }
        }
        for (index, position) in self.positions.iter().enumerate() {
            assert_eq!(position.legal_points(), legal[index]);
            assert_eq!(position.ko_points(), forbidden_by_ko[index]);
        }
    }

    /// Compares captures, suicide, liberties and hash of a stone before and after it is placed.
    fn compare_outcome(&self, color: Color, place: Place, after: &After, coverage: &mut Coverage) {
        let (board, at) = (self.positions[0].board(), point(place));
        let captured = points(&after.captured);
        let (captures, liberties) = if after.suicide {
            (PointSet::EMPTY, PointSet::EMPTY)
        } else {
            (captured, points(&after.board.chain(place).liberties))
        };
        assert_eq!(board.captured_by_move(color, at), captures);
        assert_eq!(board.is_suicide(color, at), after.suicide);
        assert_eq!(board.liberties_after(color, at), liberties);
        let from_scratch = set_up(&after.board);
        assert_eq!(board.hash_after(color, at), from_scratch.hash());
        let mut placed_on = board.clone();
        let placed = placed_on.place(color, at);
        assert_eq!((placed.captured, placed.suicide), (captured, after.suicide));
        assert_eq!(placed_on, from_scratch);
        coverage.captures += usize::from(!captures.is_empty());
        coverage.suicides += usize::from(after.suicide);
    }

    /// Compares area and territory scores, with and without dead stones.
    fn compare_scores(&self, rng: &mut Rng) {
        let naive = &self.naive.board;
        for (scoring, death_rate) in [
            (Scoring::Area, 0.0),
            (Scoring::Area, 0.3),
            (Scoring::Territory, 0.3),
        ] {
            let mut position = self.positions[0].clone();
            let rules = Rules {
                scoring,
                ..*position.rules()
            };
            position.set_rules(rules);
            let mut living = naive.clone();
            let mut dead = HashSet::new();
            for chain in naive.chains() {
                if rng.chance(death_rate) {
                    dead.extend(chain.stones);
                }
            }
            for &stone in &dead {
                living.set(stone, None);
            }
            let counted = count(&position, &points(&dead));
            let mut lead = 0;
            for color in Color::BOTH {
                let connections = match scoring {
                    Scoring::Area => HashSet::new(),
                    Scoring::Territory => naive_connections(&living, color),
                };
                let owned: Vec<Place> = living
                    .places()
                    .into_iter()
                    .filter(|place| {
                        living.owner(*place) == Some(color) && !connections.contains(place)
                    })
                    .collect();
                let expected = match scoring {
                    Scoring::Area => owned.len(),
                    Scoring::Territory => {
                        let other = color.opposite();
                        let captured = naive.stones(other).len() - living.stones(other).len();
                        let prisoners = self.naive.prisoners[other as usize] as usize;
                        owned.len() - living.stones(color).len() + captured + prisoners
                    }
                } as i32;
                assert_eq!(counted.points[color], expected, "{scoring:?}");
                assert_eq!(counted.owned[color], points(&owned));
                lead += color.to_perspective(expected);
            }
            assert_eq!(counted.score.black_lead_half_points(), 2 * lead - 15);
        }
    }

    /// Compares pass-alive chains with their definition, and attacks some of them.
    fn compare_life(&self, rng: &mut Rng, coverage: &mut Coverage) {
        for color in Color::BOTH {
            for position in &self.positions[..2] {
                let suicide = position.rules().suicide;
                let found = pass_alive(position.board(), color, suicide);
                let (stones, territory) = self.naive.board.benson(color, suicide);
                assert_eq!(found.stones, points(&stones));
                assert_eq!(found.territory, points(&territory));
                coverage.alive += usize::from(!stones.is_empty());
                if !stones.is_empty() && rng.chance(0.2) {
                    attack(position, color, &found.stones, rng);
                    coverage.attacked += 1;
                }
            }
        }
    }
}

/// Lets only the opponent of `color` play, at random. The stones must survive.
fn attack(position: &Position, color: Color, stones: &PointSet, rng: &mut Rng) {
    let mut attacked = position.clone();
    for _ in 0..2 * position.size().area() {
        attacked.set_to_move(color.opposite());
        let mut moves: Vec<Point> = attacked.legal_points().iter().collect();
        if moves.is_empty() {
            return;
        }
        let mv = moves.swap_remove(rng.below(moves.len()));
        attacked.play(color.opposite(), Move::Play(mv)).unwrap();
        assert!(stones.is_subset(attacked.board().stones(color)));
    }
}

struct Length {
    moves: usize,
    /// Number of moves between comparisons of pass-alive chains.
    life_every: usize,
}

fn play_and_compare(
    start: NaiveBoard,
    length: &Length,
    rng: &mut Rng,
    hashes: &mut Hashes,
    coverage: &mut Coverage,
) {
    let mut game = Game::new(start, Color::BOTH[rng.below(2)]);
    let leading = rng.below(game.positions.len());
    for number in 0..length.moves {
        game.compare_board(hashes);
        game.compare_moves(coverage);
        game.compare_scores(rng);
        if number % length.life_every == 0 {
            game.compare_life(rng, coverage);
        }
        if rng.chance(0.03) {
            // The same colour moves twice in a row.
            let color = game.to_move().opposite();
            for position in &mut game.positions {
                position.set_to_move(color);
            }
        }
        let place = if rng.chance(0.02) {
            None
        } else {
            game.random_move(leading, rng)
        };
        game.play(game.to_move(), place);
    }
}

#[test]
fn small_board_games_match_naive_rules() {
    let mut rng = Rng::new(11);
    let mut coverage = Coverage::default();
    for width in 2..=5 {
        for height in 2..=5 {
            let mut hashes = Hashes::default();
            let length = Length {
                moves: 80,
                life_every: 4,
            };
            for _ in 0..1_200 / (width * height) {
                let start = NaiveBoard::new(width, height);
                play_and_compare(start, &length, &mut rng, &mut hashes, &mut coverage);
            }
        }
    }
    assert!(
        coverage.captures > 10_000 && coverage.suicides > 10_000,
        "{coverage:?}"
    );
    assert!(
        coverage.kos > 1_000 && coverage.superkos > 1_000,
        "{coverage:?}"
    );
    assert!(
        coverage.alive > 1_000 && coverage.attacked > 100,
        "{coverage:?}"
    );
}

#[test]
fn games_on_all_sizes_match_naive_rules() {
    /// Number of points times number of moves in a game.
    const WORK: usize = 2_000;
    let mut rng = Rng::new(12);
    let mut coverage = Coverage::default();
    for width in 2..=19 {
        for height in 2..=19 {
            let density = 0.9 * rng.unit_f64();
            let start = NaiveBoard::random(width, height, density, &mut rng);
            let length = Length {
                moves: (WORK / (width * height)).min(100),
                life_every: 16,
            };
            let mut hashes = Hashes::default();
            play_and_compare(start, &length, &mut rng, &mut hashes, &mut coverage);
        }
    }
    assert!(
        coverage.captures > 1_000 && coverage.suicides > 1_000,
        "{coverage:?}"
    );
    assert!(coverage.kos > 100 && coverage.alive > 100, "{coverage:?}");
}
