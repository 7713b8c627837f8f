//! Repetition in random games on small boards: legality, results and recorded moves, compared with the naive rules.

use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::MoveError;
use honinbo::game::record::Record;
use honinbo::game::rules::{KoRule, Rules};
use honinbo::random::Rng;

use crate::naive::bridge::point;
use crate::naive::{After, Legality, NaiveBoard, NaiveGame, Place};

/// Default number of games. The environment variable [`GAMES_VARIABLE`] overrides it.
const GAMES: usize = 2_000;
const GAMES_VARIABLE: &str = "REPETITION_GAMES";
/// Maximum number of moves in a game.
const MAX_MOVES: usize = 100;

/// The default rules and named rule sets with every ko rule.
fn rule_sets() -> Vec<Rules> {
    let names = ["tromp-taylor", "aga", "chinese", "japanese", "new-zealand"];
    let named = names.map(|name| Rules::parse(name).unwrap());
    [vec![Rules::default()], named.to_vec()].concat()
}

/// Number of games and moves in which each comparison was exercised.
#[derive(Debug, Default)]
struct Coverage {
    /// Games in which a board occurred again.
    games_with_cycles: usize,
    /// Games with a cycle that contained a pass.
    games_with_pass_cycles: usize,
    /// Requested moves that were rejected because of a repetition.
    rejected: usize,
    /// Games without a result.
    no_results: usize,
    /// Recorded moves that the rules forbid.
    recorded: usize,
}

/// A game of the engine's record and of the naive rules.
struct Game {
    record: Record,
    naive: NaiveGame,
    /// Numbers of the moves that the rules forbid.
    illegal_moves: Vec<usize>,
    has_cycle: bool,
    has_pass_cycle: bool,
    had_no_result: bool,
}

impl Game {
    fn new(width: usize, height: usize, rules: Rules) -> Self {
        let size = BoardSize::new(width, height).unwrap();
        Self {
            record: Record::new(size, rules),
            naive: NaiveGame::new(NaiveBoard::new(width, height), Color::Black),
            illegal_moves: Vec::new(),
            has_cycle: false,
            has_pass_cycle: false,
            had_no_result: false,
        }
    }

    fn rules(&self) -> &Rules {
        self.record.rules()
    }

    fn to_move(&self) -> Color {
        self.record.position().to_move()
    }

    fn legality(&self, after: &After) -> Legality {
        let Rules { ko, suicide, .. } = *self.rules();
        self.naive.legality(ko, suicide, self.to_move(), after)
    }

    /// Returns all empty places with the board after a stone of the side to move and the legality of the move. Checks
    /// that the engine agrees.
    fn checked_moves(&self) -> Vec<(Place, After, Legality)> {
        let color = self.to_move();
        let moves = self.naive.board.empty().into_iter().map(|place| {
            let after = self.naive.board.after(color, place);
            let legality = self.legality(&after);
            (place, after, legality)
        });
        let moves: Vec<_> = moves.collect();
        let with = |wanted: Legality| -> PointSet {
            let moves = moves.iter().filter(|(.., legality)| *legality == wanted);
            moves.map(|(place, ..)| point(*place)).collect()
        };
        let position = self.record.position();
        assert_eq!(position.legal_points(), with(Legality::Legal));
        assert_eq!(position.ko_points(), with(Legality::Repeats));
        moves
    }

    /// Plays a move in both games, as a requested move or as a move of a recorded game.
    fn play(&mut self, place: Option<Place>, recorded: bool) {
        let color = self.to_move();
        let mv = place.map_or(Move::Pass, |place| Move::Play(point(place)));
        let legality = place.map_or(Legality::Legal, |place| {
            self.legality(&self.naive.board.after(color, place))
        });
        if legality != Legality::Legal {
            self.illegal_moves.push(self.naive.line.len() + 1);
        }
        if recorded {
            self.record.play_lenient(color, mv).unwrap();
        } else {
            assert_eq!(legality, Legality::Legal);
            self.record.play(color, mv).unwrap();
        }
        self.naive.play(color, place);
        self.compare_end();
        self.had_no_result |= self.record.position().has_no_result();
        self.find_cycle(place);
    }

