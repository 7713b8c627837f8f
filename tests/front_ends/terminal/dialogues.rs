//! What lines do to a game.

use std::fs;
use std::time::Duration;

use honinbo::game::color::Color;
use honinbo::game::diagram::to_diagram;
use honinbo::terminal::board_view::{ASCII, DisplayOptions, Marks};
use honinbo::terminal::game::Game;
use honinbo::terminal::line_mode;
use honinbo::terminal::output::CommandOutput;

use crate::terminal::game;

/// Says all lines, with the program's answers waited for; what was said in return.
fn say(game: &mut Game, lines: &[&str]) -> String {
    let mut said = Vec::new();
    for line in lines {
        match game.execute(line) {
            Ok(CommandOutput::Messages(words) | CommandOutput::Board(words)) => said.extend(words),
            Ok(CommandOutput::Quit) => said.push("(left)".to_owned()),
            Err(trouble) => said.push(format!("! {trouble}")),
        }
        while game.start_turn_if_due() {
            let told = loop {
                if let Some(told) = game.poll(Duration::from_secs(1)).unwrap() {
                    break told;
                }
            };
            said.extend(told);
        }
    }
    said.join("\n")
}

fn moves(game: &Game) -> usize {
    game.record().moves().len()
}

fn board(game: &Game) -> String {
    to_diagram(game.engine().position().board())
}

#[test]
fn a_line_too_long_is_refused_as_a_whole() {
    let mut game = game(5, None);
    let input = format!("{}\nb2\n", "d4 ".repeat(30_000));
    let look = DisplayOptions {
        glyphs: ASCII,
        use_color: false,
    };
    let mut output = Vec::new();
    line_mode::run(&mut game, &mut input.as_bytes(), &mut output, look, &[]).unwrap();
    let output = String::from_utf8(output).unwrap();
    let refusal = "! expected a line of at most 65536 bytes, found a longer one\n";
    assert_eq!(output.matches("! ").count(), 1, "{output}");
    assert!(output.contains(refusal), "{output}");
    assert_eq!(moves(&game), 2, "B2 and the answer");
}

#[test]
fn a_move_is_answered_and_undo_takes_both_back() {
    let mut game = game(7, None);
    assert!(say(&mut game, &["d4"]).starts_with("White plays "));
    let after_two = board(&game);
    assert_eq!((moves(&game), after_two.matches('X').count()), (2, 1));
    say(&mut game, &["C3"]);
    assert_eq!(moves(&game), 4);
    assert_eq!(say(&mut game, &["undo"]), "Back to move 2.");
    assert_eq!(board(&game), after_two);
    say(&mut game, &["u"]);
    assert_eq!(moves(&game), 0);
    assert_eq!(
        say(&mut game, &["u"]),
        "! there is no move of yours to take back"
    );
    // The program's first move is no move of White's.
    say(&mut game, &["color white"]);
    assert_eq!(
        (moves(&game), game.engine().position().to_move()),
        (1, Color::White)
    );
    assert_eq!(
        say(&mut game, &["u"]),
        "! there is no move of yours to take back"
    );
}

