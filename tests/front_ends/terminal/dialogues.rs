//! Effects of command lines on a game.

use std::fs;
use std::time::Duration;

use honinbo::engine::settings::EngineSettings;
use honinbo::game::color::Color;
use honinbo::game::diagram::to_diagram;
use honinbo::search::alphabeta::options::AlphaBetaOptions;
use honinbo::search::params::{Algorithm, SearchParams};
use honinbo::terminal::board_view::{ASCII_GLYPHS, DisplayOptions, Marks};
use honinbo::terminal::game::Game;
use honinbo::terminal::line_mode;
use honinbo::terminal::output::CommandOutput;

use crate::terminal::{game, game_with};

/// Executes lines, waits for the program's moves, and returns all messages.
fn run(game: &mut Game, lines: &[&str]) -> String {
    let mut messages = Vec::new();
    for line in lines {
        match game.execute(line) {
            Ok(CommandOutput::Messages(lines) | CommandOutput::Board(lines)) => {
                messages.extend(lines)
            }
            Ok(CommandOutput::Quit) => messages.push("(quit)".to_owned()),
            Err(error) => messages.push(format!("! {error}")),
        }
        while game.start_turn_if_due() {
            let result = loop {
                if let Some(lines) = game.poll(Duration::from_secs(1)).unwrap() {
                    break lines;
                }
            };
            messages.extend(result);
        }
    }
    messages.join("\n")
}

fn moves(game: &Game) -> usize {
    game.record().moves().len()
}

fn board(game: &Game) -> String {
    to_diagram(game.engine().position().board())
}

#[test]
fn overlong_line_is_rejected_as_a_whole() {
    let mut game = game(5, None);
    let input = format!("{}\nb2\n", "d4 ".repeat(30_000));
    let display = DisplayOptions {
        glyphs: ASCII_GLYPHS,
        use_color: false,
    };
    let mut output = Vec::new();
    line_mode::run(&mut game, &mut input.as_bytes(), &mut output, display, &[]).unwrap();
    let output = String::from_utf8(output).unwrap();
    let error = "! the line is longer than 65536 bytes\n";
    assert_eq!(output.matches("! ").count(), 1, "{output}");
    assert!(output.contains(error), "{output}");
    assert_eq!(moves(&game), 2, "B2 and the reply");
}

#[test]
fn depth_search_reports_nodes() {
    let settings = EngineSettings {
        params: SearchParams {
            algorithm: Algorithm::AlphaBeta(AlphaBetaOptions::with_depth(Some(2))),
            ..SearchParams::default()
        },
        ..EngineSettings::default()
    };
    let mut game = game_with(settings, 5, None);
    let output = run(&mut game, &["c3"]);
    let lines: Vec<&str> = output.lines().collect();
    let size = game.record().size();
    let played = size.format_move(game.record().moves()[1].1);
    let stats = lines[0]
        .strip_prefix("Search: depth 2, ")
        .expect("statistics");
    let fields: Vec<&str> = stats.split(", ").collect();
    let [nodes, speed, lead, line] = fields[..] else {
        panic!("{stats}");
    };
    let number = |text: &str, unit: &str| -> f64 {
        let number = text.strip_suffix(unit).expect("a unit");
        number.parse().expect("a number")
    };
    assert!(number(nodes, " nodes") >= 24.0 && number(speed, " nodes/s") > 0.0);
    let lead = lead.strip_prefix("lead ").expect("a lead");
    assert!(lead.starts_with(['+', '-']) && lead.parse::<f64>().is_ok());
    let line: Vec<&str> = line.split(' ').collect();
    assert_eq!((line[0], line[1], line.len()), ("line", played.as_str(), 3));
}

#[test]
fn undo_takes_back_move_and_reply() {
    let mut game = game(7, None);
    run(&mut game, &["d4"]);
    let after_two = board(&game);
    assert_eq!((moves(&game), after_two.matches('X').count()), (2, 1));
    run(&mut game, &["C3"]);
    assert_eq!(moves(&game), 4);
    assert_eq!(run(&mut game, &["undo"]), "Back to move 2.");
    assert_eq!(board(&game), after_two);
    run(&mut game, &["u"]);
    assert_eq!(moves(&game), 0);
    assert_eq!(run(&mut game, &["u"]), "! you have no move to take back");
    // The program's first move cannot be taken back by White.
    run(&mut game, &["color white"]);
    assert_eq!(
        (moves(&game), game.engine().position().to_move()),
        (1, Color::White)
    );
    assert_eq!(run(&mut game, &["u"]), "! you have no move to take back");
}

