//! Setting up a position: stones put down and taken away freely, and who moves first.

use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::terminal::command::{Command, Reply, When, nothing_after, point_of};
use crate::terminal::game::{Draft, Game, title};
use crate::terminal::trouble::Trouble;

/// The group.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "setup",
        short: "",
        usage: "",
        summary: "edits the position, from which a new game begins",
        when: When::Setup,
        run: |_, rest| {
            nothing_after(rest)?;
            Ok(Reply::board(HELP))
        },
    },
    Command {
        name: "add",
        short: "",
        usage: "COLOR POINT...",
        summary: "puts stones there",
        when: When::Setup,
        run: add,
    },
    Command {
        name: "clear",
        short: "",
        usage: "POINT...|all",
        summary: "takes stones away",
        when: When::Setup,
        run: clear,
    },
    Command {
        name: "turn",
        short: "",
        usage: "[COLOR]",
        summary: "sets who moves first, or changes that",
        when: When::Setup,
        run: turn,
    },
    Command {
        name: "done",
        short: "",
        usage: "",
        summary: "begins a game from the position set up",
        when: When::Always,
        run: done,
    },
    Command {
        name: "cancel",
        short: "",
        usage: "",
        summary: "goes back to the game as it was before setup",
        when: When::Always,
        run: cancel,
    },
];

const HELP: &str = "Setting up: add b d4, clear d4, turn w; then done, or cancel.";

impl Game {
    /// Begins to edit the position, unless that is under way.
    pub(in crate::terminal) fn begin_setup(&mut self) {
        let picture = self.picture(None);
        let (stones, to_move) = (picture.stones, self.engine().position().to_move());
        self.draft.get_or_insert(Draft { stones, to_move });
    }

    /// The position being edited, which the table of commands has begun.
    fn edited(&mut self) -> Result<&mut Draft, Trouble> {
        let none = Trouble::NotNow("no position is being set up: setup begins that");
        self.draft.as_mut().ok_or(none)
    }
}

fn points(game: &Game, words: &str) -> Result<PointSet, Trouble> {
    let size = game.record().size();
    if words.is_empty() {
        return Err(Trouble::argument("one or more points", words));
    }
    let points: Result<Vec<Point>, Trouble> = words
        .split_whitespace()
        .map(|word| point_of(size, word))
        .collect();
    Ok(points?.into_iter().collect())
}

fn add(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let color = Color::parse(word).ok_or_else(|| Trouble::argument("black or white", word))?;
    let points = points(game, rest.trim())?;
    let draft = game.edited()?;
    draft.stones[color] |= points;
    draft.stones[color.opposite()] -= points;
    Ok(Reply::board(HELP))
}

fn clear(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    let points = if rest.eq_ignore_ascii_case("all") {
        PointSet::board(game.record().size())
    } else {
        points(game, rest)?
    };
    let draft = game.edited()?;
    for color in Color::BOTH {
        draft.stones[color] -= points;
    }
    Ok(Reply::board(HELP))
}

fn turn(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    let draft = game.edited()?;
    draft.to_move = match Color::parse(rest) {
        Some(color) => color,
        None if rest.is_empty() => draft.to_move.opposite(),
        None => return Err(Trouble::argument("black or white", rest)),
    };
    let first = title(draft.to_move);
    Ok(Reply::board(format!("{first} will move first.")))
}

fn done(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    nothing_after(rest)?;
    let Draft { stones, to_move } = game.edited()?.clone();
    let position = game.engine().position();
    let board = position.board();
    let same = *board.stones_by_color() == stones;
    let goes_on = same && position.to_move() == to_move && !game.record().ended();
    if !goes_on {
        game.engine.set_up(stones, to_move)?;
        game.begin();
    }
    game.draft = None;
    Ok(Reply::board(if goes_on {
        "The game goes on."
    } else {
        "The game begins from here."
    }))
}

fn cancel(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    nothing_after(rest)?;
    game.edited()?;
    game.draft = None;
    Ok(Reply::board("The game goes on."))
}
