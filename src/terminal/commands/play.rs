//! Moves, and advice on them.

use crate::engine::dead::dead_stones;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::symmetry::Symmetry;
use crate::terminal::command::{Command, Reply, When, nothing_after};
use crate::terminal::game::{Game, OVER, title};
use crate::terminal::picture::Marks;
use crate::terminal::trouble::Trouble;

/// The group.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "pass",
        short: "p",
        usage: "",
        summary: "gives up the turn; two passes end the game",
        when: When::Game,
        run: |game, rest| nothing_after(rest).and_then(|()| game.play(Move::Pass)),
    },
    Command {
        name: "undo",
        short: "u",
        usage: "",
        summary: "takes your last move back, and what followed it, or a resignation alone",
        when: When::Game,
        run: undo,
    },
    Command {
        name: "hint",
        short: "",
        usage: "",
        summary: "shows the best moves and their chances to win",
        when: When::Game,
        run: hint,
    },
    Command {
        name: "score",
        short: "",
        usage: "",
        summary: "shows whose the points will be, and who is ahead",
        when: When::Game,
        run: score,
    },
    Command {
        name: "go",
        short: "",
        usage: "",
        summary: "has the program make this move",
        when: When::Game,
        run: go,
    },
    Command {
        name: "resign",
        short: "",
        usage: "",
        summary: "gives the game up",
        when: When::Game,
        run: resign,
    },
];

fn undo(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    nothing_after(rest)?;
    let made = game.record().moves().len();
    if game.engine.take_back_resignation() {
        game.marks = Marks::None;
        return Ok(Reply::board(format!("Back to move {made}.")));
    }
    let record = game.record();
    let mine = |&moves: &usize| {
        let position = record.position_after(moves);
        position.is_some_and(|position| game.seats().by_hand(position.to_move()))
    };
    let until = (0..made).rev().find(mine);
    let until = until.ok_or(Trouble::NotNow("there is no move of yours to take back"))?;
    for _ in until..made {
        game.engine.undo();
    }
    game.marks = Marks::None;
    Ok(Reply::board(format!("Back to move {until}.")))
}

fn hint(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    nothing_after(rest)?;
    if game.record().ended() {
        return Err(OVER);
    }
    game.begin_hint();
    Ok(Reply::Said(Vec::new()))
}

fn go(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    nothing_after(rest)?;
    if game.record().ended() {
        return Err(OVER);
    }
    game.begin_move();
    Ok(Reply::Said(Vec::new()))
}

fn resign(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    nothing_after(rest)?;
    if game.record().ended() {
        return Err(OVER);
    }
    let to_move = game.engine().position().to_move();
    let loser = game.seats().hand_near(to_move);
    let loser = loser.ok_or(Trouble::NotNow("no colour is yours to resign for"))?;
    game.engine.resign(loser);
    game.marks = Marks::None;
    Ok(Reply::Board(game.after_move()?))
}

fn score(game: &mut Game, rest: &str) -> Result<Reply, Trouble> {
    nothing_after(rest)?;
    let position = game.engine().position();
    if position.ended() {
        return Ok(Reply::Board(game.count()?));
    }
    let to_move = position.to_move();
    let ownership = game.engine().ownership()?;
    let evaluation = game.engine().evaluate(to_move, Symmetry::IDENTITY)?;
    let dead = dead_stones(position, &ownership, None);
    // The network judges them apart: who is to win may seem a little behind.
    let [value, lead] = [evaluation.value, evaluation.score_lead].map(|of| to_move.from_black(of));
    let side = |number: f32| match number < 0.0 {
        true => Color::White,
        false => Color::Black,
    };
    let said = format!(
        "{} wins with {:.0} %; the score is about {}+{:.1}.",
        title(side(value)),
        50.0 * (1.0 + value.abs()),
        side(lead).letter(),
        lead.abs(),
    );
    game.marks = Marks::Owners {
        black: ownership.all().to_vec(),
        dead,
    };
    Ok(Reply::board(said))
}
