//! Tests of the conversion between SGF and records.

use super::*;
use crate::game::point::Move;
use crate::game::rules::Komi;
use crate::sgf::{Collection, parse, write};

fn read_game_until_move(
    tree: &GameTree,
    max_moves: Option<usize>,
    rules: Rules,
) -> Result<Record, GameError> {
    let part = read_until_move(tree, max_moves, rules)?;
    part.error.map_or(Ok(part.record), Err)
}

fn read(text: &str, moves: Option<usize>) -> Result<Record, GameError> {
    let parsed = parse(text.as_bytes()).unwrap();
    read_game_until_move(parsed.first_game(), moves, Rules::default())
}

fn moves(record: &Record) -> Vec<String> {
    let text = |&(color, mv): &(Color, Move)| {
        format!("{}{}", color.letter(), record.size().format_move(mv))
    };
    record.moves().iter().map(text).collect()
}

#[test]
fn main_line_stops_after_max_moves() {
    let text = "(;SZ[9]KM[0.5]RU[AGA];B[cc];W[gg](;B[];W[aa])(;B[dd]))";
    let record = read(text, None).unwrap();
    assert_eq!(moves(&record), ["BC7", "WG3", "Bpass", "WA9"]);
    assert_eq!(record.rules().komi, Komi::from_half_points(1));
    assert_eq!(game_info::rules_name(record.rules()), "AGA");
    assert_eq!(moves(&read(text, Some(2)).unwrap()), ["BC7", "WG3"]);
    assert_eq!(read(text, Some(0)).unwrap().moves(), []);
    assert_eq!(read(text, Some(99)).unwrap().moves().len(), 4);
}

#[test]
fn unnamed_rules_round_trip() {
    let text = "(;SZ[5]RU[koSITUATIONALscoreTERRITORYtaxNONEsui1];B[ba];W[aa])";
    let record = read(text, None).unwrap();
    assert_eq!(record.rules().name(), None);
    let written = write_game(&record);
    let again = read_game(&written, Rules::default()).unwrap();
    assert_eq!(again.rules(), record.rules());
    assert!(again.rules().suicide, "{:?}", again.rules());
    let named = |name: &str| *read(&format!("(;SZ[5]RU[{name}])"), None).unwrap().rules();
    assert_eq!(named("NewZealand").name(), Some("new-zealand"));
    assert_eq!(named("GOE").name(), Some("ing"));
}

#[test]
fn ko_and_suicide_violations_are_accepted() {
    // Black retakes a ko immediately at D2. White's move at A4 is a suicide of two stones.
    let ko = "(;SZ[9]RU[Japanese];B[cg];W[dg];B[bh];W[eh];B[ci];W[di];B[dh];W[ch];B[dh];W[hb])";
    let record = read(ko, None).unwrap();
    assert_eq!(record.moves().len(), 10);
    let suicide = "(;SZ[5]RU[Chinese];B[ba];W[aa];B[bb];W[ee];B[ac];W[ab])";
    let record = read(suicide, None).unwrap();
    assert_eq!(record.position().board().stones(Color::White).len(), 1);
    // Suicide of a single stone leaves the board as it is.
    let single = parse(b"(;SZ[5]RU[NZ];B[ba];W[ee];B[ab];W[aa])").unwrap();
    let strict = read_game(single.first_game(), Rules::default());
    assert!(matches!(
        strict,
        Err(GameError::Illegal(IllegalMove { number: 4, .. }))
    ));
    let part = read_playable(single.first_game(), Rules::default()).unwrap();
    assert_eq!((part.moves_played, part.illegal_moves().count()), (4, 1));
    assert_eq!(part.record.position().board().occupied_points().len(), 3);
}

#[test]
fn turn_beside_move_keeps_record() {
    let record = read("(;SZ[9];B[cc]PL[W];W[gg]PL[B];B[cg])", None).unwrap();
    assert_eq!(moves(&record), ["BC7", "WG3", "BC3"]);
}