#[test]
fn what_makes_no_sense_is_named_and_changes_nothing() {
    let mut game = game(9, None);
    for (line, answer) in [
        ("k10", "! expected a point from A1 to J9, found \"k10\""),
        ("i5", "! expected a point from A1 to J9, found \"i5\""),
        (
            "udno",
            "! no such command or point: \"udno\"; did you mean \"undo\"? (help lists them all)",
        ),
        (
            "reisgn now",
            "! no such command or point: \"reisgn\"; did you mean \"resign\"? (help lists them all)",
        ),
        (
            "xyz",
            "! no such command or point: \"xyz\" (help lists them all)",
        ),
        ("pass now", "! expected nothing more, found \"now\""),
        ("c3 d3", "! expected nothing more, found \"d3\""),
        ("level 11", "! expected a level from 1 to 10, found \"11\""),
        (
            "new 1",
            "! expected a side from 2 to 19, or WIDTHxHEIGHT, found \"1\"",
        ),
        (
            "handicap 1",
            "! expected 0, or 2 to 20 stones on the 9x9 board, found \"1\"",
        ),
        ("handicap x", "! expected a number of stones, found \"x\""),
        (
            "komi 0.3",
            "! expected a multiple of 0.5 from -400 to 400, found \"0.3\"",
        ),
        (
            "color red",
            "! expected black, white, both or none, found \"red\"",
        ),
        ("add red d4", "! expected black or white, found \"red\""),
        ("cancel", "! no position is being set up: setup begins that"),
        ("done", "! no position is being set up: setup begins that"),
        ("save", "! expected the name of a file, found \"\""),
        ("", ""),
    ] {
        assert_eq!(say(&mut game, &[line]), answer, "{line}");
    }
    // In the system's words.
    let missing = fs::read("/nonesuch.sgf").unwrap_err();
    assert_eq!(
        say(&mut game, &["load /nonesuch.sgf"]),
        format!("! /nonesuch.sgf: {missing}")
    );
    assert!(say(&mut game, &["rules nonesuch"]).starts_with("! expected one of "));
    assert_eq!((moves(&game), game.draft().is_none()), (0, true));
    say(&mut game, &["color both", "e5"]);
    assert_eq!(
        say(&mut game, &["e5"]),
        "! e5: expected an empty point, found a stone".replace("e5:", "E5:")
    );
    assert_eq!(say(&mut game, &["quit"]), "(left)");
}

#[test]
fn a_position_is_set_up_and_played_from() {
    let mut game = game(5, None);
    say(&mut game, &["add b b2 c3", "add w c3 d4", "clear b2"]);
    assert!(game.draft().is_some());
    let refused = "! a position is being set up: done begins to play from it, cancel goes back";
    assert_eq!(say(&mut game, &["a1"]), refused);
    assert_eq!(say(&mut game, &["save x"]), refused);
    assert_eq!(say(&mut game, &["turn"]), "White will move first.");
    say(&mut game, &["turn black", "done"]);
    assert_eq!(
        board(&game),
        ". . . . .\n. . . O .\n. . O . .\n. . . . .\n. . . . .\n"
    );
    say(&mut game, &["clear all", "add b a1 a2 b2 b1"]);
    say(&mut game, &["cancel"]);
    assert_eq!(board(&game).matches('O').count(), 2);
    // White has no liberty in the corner; nothing is begun.
    say(&mut game, &["add b a2 b1", "add w a1"]);
    let no_liberty = "! expected every chain to have a liberty, found a white chain without one";
    assert_eq!(say(&mut game, &["done"]), no_liberty);
    assert!(game.draft().is_some());
    say(&mut game, &["clear a1", "turn w", "done"]);
    // It is the program's turn.
    assert_eq!(moves(&game), 1);
}

#[test]
fn hints_and_scores_mark_the_board() {
    let mut game = game(5, None);
    let said = say(&mut game, &["hint"]);
    assert!(
        said.starts_with("Black's best moves (win, lead):\n"),
        "{said}"
    );
    let Marks::Hints(hints) = game.board_view(None).marks.clone() else {
        panic!("no hints");
    };
    assert!((1..=5).contains(&hints.len()) && hints.iter().all(|&(_, percent)| percent <= 100));
    let said = say(&mut game, &["score"]);
    assert!(said.starts_with("Black wins with ") || said.starts_with("White wins with "));
    assert!(said.contains(" %; the score is about "), "{said}");
    let Marks::Ownership { values: black, .. } = game.board_view(None).marks else {
        panic!("no owners");
    };
    assert_eq!(black.len(), 25);
    // What is refused takes nothing off.
    say(&mut game, &["add red d4"]);
    assert!(matches!(
        game.board_view(None).marks,
        Marks::Ownership { .. }
    ));
    let said = say(&mut game, &["setup", "done"]);
    assert!(said.ends_with("\nThe game goes on."), "{said}");
    say(&mut game, &["c3"]);
    assert_eq!(game.board_view(None).marks, &Marks::None);
}