/// Invalid lines on the 9x9 board, and the expected messages.
const INVALID_LINES: [(&str, &str); 18] = [
    ("k10", "! k10 is not on the 9x9 board"),
    ("i5", "! i5 is not on the 9x9 board"),
    ("udno", "! unknown command \"udno\"; did you mean \"undo\"?"),
    (
        "reisgn now",
        "! unknown command \"reisgn\"; did you mean \"resign\"?",
    ),
    (
        "xyz",
        "! unknown command \"xyz\"; type help for a list of commands",
    ),
    ("pass now", "! unexpected argument \"now\""),
    ("c3 d3", "! unexpected argument \"d3\""),
    ("level 11", "! \"11\" is not a valid level (1 to 10)"),
    (
        "new 1",
        "! \"1\" is not a valid board size (2 to 19, or WIDTHxHEIGHT)",
    ),
    (
        "handicap 1",
        "! \"1\" is not a valid number of handicap stones (0, or 2 to 20 on the 9x9 board)",
    ),
    (
        "handicap x",
        "! \"x\" is not a valid number of handicap stones",
    ),
    (
        "komi 0.3",
        "! \"0.3\" is not a valid komi (a multiple of 0.5 from -400 to 400)",
    ),
    (
        "color red",
        "! \"red\" is not a valid side (black, white, both or none)",
    ),
    (
        "add red d4",
        "! \"red\" is not a valid colour (black or white)",
    ),
    (
        "cancel",
        "! no position is being set up; type setup to start",
    ),
    ("done", "! no position is being set up; type setup to start"),
    ("save", "! missing argument: file name"),
    ("", ""),
];

#[test]
fn invalid_lines_are_errors_without_effect() {
    let mut game = game(9, None);
    for (line, answer) in INVALID_LINES {
        assert_eq!(run(&mut game, &[line]), answer, "{line}");
    }
    // The message of the operating system.
    let missing = fs::read("/nonesuch.sgf").unwrap_err();
    assert_eq!(
        run(&mut game, &["load /nonesuch.sgf"]),
        format!("! /nonesuch.sgf: {missing}")
    );
    assert!(
        run(&mut game, &["rules nonesuch"])
            .starts_with("! \"nonesuch\" is not a valid rule set (use ")
    );
    assert_eq!((moves(&game), game.setup_draft().is_none()), (0, true));
    run(&mut game, &["color both", "e5"]);
    assert_eq!(run(&mut game, &["e5"]), "! E5: the point is occupied");
    assert_eq!(run(&mut game, &["quit"]), "(quit)");
}

#[test]
fn game_starts_from_set_up_position() {
    let mut game = game(5, None);
    run(&mut game, &["add b b2 c3", "add w c3 d4", "clear b2"]);
    assert!(game.setup_draft().is_some());
    let in_setup =
        "! a position is being set up; type done to play from it, or cancel to go back to the game";
    assert_eq!(run(&mut game, &["a1"]), in_setup);
    assert_eq!(run(&mut game, &["save x"]), in_setup);
    assert_eq!(run(&mut game, &["turn"]), "White moves first.");
    run(&mut game, &["turn black", "done"]);
    assert_eq!(
        board(&game),
        ". . . . .\n. . . O .\n. . O . .\n. . . . .\n. . . . .\n"
    );
    run(&mut game, &["clear all", "add b a1 a2 b2 b1"]);
    run(&mut game, &["cancel"]);
    assert_eq!(board(&game).matches('O').count(), 2);
    // White has no liberty in the corner; no game starts.
    run(&mut game, &["add b a2 b1", "add w a1"]);
    let no_liberty =
        "! the white chain at A1 has no liberties; remove it or leave an adjacent point empty";
    assert_eq!(run(&mut game, &["done"]), no_liberty);
    assert!(game.setup_draft().is_some());
    run(&mut game, &["clear a1", "turn w", "done"]);
    // It is the program's turn.
    assert_eq!(moves(&game), 1);
}