#[test]
fn side_to_move_before_first_move() {
    for (text, moves, expected) in [
        ("(;SZ[9];W[ee];B[eg])", 0, Color::White),
        ("(;SZ[9]AB[cc]AW[dd];C[to play];W[ee])", 0, Color::White),
        ("(;SZ[9];B[ee];B[eg])", 1, Color::Black),
    ] {
        let record = read(text, Some(moves)).unwrap();
        assert_eq!(record.position().to_move(), expected, "{text}");
        assert_eq!(record.moves().len(), moves, "{text}");
    }
}

#[test]
fn turn_after_last_move_is_written() {
    let record = read("(;SZ[5];B[cc];PL[B])", None).unwrap();
    assert_eq!(record.position().to_move(), Color::Black);
    let again = read_game_until_move(&write_game(&record), None, Rules::default()).unwrap();
    assert_eq!(again.position().to_move(), Color::Black);
    assert_eq!(moves(&again), ["BC3"]);
}

#[test]
fn white_moves_after_handicap_stones() {
    let record = read("(;SZ[9]HA[2]AB[cg][gc];W[ee])", Some(0)).unwrap();
    assert_eq!(record.position().handicap(), 2);
    assert_eq!(record.position().to_move(), Color::White);
    let problem = read("(;SZ[9]AB[aa][ba]AW[ca]PL[W])", None).unwrap();
    assert_eq!(problem.position().to_move(), Color::White);
    assert_eq!(problem.position().handicap(), 0);
    let turn = read("(;SZ[9]AB[aa]AW[ca];W[cc])", Some(0)).unwrap();
    assert_eq!(turn.position().to_move(), Color::White);
}

#[test]
fn midgame_setup_restarts_record() {
    let record = read("(;SZ[9];B[cc];W[gg];AE[cc]AB[aa];B[bb])", None).unwrap();
    assert_eq!(moves(&record), ["BB8"]);
    assert_eq!(record.position().board().occupied_points().len(), 3);
}

#[test]
fn moves_before_midgame_setup_are_kept() {
    let parsed = parse(b"(;SZ[9]HA[2]AB[gg][cc];W[cg];B[gc];AE[gc];B[gd]AB[ee];W[ec])").unwrap();
    let part = read_playable(parsed.first_game(), Rules::default()).unwrap();
    let earlier: Vec<_> = part.earlier.iter().map(moves).collect();
    assert_eq!(earlier, [["WC3", "BG7"]]);
    assert_eq!(part.earlier[0].position().handicap(), 2);
    assert_eq!(moves(&part.record), ["BG6", "WE7"]);
    assert_eq!(part.moves_played, 4);
}

#[test]
fn setup_after_last_move_is_ignored() {
    let parsed = parse(b"(;SZ[9];B[cc];W[gg];AE[cc]C[dead];AB[aa])").unwrap();
    let game = read_game(parsed.first_game(), Rules::default()).unwrap();
    assert_eq!(moves(&game), ["BC7", "WG3"]);
    let end = read_game_until_move(parsed.first_game(), None, Rules::default()).unwrap();
    assert_eq!(
        (
            end.moves().len(),
            end.position().board().occupied_points().len()
        ),
        (0, 2)
    );
}

