//! Pandanet's formats (`.ugf` and `.ugi`). Lines `Name=value` follow `[Header]`, and moves such as `QD,B1,1,0` follow
//! `[Data]`: column and row as letters from A to S, colour and player, number of the move, seconds. With the coordinate
//! type `IGS`, rows are counted from the bottom. The number 0 denotes a set-up stone, and `YA` a pass.

use super::builder::{GameBuilder, ServerGame, color_of, line_error};
use crate::game::point::{BoardSize, Move};
use crate::sgf::scan::SyntaxError;

pub(super) fn is_ugf(lines: &[&str]) -> bool {
    let first = lines.iter().find(|line| !line.is_empty());
    first.is_some_and(|line| line.eq_ignore_ascii_case("[header]"))
}

pub(super) fn read(lines: &[&str]) -> Result<ServerGame, SyntaxError> {
    let head_len = section_start(lines, "[data]").unwrap_or(lines.len());
    let header = |name: &str| {
        let fields = lines[..head_len]
            .iter()
            .filter_map(|line| line.split_once('='));
        let mut named = fields.filter(|(field, _)| field.trim().eq_ignore_ascii_case(name));
        named.next().map_or("", |(_, value)| value.trim())
    };
    let side = header("Size");
    let size = side
        .parse()
        .ok()
        .and_then(|side| BoardSize::new(side, side));
    let size = match (side, size) {
        ("", _) => BoardSize::STANDARD,
        (_, Some(size)) => size,
        _ => return Err(line_error(0, side, "a board size from 2 to 19")),
    };
    let mut builder = GameBuilder::new(size.width());
    let players = [("PlayerB", "PB", "BR"), ("PlayerW", "PW", "WR")];
    for (field, name_property, rank_property) in players {
        let mut parts = header(field).split(',');
        builder.set(name_property, parts.next().unwrap_or_default());
        builder.set(rank_property, parts.next().unwrap_or_default());
    }
    let (handicap, komi) = header("Hdcp")
        .split_once(',')
        .unwrap_or((header("Hdcp"), ""));
    if handicap != "0" {
        builder.set("HA", handicap);
    }
    builder.set("KM", komi.split(',').next().unwrap_or_default());
    let rules = header("Rule");
    builder.set(
        "RU",
        if rules.starts_with("JPN") {
            "Japanese"
        } else {
            rules
        },
    );
    let date = header("Date").split([',', ' ']).next().unwrap_or_default();
    builder.set("DT", &date.replace('/', "-"));
    builder.set("PC", header("Place"));
    builder.set("GN", header("Title").split(',').next().unwrap_or_default());
    set_result(&mut builder, header("Winner"));
    let from_bottom = header("CoordinateType").eq_ignore_ascii_case("IGS");
    read_moves(&mut builder, lines, head_len, size, from_bottom);
    Ok(builder.finish())
}

fn section_start(lines: &[&str], name: &str) -> Option<usize> {
    lines
        .iter()
        .position(|line| line.eq_ignore_ascii_case(name))
}

/// Sets the result, such as `B,R`, `W,T` or `B,3.50`.
fn set_result(builder: &mut GameBuilder, text: &str) {
    let mut parts = text.split(',').map(str::trim);
    let winner = parts.next().and_then(color_of);
    let margin = parts.next().unwrap_or_default();
    let is_margin = matches!(margin, "R" | "T" | "F") || margin.parse::<f64>().is_ok();
    if let Some(winner) = winner {
        let margin = if is_margin { margin } else { "" };
        builder.set("RE", &format!("{}+{margin}", winner.letter()));
    }
}

fn read_moves(
    builder: &mut GameBuilder,
    lines: &[&str],
    head_len: usize,
    size: BoardSize,
    from_bottom: bool,
) {
    let data = lines.iter().enumerate().skip(head_len + 1);
    for (index, line) in data.take_while(|(_, line)| !line.starts_with('[')) {
        if line.is_empty() {
            continue;
        }
        let upper = line.to_ascii_uppercase();
        let mut fields = upper.split(',');
        let place = fields.next().unwrap_or_default();
        let color = fields.next().and_then(color_of);
        let mv = read_point(place, size, from_bottom);
        let (Some(color), Some(mv)) = (color, mv) else {
            builder.stop_at(index, line, "a move such as QD,B1,1,0");
            return;
        };
        match (fields.next().map(str::trim), mv) {
            (Some("0"), Move::Play(point)) => builder.add_stone(color, point),
            _ => builder.add_move(color, mv),
        }
    }
}

fn read_point(text: &str, size: BoardSize, from_bottom: bool) -> Option<Move> {
    if text == "YA" {
        return Some(Move::Pass);
    }
    let [column, row] = *text.as_bytes() else {
        return None;
    };
    let side = |letter: u8| letter.checked_sub(b'A').map(usize::from);
    let (column, row) = (side(column)?, side(row)?);
    let row = if from_bottom {
        (size.height() - 1).checked_sub(row)?
    } else {
        row
    };
    size.point(column, row).map(Move::Play)
}

#[cfg(test)]
mod tests {
    use crate::sgf::other_formats::read_as_sgf as read;
    use crate::sgf::parse;

    const GAME: &str = "[Header]\r\nCoordinateType=IGS\r\nLang=JPN\r\nTitle=Club game,\r\nSize=19\r\nHdcp=0,6.50\r\n\
        Rule=JPN1\r\nPlayerB=ada,1d,\r\nPlayerW=ben,2d,\r\nDate=2020/01/02 10:00:00,\r\nWinner=W,R\r\n[Data]\r\n\
        QD,B1,1,0\r\nDP,W1,2,12\r\nYA,B1,3,0\r\n[Figure]\r\n.EndFig\r\n";

    #[test]
    fn game_is_read() {
        assert_eq!(
            read(GAME),
            (
                "(;FF[4]GM[1]CA[UTF-8]SZ[19]PB[ada]BR[1d]PW[ben]WR[2d]KM[6.50]RU[Japanese]DT[2020-01-02]\
                 GN[Club game]RE[W+R];B[qp];W[dd];B[])"
                    .to_owned(),
                0
            )
        );
    }

    #[test]
    fn handicap_and_other_coordinates_are_read() {
        let text = GAME
            .replace("CoordinateType=IGS", "CoordinateType=JPN")
            .replace("Hdcp=0,6.50", "Hdcp=2,0");
        let (text, _) = read(
            &text
                .replace("QD,B1,1,0", "DP,B1,0,0\r\nPD,B1,0,0")
                .replace("DP,W1,2", "CC,W1,1"),
        );
        assert!(text.contains("AB[dp][pd];W[cc];B[])"), "{text}");
        assert!(text.contains("HA[2]KM[0]"), "{text}");
    }

    #[test]
    fn unknown_move_ends_the_game() {
        for bad in ["ZZ,W1,2,12", "DP,X1,2,12", "DP", "D,W1,2"] {
            let (text, warnings) = read(&GAME.replace("DP,W1,2,12", bad));
            assert!(text.ends_with(";B[qp])"), "{bad}: {text}");
            assert_eq!(warnings, 1, "{bad}");
        }
        assert!(parse(GAME.replace("Size=19", "Size=25").as_bytes()).is_err());
    }
}