#[test]
fn hint_and_score_mark_the_board() {
    let mut game = game(5, None);
    let text = run(&mut game, &["hint"]);
    assert!(
        text.starts_with("Best moves for Black (win rate, lead):\n"),
        "{text}"
    );
    let Marks::Hints(hints) = game.board_view(None).marks.clone() else {
        panic!("no hints");
    };
    let first = text.lines().nth(1).expect("a move");
    let best = game.record().size().vertex(hints[0]);
    assert!(
        (1..=5).contains(&hints.len()) && first.starts_with("1 "),
        "{text}"
    );
    assert!(first.contains(&format!("  {best}")), "{text}");
    let text = run(&mut game, &["score"]);
    assert!(text.starts_with("Black's win rate is ") || text.starts_with("White's win rate is "));
    assert!(text.contains("%. Estimated score: "), "{text}");
    let Marks::Ownership { values, .. } = game.board_view(None).marks else {
        panic!("no ownership");
    };
    assert_eq!(values.len(), 25);
    // Invalid lines keep the marks.
    run(&mut game, &["add red d4"]);
    assert!(matches!(
        game.board_view(None).marks,
        Marks::Ownership { .. }
    ));
    let text = run(&mut game, &["setup", "done"]);
    assert!(text.ends_with("\nBack to the game."), "{text}");
    run(&mut game, &["c3"]);
    assert_eq!(game.board_view(None).marks, &Marks::None);
}

#[test]
fn two_passes_end_the_game_until_undo() {
    let mut game = game(5, None);
    let text = run(&mut game, &["color both", "c3", "pass", "pass"]);
    // One stone owns the board: 25 points minus the komi.
    assert!(text.ends_with("Game over: B+17.5."), "{text}");
    assert!(matches!(
        game.board_view(None).marks,
        Marks::Ownership { .. }
    ));
    // A new komi changes the result.
    let text = run(&mut game, &["komi 0.5"]);
    assert_eq!(text, "Komi 0.5.\nGame over: B+24.5.");
    run(&mut game, &["komi 7.5"]);
    let over = "! the game is over; type new to start another one, or undo to continue this one";
    for line in ["a1", "hint", "go", "resign", "pass"] {
        assert_eq!(run(&mut game, &[line]), over, "{line}");
    }
    run(&mut game, &["undo", "d3"]);
    assert_eq!(moves(&game), 3);
    assert_eq!(run(&mut game, &["resign"]), "Game over: B+R.");
    // Undo takes back only the resignation, even on an empty board.
    run(&mut game, &["undo", "pass"]);
    assert_eq!(moves(&game), 4);
    run(&mut game, &["new", "color both", "resign", "undo", "e5"]);
    assert_eq!(moves(&game), 1);
}

/// A position in which the moves C4, B4, D4 and A4 capture two stones of each colour and lead back to the position.
const ETERNAL_LIFE: [&str; 6] = [
    "color both",
    "setup",
    "add white A4 B4 C3 D3",
    "add black D4 A3 B3",
    "turn black",
    "done",
];

#[test]
fn repetition_follows_the_ko_rule() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game-1.sgf");
    let mut game = game(4, Some(folder.path().to_owned()));
    run(&mut game, &ETERNAL_LIFE);
    let text = run(&mut game, &["c4", "b4", "d4", "a4"]);
    let rejected = "! A4: the move repeats an earlier position (superko)";
    assert_eq!((text.as_str(), moves(&game)), (rejected, 3));
    let shown = run(&mut game, &["rules"]);
    assert_eq!(
        shown,
        "Rules: chinese-ogs, komi 7.5; positional superko: no move may repeat an earlier position."
    );
    run(&mut game, &["rules chinese", "a4", "c4", "b4", "d4"]);
    let no_result = "Game over: no result (a position occurred three times).";
    assert_eq!(run(&mut game, &["a4"]), no_result);
    assert_eq!(run(&mut game, &["score"]), no_result);
    assert!(run(&mut game, &["c4"]).starts_with("! the game is over"));
    assert!(fs::read_to_string(&path).unwrap().contains("RE[Void]"));
    assert_eq!(run(&mut game, &["undo"]), "Back to move 7.");
    assert_eq!(run(&mut game, &["a1"]), "");
    assert!(!fs::read_to_string(&path).unwrap().contains("RE["));
}

#[test]
fn file_with_repetition_loads_with_warning() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    let load = format!("load {}", file.display());
    let setup = "SZ[4]AB[da][ab][bb]AW[aa][ba][cb][db];B[ca];W[ba];B[da];W[aa]";
    let warning = "Illegal under these rules: move 4 (white A4): the move repeats an earlier position (superko)";
    for (rules, warning) in [
        ("", Some(warning)),
        ("RU[AGA]", Some(warning)),
        ("RU[Chinese]", None),
        ("RU[Japanese]", None),
    ] {
        fs::write(&file, format!("(;{rules}{setup})")).unwrap();
        let text = run(&mut game(5, None), &["color both", &load]);
        let expected = ["You play both.", "Loaded a game of 4 moves."];
        let expected: Vec<&str> = expected.into_iter().chain(warning).collect();
        assert_eq!(text, expected.join("\n"), "{rules}");
    }
}