#[test]
fn game_is_playable_until_first_error() {
    let read_part = |text: &str| {
        let parsed = parse(text.as_bytes()).unwrap();
        let part = read_playable(parsed.first_game(), Rules::default()).unwrap();
        (
            moves(&part.record).len(),
            part.moves_played,
            part.error.map(|error| error.to_string()),
        )
    };
    let message = |text: &str| Some(text.to_owned());
    assert_eq!(read_part("(;SZ[9];B[cc];W[gg])"), (2, 2, None));
    assert_eq!(
        read_part("(;SZ[9];B[cc];W[cc];B[dd])"),
        (1, 1, message("move 2 (white C7): the point is occupied"))
    );
    assert_eq!(
        read_part("(;SZ[9];B[cc];W[gg];AB[zz];B[dd])"),
        (
            2,
            2,
            message(
                "after move 2: expected a point on a board of 9 columns and 9 rows, found \"zz\""
            )
        )
    );
    let (len, moves_played, error) = read_part("(;SZ[9];B[cc];AB[aa];W[ee];AW[zz];B[dd])");
    assert_eq!((len, moves_played), (1, 2));
    assert!(error.unwrap().starts_with("after move 2: "));
    let parsed = parse(b"(;SZ[9]AB[zz];B[cc])").unwrap();
    assert!(read_game(parsed.first_game(), Rules::default()).is_err());
    assert_eq!(read_part("(;SZ[9]AB[zz];B[cc])"), (1, 1, None));
}

#[test]
fn setup_without_changes_keeps_record() {
    let score = |between: &str| {
        let text = format!("(;SZ[5]RU[Japanese]HA[2]AB[cc][dd];W[ba];B[aa];W[ab]{between};W[])");
        let record = read(&text, None).unwrap();
        let position = record.position();
        assert_eq!(position.handicap(), 2, "{between}");
        (record.moves().len(), position.lost_stones(Color::Black))
    };
    for between in ["", ";PL[B]C[a note]", ";AE[ee]", ";AB[cc]"] {
        assert_eq!(score(between), (4, 1), "{between}");
    }
    // Different stones start a new record, and the prisoners are preserved.
    assert_eq!(score(";AB[ee]"), (1, 1));
    let record = read("(;SZ[9];B[cc];W[gg];PL[W])", None).unwrap();
    assert_eq!(record.position().to_move(), Color::White);
    assert_eq!(record.moves().len(), 2);
}

#[test]
fn missing_handicap_uses_fixed_points() {
    let fox = "(;GM[1]SZ[19]AP[GNU Go:3.8]AP[foxwq]RU[Chinese]KM[0]HA[2];W[qd];B[dd])";
    let record = read(fox, Some(0)).unwrap();
    let fixed = handicap::fixed_placement(BoardSize::STANDARD, 2).unwrap();
    assert_eq!(
        *record.position().board().stones(Color::Black),
        fixed.into_iter().collect()
    );
    assert_eq!(record.position().handicap(), 2);
    assert_eq!(moves(&read(fox, None).unwrap()), ["WR16", "BD16"]);
    for placed in [
        "(;SZ[9]HA[2];B[cg];B[gc];W[ee])",
        "(;SZ[9]HA[2]AB[cg][gc];W[ee])",
        "(;SZ[9]HA[2];AB[cg][gc];W[ee])",
    ] {
        let record = read(placed, None).unwrap();
        assert_eq!(
            record.position().board().occupied_points().len(),
            3,
            "{placed}"
        );
        assert_eq!(record.position().handicap(), 2, "{placed}");
    }
}

#[test]
fn declared_handicap_takes_precedence() {
    for (text, handicap) in [
        ("(;SZ[9]HA[0];B[cg];B[gc];W[ee])", 0),
        ("(;SZ[9];B[cg];B[gc];W[ee])", 2),
        ("(;SZ[9]HA[2]AB[cg];B[gc];W[ee])", 2),
        ("(;SZ[9]HA[2]AB[cg][gc];W[ee];W[dd])", 2),
        ("(;SZ[9]HA[5]AB[cg];W[ee])", 0),
        ("(;SZ[9]HA[300]AB[cg][gc][cc];W[ee])", 3),
    ] {
        let record = read(text, None).unwrap();
        assert_eq!(record.position().handicap(), handicap, "{text}");
        let games = vec![write_game(&record)];
        let again = read(&write(&Collection { games }), None).unwrap();
        assert_eq!(again.position().handicap(), handicap, "{text}");
    }
}

