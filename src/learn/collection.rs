//! Games to learn from in SGF collections, and the choice between them, files of self-play and packed archives.

use std::iter;
use std::path::{Path, PathBuf};

use super::archive::{Archive, ArchiveError, Game};
use super::selfplay::read::LineGames;
use crate::game::point::Move;
use crate::game::record::Record;
use crate::game::result::{GameResult, How};
use crate::game::rules::Rules;
use crate::sgf::parse::{MAX_BYTES, parse};
use crate::sgf::record::read_game;
use crate::sgf::tree::GameTree;

/// Games one after another; an error ends the file it comes from, unless it is of a single game.
pub type Games = Box<dyn Iterator<Item = Result<Game, ArchiveError>> + Send>;

/// The games of a file: an SGF collection or a file of self-play if its name ends so, else a packed archive.
///
/// # Errors
/// When the file cannot be read or is neither.
pub fn open(path: &Path) -> Result<Games, ArchiveError> {
    let is_sgf = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("sgf"));
    if !is_sgf {
        return Ok(Box::new(Archive::open(path)?));
    }
    match LineGames::open(path)? {
        Some(lines) => Ok(Box::new(lines)),
        None => read_collection(path),
    }
}

/// The games of files, each opened when its turn comes; of each the first ones are left out, as many as stand beside it.
pub fn games_of(files: Vec<(PathBuf, usize)>) -> impl Iterator<Item = Result<Game, ArchiveError>> {
    files
        .into_iter()
        .flat_map(|(path, skipped)| match open(&path) {
            Ok(games) => Box::new(games.skip(skipped)) as Games,
            Err(error) => Box::new(iter::once(Err(error))),
        })
}

/// The same games without the damaged ones; `complain` is told each of those, and where a file cannot be read any
/// further.
pub fn sound(
    games: impl Iterator<Item = Result<Game, ArchiveError>>,
    mut complain: impl FnMut(&ArchiveError),
) -> impl Iterator<Item = Result<Game, ArchiveError>> {
    games.filter(move |game| match game {
        Err(damaged) if damaged.is_damage() => {
            complain(damaged);
            false
        }
        _ => true,
    })
}

/// Games without a result, or lost by time or forfeit, which teach nothing about winning, are left out; so are trees that
/// are no games of Go.
fn read_collection(path: &Path) -> Result<Games, ArchiveError> {
    let file = path.display().to_string();
    let bytes = crate::file::read_file(path, MAX_BYTES).map_err(|source| ArchiveError::Io {
        file: file.clone(),
        source,
    })?;
    let parsed = parse(&bytes).map_err(|error| ArchiveError::Format {
        file,
        offset: 0,
        expected: "an SGF collection".to_owned(),
        found: error.to_string(),
    })?;
    let trees = &parsed.collection.games;
    let mut games: Vec<Option<Game>> = trees.iter().map(game_of).collect();
    if let (true, Some(Some(last))) = (parsed.is_cut_short, games.last_mut()) {
        // Its moves are good, but they are not all.
        last.margin = None;
    }
    Ok(Box::new(games.into_iter().flatten().map(Ok)))
}

fn game_of(tree: &GameTree) -> Option<Game> {
    let record = read_game(tree, Rules::default()).ok()?;
    let result = GameResult::parse(&tree.node(tree.root()).value("RE")?.simple_text())?;
    let tells = !matches!(result.how, How::OutOfTime | How::Forfeited);
    tells.then(|| from_record(&record, &result))
}