#[test]
fn two_passes_end_the_game_with_a_count_and_undo_opens_it_again() {
    let mut game = game(5, None);
    let said = say(&mut game, &["color both", "c3", "pass", "pass"]);
    // One stone owns the board: 25 points less the komi.
    assert!(said.ends_with("The game is over: B+17.5."), "{said}");
    assert!(matches!(
        game.board_view(None).marks,
        Marks::Ownership { .. }
    ));
    // Other terms count it anew.
    let said = say(&mut game, &["komi 0.5"]);
    assert_eq!(said, "The komi is 0.5.\nThe game is over: B+24.5.");
    say(&mut game, &["komi 7.5"]);
    let over = "! the game is over: new begins another, undo goes back";
    for line in ["a1", "hint", "go", "resign", "pass"] {
        assert_eq!(say(&mut game, &[line]), over, "{line}");
    }
    say(&mut game, &["undo", "d3"]);
    assert_eq!(moves(&game), 3);
    assert_eq!(say(&mut game, &["resign"]), "The game is over: B+R.");
    // A resignation alone, also where there is no move to take back.
    say(&mut game, &["undo", "pass"]);
    assert_eq!(moves(&game), 4);
    say(&mut game, &["new", "color both", "resign", "undo", "e5"]);
    assert_eq!(moves(&game), 1);
}

#[test]
fn a_handicap_leaves_the_first_move_to_white() {
    let mut game = game(9, None);
    let said = say(&mut game, &["handicap 3"]);
    assert!(said.starts_with("A new game with 3 handicap stones and a komi of 0.5.\nWhite plays "));
    assert_eq!(game.engine().position().handicap(), 3);
    // More than have fixed places.
    say(&mut game, &["color both", "handicap 10"]);
    assert_eq!(board(&game).matches('X').count(), 10);
    say(&mut game, &["new 13x7"]);
    assert_eq!(game.record().size().to_string(), "13x7");
    let komi = |game: &Game| game.record().rules().komi.to_string();
    assert_eq!(komi(&game), "7.5", "even games have theirs again");
    say(&mut game, &["komi 6.5", "handicap 2", "handicap 0"]);
    assert_eq!(komi(&game), "6.5");
    say(&mut game, &["handicap 2", "komi 3.5", "new"]);
    assert_eq!(komi(&game), "3.5");
    say(&mut game, &["new 2"]);
    let said = say(&mut game, &["handicap 2"]);
    assert_eq!(said, "! expected 0 stones on the 2x2 board, found \"2\"");
    // And so has one of a file that tells none.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bare.sgf");
    fs::write(&file, "(;SZ[5];B[cc])").unwrap();
    let load = format!("load {}", file.display());
    say(&mut game, &["handicap 2", &load]);
    assert_eq!((komi(&game).as_str(), moves(&game)), ("3.5", 1));
    // Handicap stones may have been played.
    fs::write(&file, "(;SZ[9]KM[0.5]HA[2];B[cg];B[gc];W[ee])").unwrap();
    say(&mut game, &[&load, "new"]);
    assert_eq!(komi(&game), "3.5");
    // Even games by other rules have theirs.
    fs::write(&file, "(;SZ[9]RU[Japanese]KM[0.5]HA[2];W[cc])").unwrap();
    say(&mut game, &[&load, "new"]);
    assert_eq!(komi(&game), "6.5");
}

#[test]
fn a_game_that_is_over_can_be_gone_on_with_from_where_it_ended() {
    let mut game = game(5, None);
    say(&mut game, &["color both", "c3", "b2", "pass", "pass"]);
    assert!(game.record().ended());
    assert!(say(&mut game, &["setup", "done"]).ends_with("The game begins from here."));
    say(&mut game, &["d4"]);
    assert_eq!(moves(&game), 1);
}

#[test]
fn the_count_tells_what_was_taken_off() {
    for (white, taken) in [("a3", "a dead stone"), ("a3 e5", "2 dead stones")] {
        let mut game = game(5, None);
        let black = "add b b1 b2 b3 b4 b5 d1 d2 d3 d4 d5";
        let white = format!("add w {white}");
        let said = say(
            &mut game,
            &["color both", black, &white, "done", "pass", "pass"],
        );
        let expected = format!("The game is over: B+17.5 with {taken} taken off.");
        assert!(said.ends_with(&expected), "{said}");
    }
}