    /// Checks whether the game has ended, and whether it has a result.
    fn compare_end(&self) {
        let position = self.record.position();
        let has_no_result = self.rules().ko == KoRule::Simple && self.naive.occurrences() >= 3;
        assert_eq!(position.has_no_result(), has_no_result);
        assert_eq!(position.ended(), position.passes() >= 2 || has_no_result);
        for moves_ago in 0..4.min(self.record.moves().len()) {
            let earlier = self.record.moves().len() - moves_ago;
            let earlier = self.record.position_after(earlier).unwrap();
            assert_eq!(
                position.had_no_result(moves_ago),
                earlier.has_no_result(),
                "{moves_ago} moves ago"
            );
        }
    }

    fn find_cycle(&mut self, place: Option<Place>) {
        let board = &self.naive.board;
        let line = &self.naive.line;
        // A pass leaves the board unchanged, which does not count as a repetition.
        let Some(first) = place.and_then(|_| line.iter().rposition(|(before, _)| before == board))
        else {
            return;
        };
        self.has_cycle = true;
        let mut boards = line[first..].windows(2);
        self.has_pass_cycle |= boards.any(|pair| pair[0].0 == pair[1].0);
    }

    /// Requests a move that repeats a board, which must be rejected without any effect.
    fn request_repetition(&mut self, place: Place) {
        let (moves, position) = (self.record.moves().len(), self.record.position().clone());
        let result = self.record.play(self.to_move(), Move::Play(point(place)));
        assert!(matches!(result, Err(MoveError::Ko | MoveError::Superko)));
        assert_eq!(self.record.moves().len(), moves);
        assert_eq!(*self.record.position(), position);
    }
}

/// Chooses a random move, preferably a capture, so that games contain cycles. `None` is a pass.
fn choose_move(
    moves: &[(Place, After, Legality)],
    recorded: bool,
    board: &NaiveBoard,
    rng: &mut Rng,
) -> Option<Place> {
    let is_possible = |(_, after, legality): &&(Place, After, Legality)| match legality {
        Legality::Legal => true,
        Legality::Repeats => recorded,
        Legality::Suicide => recorded && after.board != *board,
    };
    let mut possible: Vec<_> = moves.iter().filter(is_possible).collect();
    rng.shuffle(&mut possible);
    if rng.chance(0.02) {
        return None;
    }
    let captures = |(_, after, _): &&&(Place, After, Legality)| !after.captured.is_empty();
    let capture = possible.iter().find(captures).filter(|_| rng.chance(0.7));
    capture.or(possible.first()).map(|(place, ..)| *place)
}

/// Plays a random game. A recorded game may break the rules and goes on after its end.
fn compare_game(mut game: Game, recorded: bool, rng: &mut Rng, coverage: &mut Coverage) {
    for _ in 0..MAX_MOVES {
        let moves = game.checked_moves();
        let repetition = moves
            .iter()
            .find(|(.., legality)| *legality == Legality::Repeats);
        if let Some(&(place, ..)) = repetition {
            game.request_repetition(place);
            coverage.rejected += 1;
        }
        let place = choose_move(&moves, recorded, &game.naive.board, rng);
        game.play(place, recorded);
        if game.record.ended() && !recorded {
            break;
        }
    }
    let illegal_moves = game.record.illegal_moves();
    let illegal_moves: Vec<usize> = illegal_moves.map(|mv| mv.number).collect();
    assert_eq!(illegal_moves, game.illegal_moves);
    coverage.recorded += illegal_moves.len();
    coverage.games_with_cycles += usize::from(game.has_cycle);
    coverage.games_with_pass_cycles += usize::from(game.has_pass_cycle);
    coverage.no_results += usize::from(game.had_no_result);
}

#[test]
fn repetitions_match_naive_rules() {
    let games = std::env::var(GAMES_VARIABLE).map_or(GAMES, |text| text.parse().unwrap());
    let mut rng = Rng::new(13);
    let mut coverage = Coverage::default();
    let rule_sets = rule_sets();
    for number in 0..games {
        let rules = rule_sets[number % rule_sets.len()];
        let (width, height) = (2 + rng.below(4), 2 + rng.below(4));
        let recorded = rng.chance(0.3);
        compare_game(
            Game::new(width, height, rules),
            recorded,
            &mut rng,
            &mut coverage,
        );
    }
    let Coverage {
        games_with_cycles,
        games_with_pass_cycles,
        rejected,
        no_results,
        recorded,
    } = coverage;
    assert!(games_with_cycles > games / 10, "{coverage:?}");
    assert!(games_with_pass_cycles > games / 50, "{coverage:?}");
    assert!(rejected > games && recorded > games / 2, "{coverage:?}");
    assert!(no_results > games / 500, "{coverage:?}");
}