/// The game of a record, as far as its moves are made in turn; one that goes on after them was not counted there, and has
/// no margin.
pub(super) fn from_record(record: &Record, result: &GameResult) -> Game {
    let margin = result
        .score()
        .map(|score| score.half_points().unsigned_abs() as u16);
    let first = record
        .moves()
        .first()
        .map_or(record.initial().to_move(), |(color, _)| *color);
    let in_turn: Vec<Move> = record
        .moves()
        .iter()
        .scan(first, |turn, &(color, mv)| {
            let expected = std::mem::replace(turn, turn.opposite());
            (color == expected).then_some(mv)
        })
        .collect();
    Game {
        initial: record.initial().begun_by(first),
        counted: *record.rules(),
        rules: None,
        winner: result.winner,
        margin: margin.filter(|_| in_turn.len() == record.moves().len()),
        moves: in_turn,
        targets: Vec::new(),
        owners: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::color::Color;
    use crate::game::point::{BoardSize, Move, Point};
    use crate::sgf::parse::parse;

    fn games(text: &str) -> Vec<Game> {
        parse(text.as_bytes())
            .unwrap()
            .collection
            .games
            .iter()
            .filter_map(game_of)
            .collect()
    }

    #[test]
    fn a_game_file_gives_its_game() {
        let game = &games("(;GM[1]SZ[9]KM[6.5]RE[W+3.5];B[ee];W[cc];B[])")[0];
        assert_eq!(
            (game.size(), game.counted.komi.half_points()),
            (BoardSize::new(9, 9).unwrap(), 13)
        );
        assert_eq!((game.winner, game.margin), (Some(Color::White), Some(7)));
        assert_eq!(
            game.moves,
            [
                Move::Play(Point::at(4, 4)),
                Move::Play(Point::at(2, 2)),
                Move::Pass
            ]
        );
    }

    #[test]
    fn quarters_of_a_stone_are_no_margin_in_points() {
        for (result, margin) in [("B+0.75", None), ("W+2.25", None), ("B+0.5", Some(1))] {
            let game = &games(&format!("(;SZ[9]RE[{result}];B[ee])"))[0];
            assert_eq!(game.margin, margin, "{result}");
        }
    }

    #[test]
    fn handicap_stones_stand_and_white_begins() {
        let game = &games("(;SZ[9]HA[2]AB[cc][gg]RE[B+R];W[ee];B[ce])")[0];
        assert_eq!(
            (game.initial.to_move(), game.initial.handicap(), game.margin),
            (Color::White, 2, None)
        );
        assert_eq!(game.initial.board().stones(Color::Black).len(), 2);
        assert_eq!(game.moves.len(), 2);
    }

    #[test]
    fn a_game_taken_up_in_the_middle_keeps_its_prisoners() {
        let text = "(;SZ[5]RU[Japanese]KM[0]RE[B+5];B[ba];W[aa];B[ab];W[ee];AB[cc];W[dd];B[bb])";
        let initial = &games(text)[0].initial;
        assert_eq!(initial.to_move(), Color::White);
        assert_eq!(initial.prisoners(Color::White), 1);
    }

    #[test]
    fn games_without_a_result_are_left_out_and_broken_turns_end_a_game() {
        assert!(games("(;SZ[9];B[ee])(;SZ[9]RE[Void];B[ee])(;SZ[9]RE[?];B[ee])").is_empty());
        assert!(games("(;SZ[9]RE[B+T];B[ee])(;SZ[9]RE[w+forfeit];B[ee])").is_empty());
        let drawn = &games("(;SZ[9]RE[0];B[ee])(;SZ[9]RE[Draw];B[ee])(;SZ[9]RE[W+0.0];B[ee])");
        assert!(
            drawn
                .iter()
                .all(|game| (game.winner, game.lead()) == (None, Some(0)))
        );
        assert_eq!(drawn.len(), 3);
        let broken = &games("(;SZ[9]RE[B+2];B[ee];W[cc];W[dd];B[ff])")[0];
        assert_eq!((broken.moves.len(), broken.winner), (2, Some(Color::Black)));
        assert_eq!(broken.lead(), None, "it was counted later");
    }

    #[test]
    fn the_last_game_of_a_file_cut_short_was_not_counted_there() {
        let file = tempfile::Builder::new().suffix(".sgf").tempfile().unwrap();
        let leads = |text: &str| -> Vec<Option<i32>> {
            std::fs::write(file.path(), text).unwrap();
            let games = open(file.path()).unwrap();
            games.map(|game| game.unwrap().lead()).collect()
        };
        let whole = "(;SZ[9]RE[B+2];B[ee];W[cc])(;SZ[9]RE[W+3];B[ee];W[cc])";
        assert_eq!(leads(whole), [Some(4), Some(-6)]);
        assert_eq!(leads(&whole[..whole.len() - 6]), [Some(4), None]);
    }
}
