//! WBaduk's format. The first twelve lines are the head, by position. The moves are lines such as `PMABBQD`: number in
//! two letters, colour, column and row, counted from `B` at the upper left. `AA` is a pass.

use super::builder::{GameBuilder, ServerGame, color_of};
use crate::game::color::Color;
use crate::game::handicap::fixed_placement;
use crate::game::point::{BoardSize, Move, Point};

/// Number of lines before the first move.
const HEAD_LEN: usize = 12;

/// Reads a game. Returns `None` if the head is not that of this format.
pub(super) fn read(lines: &[&str]) -> Option<ServerGame> {
    let (head, body) = lines.split_first_chunk::<HEAD_LEN>()?;
    let [
        _,
        side,
        white,
        black,
        place,
        handicap,
        _,
        komi,
        date,
        _,
        result,
        _,
    ] = head;
    let side: usize = side.parse().ok()?;
    let size = BoardSize::new(side, side)?;
    let handicap: usize = handicap.parse().ok()?;
    let komi_points: f64 = komi.parse().ok()?;
    let mut builder = GameBuilder::new(side);
    let players = [(white, "PW", "WR"), (black, "PB", "BR")];
    for (player, name_property, rank_property) in players {
        let (name, rank) = player
            .split_once(char::is_whitespace)
            .unwrap_or((player, ""));
        builder.set(name_property, name);
        builder.set(rank_property, rank.trim().trim_end_matches('*'));
    }
    builder.set("PC", place);
    // The file contains only the integer part of the komi of an even game.
    let is_rounded = handicap < 2 && komi_points.fract() == 0.0 && komi_points > 0.0;
    let komi = komi_points + if is_rounded { 0.5 } else { 0.0 };
    builder.set("KM", &komi.to_string());
    set_date(&mut builder, date);
    set_result(&mut builder, result);
    place_handicap(&mut builder, size, handicap);
    for (index, line) in body.iter().enumerate() {
        if !line.starts_with("PM") {
            continue;
        }
        match read_move(line, size) {
            Some((color, mv)) => builder.add_move(color, mv),
            None => {
                builder.stop_at(HEAD_LEN + index, line, "a move such as PMABBQD");
                break;
            }
        }
    }
    Some(builder.finish())
}

fn set_date(builder: &mut GameBuilder, text: &str) {
    if let Some(date) = text
        .get(..8)
        .filter(|date| date.bytes().all(|byte| byte.is_ascii_digit()))
    {
        builder.set(
            "DT",
            &format!("{}-{}-{}", &date[..4], &date[4..6], &date[6..]),
        );
    }
}

/// Sets the result, such as `Black wins by resign` or `White wins by 3.5 points`.
fn set_result(builder: &mut GameBuilder, text: &str) {
    let lower = text.to_lowercase();
    let winner = match () {
        () if lower.contains("black win") => "B",
        () if lower.contains("white win") => "W",
        () => return,
    };
    let mut words = lower.split_whitespace();
    let points = words.find_map(|word| word.parse::<f64>().ok());
    let margin = match points {
        Some(points) => points.to_string(),
        None if lower.contains("resign") => "R".to_owned(),
        None if lower.contains("time") => "T".to_owned(),
        None => String::new(),
    };
    builder.set("RE", &format!("{winner}+{margin}"));
}

/// Places the handicap stones. Unlike in GTP, the third stone is at the lower right.
fn place_handicap(builder: &mut GameBuilder, size: BoardSize, stones: usize) {
    let Some(mut points) = fixed_placement(size, stones) else {
        return;
    };
    if let (3, Some(four)) = (stones, fixed_placement(size, 4)) {
        points[2] = four[3];
    }
    builder.set("HA", &stones.to_string());
    for point in points {
        builder.add_stone(Color::Black, point);
    }
}

fn read_move(line: &str, size: BoardSize) -> Option<(Color, Move)> {
    let bytes = line.as_bytes();
    let [_, _, _, _, _, column, row, ..] = *bytes else {
        return None;
    };
    let color = color_of(line.get(4..5)?)?;
    if [column, row] == *b"AA" {
        return Some((color, Move::Pass));
    }
    let side = |letter: u8| letter.checked_sub(b'B').map(usize::from);
    let point: Point = size.point(side(column)?, side(row)?)?;
    Some((color, Move::Play(point)))
}

#[cfg(test)]
mod tests {
    use crate::sgf::other_formats::read_as_sgf as read;
    use crate::sgf::parse;

    const GAME: &str = "Rated game\r\n19\r\nben    5D*\r\nada    4D\r\nwww.example.org\r\n0\r\n0\r\n6\r\n\
        20200102 [00:00]\r\n3\r\nBlack wins by resign!\r\n3\r\nPMABBQDDQ\r\nPMACWDQQD\r\nPMADBAAAA\r\n";

    #[test]
    fn game_is_read() {
        assert_eq!(
            read(GAME),
            (
                "(;FF[4]GM[1]CA[UTF-8]SZ[19]PW[ben]WR[5D]PB[ada]BR[4D]PC[www.example.org]KM[6.5]DT[2020-01-02]\
                 RE[B+R];B[pc];W[cp];B[])"
                    .to_owned(),
                0
            )
        );
    }

    #[test]
    fn handicap_and_score_are_read() {
        let text = GAME.replace("\r\n0\r\n0\r\n6\r\n", "\r\n3\r\n0\r\n0\r\n");
        let (text, _) = read(&text.replace("Black wins by resign!", "White wins by 3.5 points"));
        assert!(text.contains("RE[W+3.5]HA[3]AB[dp][pd][pp]"), "{text}");
        assert!(text.contains("KM[0]"), "{text}");
    }

    #[test]
    fn unknown_move_ends_the_game() {
        for bad in ["PMACWZQQD", "PMACXDQ", "PMAC"] {
            let (text, warnings) = read(&GAME.replace("PMACWDQQD", bad));
            assert!(text.ends_with(";B[pc])"), "{bad}: {text}");
            assert_eq!(warnings, 1, "{bad}");
        }
    }

    #[test]
    fn other_texts_are_not_of_this_format() {
        let text = "line\n".repeat(20);
        assert!(parse(text.as_bytes()).is_err());
        assert!(parse(GAME.replace("\r\n19\r\n", "\r\n99\r\n").as_bytes()).is_err());
    }
}