#[test]
fn white_moves_first_in_handicap_games() {
    let mut game = game(9, None);
    let text = run(&mut game, &["handicap 3"]);
    assert_eq!(text, "New game with 3 handicap stones and komi 0.5.");
    assert_eq!(moves(&game), 1);
    assert_eq!(game.engine().position().handicap(), 3);
    // More stones than there are fixed points.
    run(&mut game, &["color both", "handicap 10"]);
    assert_eq!(board(&game).matches('X').count(), 10);
    run(&mut game, &["new 13x7"]);
    assert_eq!(game.record().size().to_string(), "13x7");
    let komi = |game: &Game| game.record().rules().komi.to_string();
    assert_eq!(komi(&game), "7.5", "the komi of even games is restored");
    run(&mut game, &["komi 6.5", "handicap 2", "handicap 0"]);
    assert_eq!(komi(&game), "6.5");
    run(&mut game, &["handicap 2", "komi 3.5", "new"]);
    assert_eq!(komi(&game), "3.5");
    run(&mut game, &["new 2"]);
    let text = run(&mut game, &["handicap 2"]);
    assert_eq!(
        text,
        "! \"2\" is not a valid number of handicap stones (only 0 is allowed on the 2x2 board)"
    );
    // Files without a komi use the komi of even games.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bare.sgf");
    fs::write(&file, "(;SZ[5];B[cc])").unwrap();
    let load = format!("load {}", file.display());
    run(&mut game, &["handicap 2", &load]);
    assert_eq!((komi(&game).as_str(), moves(&game)), ("3.5", 1));
    // Handicap stones may be played as moves.
    fs::write(&file, "(;SZ[9]KM[0.5]HA[2];B[cg];B[gc];W[ee])").unwrap();
    run(&mut game, &[&load, "new"]);
    assert_eq!(komi(&game), "3.5");
    // A file with other rules restores the default komi of these rules.
    fs::write(&file, "(;SZ[9]RU[Japanese]KM[0.5]HA[2];W[cc])").unwrap();
    run(&mut game, &[&load, "new"]);
    assert_eq!(komi(&game), "6.5");
}

#[test]
fn setup_continues_a_finished_game() {
    let mut game = game(5, None);
    run(&mut game, &["color both", "c3", "b2", "pass", "pass"]);
    assert!(game.record().ended());
    assert!(run(&mut game, &["setup", "done"]).ends_with("The game starts from this position."));
    run(&mut game, &["d4"]);
    assert_eq!(moves(&game), 1);
}

#[test]
fn score_counts_removed_stones() {
    for (white, removed) in [("a3", "1 dead stone"), ("a3 e5", "2 dead stones")] {
        let mut game = game(5, None);
        let black = "add b b1 b2 b3 b4 b5 d1 d2 d3 d4 d5";
        let white = format!("add w {white}");
        let text = run(
            &mut game,
            &["color both", black, &white, "done", "pass", "pass"],
        );
        let expected = format!("Game over: B+17.5 ({removed} removed).");
        assert!(text.ends_with(&expected), "{text}");
    }
}

#[test]
fn saved_games_keep_players_and_result() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a game.sgf");
    let name = file.to_str().unwrap();
    let mut first = game(5, None);
    run(&mut first, &["level 10", "c3", "b2"]);
    let saved = board(&first);
    assert_eq!(
        run(&mut first, &[&format!("save {name}")]),
        format!("Saved to {name}.")
    );
    let text = fs::read_to_string(&file).unwrap();
    for part in [
        "PB[Player]",
        "PW[Honinbo level 10]",
        "SZ[5]",
        "RU[chinese-ogs]",
        "KM[7.5]",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let mut second = game(9, None);
    run(&mut second, &["color white", "level 3"]);
    assert_eq!(
        run(&mut second, &[&format!("load {name}")]),
        "Loaded a game of 4 moves."
    );
    assert_eq!(
        (board(&second), second.human_colors()),
        (saved, first.human_colors())
    );
    assert_eq!(second.engine().settings().level.number, 10);
    run(&mut second, &["resign", &format!("save {name}")]);
    assert!(fs::read_to_string(&file).unwrap().contains("RE[W+R]"));
    assert!(run(&mut first, &[&format!("load {name}")]).ends_with("Game over: W+R."));
}