#[test]
fn games_are_saved_with_result_and_players_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a game.sgf");
    let name = file.to_str().unwrap();
    let mut first = game(5, None);
    say(&mut first, &["level 10", "c3", "b2"]);
    let left = board(&first);
    assert_eq!(
        say(&mut first, &[&format!("save {name}")]),
        format!("Saved as {name}.")
    );
    let text = fs::read_to_string(&file).unwrap();
    for part in [
        "PB[Player]",
        "PW[Honinbo level 10]",
        "SZ[5]",
        "RU[Chinese]",
        "KM[7.5]",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let mut second = game(9, None);
    say(&mut second, &["color white", "level 3"]);
    assert_eq!(
        say(&mut second, &[&format!("load {name}")]),
        "A game of 4 moves."
    );
    assert_eq!((board(&second), second.players()), (left, first.players()));
    assert_eq!(second.engine().settings().level.number, 10);
    say(&mut second, &["resign", &format!("save {name}")]);
    assert!(fs::read_to_string(&file).unwrap().contains("RE[W+R]"));
    assert!(say(&mut first, &[&format!("load {name}")]).ends_with("The game is over: W+R."));
}

#[test]
fn foreign_and_damaged_files_are_read_as_far_as_they_go() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    let load = format!("load {}", file.display());
    let mut game = game(9, None);
    fs::write(&file, "(;SZ[5]PB[Lee]PW[Cho];B[cc];W[bb];B[bb];W[aa])").unwrap();
    let said = say(&mut game, &[&load]);
    let cut = "read up to a fault: move 3 (black B4): expected an empty point, found a stone";
    assert_eq!(said, format!("A game of 2 moves.\n{cut}"));
    assert!(game.players().is_human(Color::Black) && !game.players().is_human(Color::White));
    // Seats that were chosen are kept.
    say(&mut game, &["color none", &load]);
    assert!(
        Color::BOTH
            .iter()
            .all(|&color| !game.players().is_human(color))
    );
    let before = board(&game);
    for text in ["", "no game", "(;SZ[52];B[aa])"] {
        fs::write(&file, text).unwrap();
        assert!(say(&mut game, &[&load]).starts_with("! "), "{text}");
        assert_eq!(board(&game), before);
    }
    // A link stays a link.
    #[cfg(unix)]
    {
        let link = folder.path().join("link.sgf");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        say(&mut game, &[&format!("save {}", link.display())]);
        assert!(link.is_symlink() && fs::read_to_string(&file).unwrap().contains("SZ[5]"));
        fs::remove_file(link).unwrap();
    }
    // A folder or a device is no file; the older game stays.
    let no_file = ": expected a file, found a folder or device";
    let folder = folder.path().to_str().unwrap();
    assert!(say(&mut game, &[&format!("load {folder}")]).ends_with(no_file));
    assert!(say(&mut game, &[&format!("save {folder}")]).ends_with(no_file));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

#[test]
fn the_game_is_kept_from_move_to_move_but_never_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("deep").join("kept.sgf");
    let mut first = game(5, Some(kept.clone()));
    say(&mut first, &["komi 6.5", "show"]);
    assert!(!kept.exists());
    say(&mut first, &["c3"]);
    assert!(fs::read_to_string(&kept).unwrap().contains("KM[6.5]"));
    let before = fs::read_to_string(&kept).unwrap();
    assert!(before.contains(";W["));
    say(&mut game(5, Some(kept.clone())), &["new 9", "quit"]);
    assert_eq!(fs::read_to_string(&kept).unwrap(), before);
    // A game that is taken back to its beginning is kept as it is left.
    say(&mut first, &["undo"]);
    assert!(!fs::read_to_string(&kept).unwrap().contains(";W["));
    // Where nothing can be kept, that is said once.
    let mut unlucky = game(5, Some(kept.join("below a file.sgf")));
    let said = say(&mut unlucky, &["c3", "d3"]);
    assert_eq!(said.matches("cannot keep the game: ").count(), 1, "{said}");
}