#[test]
fn zero_handicap_is_kept() {
    let record = read("(;SZ[9]HA[0]AB[cc][gg]PL[W];W[ee])", Some(0)).unwrap();
    assert_eq!(record.position().handicap(), 0);
    assert_eq!(record.position().to_move(), Color::White);
}

#[test]
fn other_games_are_rejected() {
    for (text, is_go) in [
        ("(;GM[2]SZ[8];B[ce])", false),
        ("(;GM[]SZ[8];B[ce])", true),
        ("(;GM[1 ]SZ[8];B[ce])", true),
    ] {
        assert_eq!(read(text, None).is_ok(), is_go, "{text}");
    }
}

#[test]
fn unplayable_games_report_errors() {
    for (text, message) in [
        (
            "(;SZ[37])",
            "expected a board with sides from 2 to 19, found 37x37",
        ),
        (
            "(;SZ[9];B[cc];W[cc])",
            "move 2 (white C7): the point is occupied",
        ),
        (
            "(;SZ[9];B[kk])",
            "move 1: expected a point on a board of 9 columns and 9 rows, found \"kk\"",
        ),
    ] {
        assert_eq!(read(text, None).unwrap_err().to_string(), message);
    }
    let parsed = parse(b"(;SZ[2]AB[aa][ab][ba][bb])").unwrap();
    let strict = read_game(parsed.first_game(), Rules::default());
    assert!(matches!(strict, Err(GameError::SetUp(_))));
}

#[test]
fn records_round_trip() {
    for text in [
        "(;SZ[9:13]KM[-3.5]RU[Japanese];B[aa];W[];B[im])",
        "(;SZ[19]HA[3]AB[dd][pp][dp];W[qf];B[nc])",
        "(;SZ[5]AB[aa]AW[bb]PL[W];W[cc])",
        "(;SZ[9]HA[0]AB[cc][gg][cg]PL[W];W[];B[])",
    ] {
        let record = read(text, None).unwrap();
        let collection = Collection {
            games: vec![write_game(&record)],
        };
        let again = read(&write(&collection), None).unwrap();
        assert_eq!(again.moves(), record.moves(), "{text}");
        assert_eq!(again.rules(), record.rules(), "{text}");
        assert_eq!(
            again.position().state_hash(),
            record.position().state_hash(),
            "{text}"
        );
    }
    let mut record = read("(;SZ[9];B[aa])", None).unwrap();
    record.resign(Color::White);
    let tree = write_game(&record);
    let result = tree.node(tree.root()).value("RE").map(Value::simple_text);
    assert_eq!(result.as_deref(), Some("B+R"));
}

#[test]
fn stones_without_liberties_are_removed() {
    let read_part = |text: &str| {
        let parsed = parse(text.as_bytes()).unwrap();
        let part = read_playable(parsed.first_game(), Rules::default()).unwrap();
        let board = part.record.initial().board().clone();
        let counts = Color::BOTH.map(|color| board.stones(color).len());
        let warnings: Vec<String> = part.warnings.iter().map(ToString::to_string).collect();
        (counts, warnings.join("; "))
    };
    let removed = |count| format!("removed {count} set-up stones without liberties");
    let text = "(;SZ[9]AB[aa]AW[ab][ba];B[ee])";
    assert_eq!(read_part(text), ([0, 2], removed(1)));
    // The stones of the side to move are removed first.
    let both = "AB[aa][bb][bc][cb]AW[ab][ba]";
    assert_eq!(read_part(&format!("(;SZ[3]{both}AW[ca][ac];W[])")).0[0], 4);
    assert_eq!(read_part(&format!("(;SZ[3]{both}AW[ca][ac];B[])")).0[1], 4);
}

#[test]
fn resignation_ends_the_line() {
    let record = read("(;SZ[9];B[ee];W[resign];B[cc])", None).unwrap();
    assert_eq!(moves(&record), ["BE5"]);
    assert_eq!(record.resigned(), Some(Color::White));
}