#[test]
fn saving_keeps_previous_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    let original = "(;SZ[5];B[aa](;W[bb]C[good])(;W[cc]))";
    fs::write(&file, original).unwrap();
    let [name, copy] = ["game.sgf", "game-1.sgf"].map(|name| folder.path().join(name));
    let mut game = game(5, None);
    let save = format!("save {}", name.display());
    run(&mut game, &[&format!("load {}", name.display()), "c3"]);
    let saved = format!("Saved to {}.", name.display());
    let kept = format!("{saved}\nThe previous file is now {}.", copy.display());
    assert_eq!(run(&mut game, &[&save]), kept);
    assert_eq!(fs::read_to_string(&copy).unwrap(), original);
    // The same game can be saved again.
    run(&mut game, &["undo"]);
    assert_eq!(run(&mut game, &[&save]), saved);
    run(&mut game, &["new", "d4"]);
    assert!(run(&mut game, &[&save]).ends_with("game-2.sgf."));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn damaged_files_load_up_to_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    let load = format!("load {}", file.display());
    let mut game = game(9, None);
    fs::write(&file, "(;SZ[5]PB[Lee]PW[Cho];B[cc];W[bb];B[bb];W[aa])").unwrap();
    let text = run(&mut game, &[&load]);
    let cut = "Stopped at an illegal move: move 3 (black B4): the point is occupied";
    assert_eq!(text, format!("Loaded a game of 2 moves.\n{cut}"));
    assert!(
        game.human_colors().is_human(Color::Black) && !game.human_colors().is_human(Color::White)
    );
    // Players chosen by the user do not change.
    run(&mut game, &["color none", &load]);
    assert!(
        Color::BOTH
            .iter()
            .all(|&color| !game.human_colors().is_human(color))
    );
    let before = board(&game);
    for text in ["", "no game", "(;SZ[52];B[aa])"] {
        fs::write(&file, text).unwrap();
        assert!(run(&mut game, &[&load]).starts_with("! "), "{text}");
        assert_eq!(board(&game), before);
    }
    // Saving to a symbolic link writes to its target.
    #[cfg(unix)]
    {
        let link = folder.path().join("link.sgf");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        run(&mut game, &[&format!("save {}", link.display())]);
        assert!(link.is_symlink() && fs::read_to_string(&file).unwrap().contains("SZ[5]"));
        fs::remove_file(link).unwrap();
        // The copy of the previous content.
        fs::remove_file(folder.path().join("link-1.sgf")).unwrap();
    }
    // Folders and devices are rejected without writing to them.
    let not_a_file = ": this is not a regular file";
    let folder = folder.path().to_str().unwrap();
    assert!(run(&mut game, &[&format!("load {folder}")]).ends_with(not_a_file));
    assert!(run(&mut game, &[&format!("save {folder}")]).ends_with(not_a_file));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

