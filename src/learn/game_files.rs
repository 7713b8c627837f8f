//! Reads games from SGF collections, self-play files and packed archives.

use std::iter;
use std::path::{Path, PathBuf};

use super::game::{GameFileError, TrainingGame, game_from_record};
use super::game_archive::ArchiveReader;
use super::selfplay::reader::SelfplayReader;
use crate::game::result::{EndReason, GameResult};
use crate::game::rules::Rules;
use crate::sgf::convert::read_game;
use crate::sgf::parse::{MAX_BYTES, parse};
use crate::sgf::tree::GameTree;

/// Iterator over games. After [`GameFileError::Game`], it continues with the next game. After other errors, it may omit
/// the remaining games of the current file.
pub type GameIter = Box<dyn Iterator<Item = Result<TrainingGame, GameFileError>> + Send>;

/// Opens a file of games. A file with the extension `sgf` is an SGF collection or a self-play file; any other file is a
/// packed archive.
///
/// # Errors
/// Returns an error if the file cannot be read or has none of these formats.
pub fn open_games(path: &Path) -> Result<GameIter, GameFileError> {
    let is_sgf = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"));
    if !is_sgf {
        return Ok(Box::new(ArchiveReader::open(path)?));
    }
    match SelfplayReader::open(path)? {
        Some(lines) => Ok(Box::new(lines)),
        None => read_sgf_file(path),
    }
}

/// Returns the games of several files in order. Each path is paired with the number of games to skip at the start of
/// the file. A file is opened when its first game is needed.
pub fn games_from_files(
    files: Vec<(PathBuf, usize)>,
) -> impl Iterator<Item = Result<TrainingGame, GameFileError>> {
    files
        .into_iter()
        .flat_map(|(path, skip)| match open_games(&path) {
            Ok(games) => Box::new(games.skip(skip)) as GameIter,
            Err(error) => Box::new(iter::once(Err(error))),
        })
}

/// Removes the errors caused by damaged games or files from an iterator and passes them to `on_damaged`. I/O errors
/// remain in the iterator.
pub fn skip_damaged(
    games: impl Iterator<Item = Result<TrainingGame, GameFileError>>,
    mut on_damaged: impl FnMut(&GameFileError),
) -> impl Iterator<Item = Result<TrainingGame, GameFileError>> {
    games.filter(move |game| match game {
        Err(error) if error.is_damaged() => {
            on_damaged(error);
            false
        }
        _ => true,
    })
}

/// Reads an SGF collection.
///
/// Skips games without a result and trees that are not valid games of Go. Also skips games decided by time or forfeit,
/// because the result of such a game does not depend on the position.
fn read_sgf_file(path: &Path) -> Result<GameIter, GameFileError> {
    let file = path.display().to_string();
    let bytes = crate::io::file::read_regular_file(path, MAX_BYTES).map_err(|source| {
        GameFileError::Io {
            file: file.clone(),
            source,
        }
    })?;
    let parsed = parse(&bytes).map_err(|error| GameFileError::Format {
        file,
        offset: 0,
        expected: "an SGF collection".to_owned(),
        found: error.to_string(),
    })?;
    let trees = &parsed.collection.games;
    let mut games: Vec<Option<TrainingGame>> = trees.iter().map(game_from_tree).collect();
    if let (true, Some(Some(last))) = (parsed.is_truncated, games.last_mut()) {
        // The last moves of the game may be missing, and the margin applies only to the complete game.
        last.margin = None;
    }
    Ok(Box::new(games.into_iter().flatten().map(Ok)))
}

fn game_from_tree(tree: &GameTree) -> Option<TrainingGame> {
    let record = read_game(tree, Rules::default()).ok()?;
    let result = GameResult::parse(&tree.node(tree.root()).value("RE")?.simple_text())?;
    let has_board_result = !matches!(result.reason, EndReason::OutOfTime | EndReason::Forfeited);
    has_board_result.then(|| game_from_record(&record, &result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::color::Color;
    use crate::game::point::{BoardSize, Move, Point};
    use crate::sgf::parse::parse;

    fn games(text: &str) -> Vec<TrainingGame> {
        parse(text.as_bytes())
            .unwrap()
            .collection
            .games
            .iter()
            .filter_map(game_from_tree)
            .collect()
    }

    #[test]
    fn game_file_is_read() {
        let game = &games("(;GM[1]SZ[9]KM[6.5]RE[W+3.5];B[ee];W[cc];B[])")[0];
        assert_eq!(
            (game.size(), game.scoring_rules.komi.half_points()),
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
    fn quarter_points_have_no_margin() {
        for (result, margin) in [("B+0.75", None), ("W+2.25", None), ("B+0.5", Some(1))] {
            let game = &games(&format!("(;SZ[9]RE[{result}];B[ee])"))[0];
            assert_eq!(game.margin, margin, "{result}");
        }
    }

    #[test]
    fn handicap_game_starts_with_white() {
        let game = &games("(;SZ[9]HA[2]AB[cc][gg]RE[B+R];W[ee];B[ce])")[0];
        assert_eq!(
            (game.initial.to_move(), game.initial.handicap(), game.margin),
            (Color::White, 2, None)
        );
        assert_eq!(game.initial.board().stones(Color::Black).len(), 2);
        assert_eq!(game.moves.len(), 2);
    }

    #[test]
    fn later_start_keeps_prisoners() {
        let text = "(;SZ[5]RU[Japanese]KM[0]RE[B+5];B[ba];W[aa];B[ab];W[ee];AB[cc];W[dd];B[bb])";
        let initial = &games(text)[0].initial;
        assert_eq!(initial.to_move(), Color::White);
        assert_eq!(initial.lost_stones(Color::White), 1);
    }

    #[test]
    fn unusable_games_are_skipped_or_cut() {
        assert!(games("(;SZ[9];B[ee])(;SZ[9]RE[Void];B[ee])(;SZ[9]RE[?];B[ee])").is_empty());
        assert!(games("(;SZ[9]RE[B+T];B[ee])(;SZ[9]RE[w+forfeit];B[ee])").is_empty());
        let draws = &games("(;SZ[9]RE[0];B[ee])(;SZ[9]RE[Draw];B[ee])(;SZ[9]RE[W+0.0];B[ee])");
        assert!(
            draws
                .iter()
                .all(|game| (game.winner, game.black_lead_half_points()) == (None, Some(0)))
        );
        assert_eq!(draws.len(), 3);
        let out_of_turn = &games("(;SZ[9]RE[B+2];B[ee];W[cc];W[dd];B[ff])")[0];
        assert_eq!(
            (out_of_turn.moves.len(), out_of_turn.winner),
            (2, Some(Color::Black))
        );
        assert_eq!(
            out_of_turn.black_lead_half_points(),
            None,
            "it was counted later"
        );
    }

    #[test]
    fn truncated_last_game_has_no_margin() {
        let file = tempfile::Builder::new().suffix(".sgf").tempfile().unwrap();
        let leads = |text: &str| -> Vec<Option<i32>> {
            std::fs::write(file.path(), text).unwrap();
            let games = open_games(file.path()).unwrap();
            games
                .map(|game| game.unwrap().black_lead_half_points())
                .collect()
        };
        let full_text = "(;SZ[9]RE[B+2];B[ee];W[cc])(;SZ[9]RE[W+3];B[ee];W[cc])";
        assert_eq!(leads(full_text), [Some(4), Some(-6)]);
        assert_eq!(leads(&full_text[..full_text.len() - 6]), [Some(4), None]);
    }
}