#[test]
fn games_are_autosaved_unless_empty() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("deep");
    let path = games.join("game-1.sgf");
    let mut first = game(5, Some(games.clone()));
    run(&mut first, &["komi 6.5", "show"]);
    assert!(!path.exists());
    run(&mut first, &["c3"]);
    assert!(fs::read_to_string(&path).unwrap().contains("KM[6.5]"));
    let before = fs::read_to_string(&path).unwrap();
    assert!(before.contains(";W["));
    run(&mut game(5, Some(games.clone())), &["new 9", "quit"]);
    // Another game, in this or another session, has another file.
    run(&mut game(5, Some(games.clone())), &["d4"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    assert_eq!(fs::read_dir(&games).unwrap().count(), 2);
    // Once saved, a game is also saved after undoing all moves.
    run(&mut first, &["undo"]);
    assert!(!fs::read_to_string(&path).unwrap().contains(";W["));
    run(&mut first, &["new", "b2"]);
    assert_eq!(fs::read_dir(&games).unwrap().count(), 3);
    // Errors are reported after every move.
    let mut failing = game(5, Some(path.join("below a file")));
    for point in ["c3", "d3"] {
        let text = run(&mut failing, &[point]);
        assert!(text.contains("cannot autosave the game: "), "{text}");
    }
}

#[test]
fn earlier_positions_are_shown_without_changing_the_game() {
    let mut game = game(5, None);
    run(&mut game, &["color both", "c3", "b3", "c2", "b2"]);
    let shown = |game: &Game| Color::BOTH.map(|color| game.board_view(None).stones[color].len());
    for (line, text, stones) in [
        ("back", "Move 3 of 4. Black played C2.", [2, 1]),
        ("< 2", "Move 1 of 4. Black played C3.", [1, 0]),
        ("back 9", "Move 0 of 4.", [0, 0]),
        (">", "Move 1 of 4. Black played C3.", [1, 0]),
        ("goto 2", "Move 2 of 4. White played B3.", [1, 1]),
        ("forward 7", "Move 4 of 4. White played B2.", [2, 2]),
        ("goto 1", "Move 1 of 4. Black played C3.", [1, 0]),
    ] {
        assert_eq!(run(&mut game, &[line]), text, "{line}");
        assert_eq!(shown(&game), stones, "{line}");
        assert_eq!(moves(&game), 4, "{line}");
    }
    let earlier =
        "! move 1 of 4 is shown; type end to return to the game, or undo to continue from here";
    for line in ["d4", "pass", "hint", "go", "score", "resign", "redo"] {
        assert_eq!(run(&mut game, &[line]), earlier, "{line}");
    }
    assert_eq!(game.state_text(), "Move 1 of 4 is shown; White is to play.");
    assert_eq!(run(&mut game, &["end"]), "Move 4 of 4. White played B2.");
    for line in ["back 0", "back x", "goto 5", "goto -1", "goto"] {
        assert!(run(&mut game, &[line]).starts_with("! "), "{line}");
    }
}

#[test]
fn program_waits_while_an_earlier_position_is_shown() {
    let mut game = game(5, None);
    run(&mut game, &["c3", "back 2", "color white"]);
    assert_eq!((moves(&game), game.start_turn_if_due()), (2, false));
    run(&mut game, &["end"]);
    assert_eq!(moves(&game), 3);
}

#[test]
fn moves_taken_back_can_be_played_again() {
    let mut game = game(5, None);
    run(
        &mut game,
        &["color both", "c3", "b3", "c2", "b2", "color black"],
    );
    let complete = board(&game);
    assert_eq!(
        run(&mut game, &["redo"]),
        "! there are no moves to play again"
    );
    run(&mut game, &["undo", "undo"]);
    assert_eq!(moves(&game), 0);
    assert_eq!(run(&mut game, &["redo"]), "Forward to move 2.");
    assert_eq!(run(&mut game, &["redo"]), "Forward to move 4.");
    assert_eq!(board(&game), complete);
    // The moves after an earlier position.
    assert_eq!(
        run(&mut game, &["color both", "goto 1", "undo"]),
        "You play both.\nMove 1 of 4. Black played C3.\nBack to move 1."
    );
    assert_eq!(
        run(&mut game, &["redo", "redo", "redo"]),
        "Forward to move 2.\nForward to move 3.\nForward to move 4."
    );
    assert_eq!(board(&game), complete);
    // Another move ends it.
    run(&mut game, &["undo", "e5"]);
    assert_eq!(
        run(&mut game, &["redo"]),
        "! there are no moves to play again"
    );
}

#[test]
fn review_finds_a_mistake_and_shows_it() {
    let mut game = game(5, None);
    assert_eq!(
        run(&mut game, &["review"]),
        "! there are no moves to review"
    );
    assert_eq!(
        run(&mut game, &["mistake"]),
        "! the game has not been reviewed; type review first"
    );
    // Black takes the centre; White passes, and Black fills a corner.
    run(
        &mut game,
        &["color both", "c3", "c4", "d4", "a1", "b4", "c5", "c2"],
    );
    let text = run(&mut game, &["review 300"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("Black: ") && lines[1].starts_with("White: "),
        "{text}"
    );
    assert!(
        lines.iter().any(|line| line.starts_with("  4  White A1")),
        "{text}"
    );
    let shown = run(&mut game, &["goto 3", "mistake"]);
    let shown = shown.lines().nth(1).unwrap();
    assert!(
        shown.starts_with("Move 4 of 7. White played A1. It lost ")
            && shown.contains(" points; better: "),
        "{shown}"
    );
    assert!(matches!(game.board_view(None).marks, Marks::Hints(hints) if hints.len() == 1));
    // The review of another move does not apply.
    let shown = run(&mut game, &["undo", "undo", "pass", "back", "forward"]);
    assert!(shown.ends_with("White passed."), "{shown}");
    assert!(run(&mut game, &["new", "mistake"]).ends_with("type review first"));
    assert_eq!(
        run(&mut game, &["review 0"]),
        "! \"0\" is not a valid number of visits (1 to 1000000)"
    );
}
