//! Tygem's format. The head consists of lines `\[NAME=value\]`. The moves are lines such as `STO 0 2 1 15 3`: number,
//! colour (1 for Black), column and row, counted from 0 at the upper left. `INI 0 1 3` gives the handicap.

use super::builder::{GameBuilder, ServerGame, name_and_rank};
use crate::game::color::Color;
use crate::game::handicap::fixed_placement;
use crate::game::point::{BoardSize, Move, Point};

/// Results without a number of points, by the number in the fields `GRLT` and `W`.
const RESULTS: [(&str, &str); 4] = [("3", "B+R"), ("4", "W+R"), ("7", "B+T"), ("8", "W+T")];

pub(super) fn is_gib(lines: &[&str]) -> bool {
    lines
        .iter()
        .find(|line| !line.is_empty())
        .is_some_and(|line| line.starts_with(r"\HS"))
}

pub(super) fn read(lines: &[&str]) -> ServerGame {
    let mut builder = GameBuilder::new(BoardSize::STANDARD.width());
    for (index, line) in lines.iter().enumerate() {
        if let Some((name, value)) = header(line) {
            read_header(&mut builder, name, value);
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_understood = match *words {
            ["STO", _, _, color, column, row, ..] => read_move(&mut builder, color, column, row),
            ["SKI", _, _, color, ..] => pass(&mut builder, color),
            ["INI", _, _, handicap, ..] => read_handicap(&mut builder, handicap),
            ["STO" | "SKI" | "INI" | "REM", ..] => false,
            _ => true,
        };
        if !is_understood {
            builder.stop_at(index, line, "a move such as STO 0 2 1 15 3");
            break;
        }
    }
    builder.finish()
}

fn header(line: &str) -> Option<(&str, &str)> {
    let content = line.strip_prefix(r"\[")?;
    content
        .strip_suffix(r"\]")
        .unwrap_or(content)
        .split_once('=')
}

fn read_header(builder: &mut GameBuilder, name: &str, value: &str) {
    let players = [("GAMEBLACKNAME", "PB", "BR"), ("GAMEWHITENAME", "PW", "WR")];
    if let Some((_, name_property, rank_property)) =
        players.iter().find(|(player, ..)| *player == name)
    {
        let (player, rank) = name_and_rank(value);
        builder.set(name_property, player);
        builder.set(rank_property, rank);
    }
    match name {
        "GAMEPLACE" => builder.set("PC", value),
        "GAMENAME" => builder.set("GN", value),
        "GAMETAG" => {
            let fields: Vec<&str> = value.split(',').collect();
            let field = |letter| fields.iter().find_map(|field| field.strip_prefix(letter));
            set_komi(builder, field('G'));
            set_result(builder, field('W'), field('Z'));
            if let Some(date) = field('C') {
                let numbers: Vec<&str> = date.split(':').take(3).collect();
                builder.set("DT", &numbers.join("-"));
            }
        }
        "GAMEINFOMAIN" => {
            let fields: Vec<(&str, &str)> = value
                .split(',')
                .filter_map(|field| field.split_once(':'))
                .collect();
            let field = |wanted| {
                fields
                    .iter()
                    .find(|(name, _)| *name == wanted)
                    .map(|(_, value)| *value)
            };
            set_komi(builder, field("GONGJE"));
            set_result(builder, field("GRLT"), field("ZIPSU"));
        }
        _ => {}
    }
}

/// Sets the komi, which is given in tenths.
fn set_komi(builder: &mut GameBuilder, tenths: Option<&str>) {
    let Some(text) = tenths else {
        return;
    };
    // An unusual number is passed on unchanged, so that the reader of the game reports it.
    let komi = text
        .parse::<i32>()
        .ok()
        .filter(|tenths| tenths.abs() <= 200);
    let komi = komi.map(|tenths| format!("{}", f64::from(tenths) / 10.0));
    builder.set("KM", &komi.unwrap_or_else(|| text.to_owned()));
}

fn set_result(builder: &mut GameBuilder, kind: Option<&str>, tenths: Option<&str>) {
    let Some(kind) = kind else {
        return;
    };
    let named = RESULTS.iter().find(|(number, _)| *number == kind);
    let points = tenths
        .and_then(|tenths| tenths.parse::<u32>().ok())
        .filter(|&tenths| tenths > 0);
    let result = match (named, kind, points) {
        (Some((_, result)), ..) => (*result).to_owned(),
        (None, "0", Some(tenths)) => format!("B+{}", f64::from(tenths) / 10.0),
        (None, "1", Some(tenths)) => format!("W+{}", f64::from(tenths) / 10.0),
        _ => return,
    };
    builder.set("RE", &result);
}

fn color_by_number(number: &str) -> Option<Color> {
    match number {
        "1" => Some(Color::Black),
        "2" => Some(Color::White),
        _ => None,
    }
}

fn read_move(builder: &mut GameBuilder, color: &str, column: &str, row: &str) -> bool {
    let numbers = column.parse().ok().zip(row.parse().ok());
    let point = numbers.and_then(|(column, row)| BoardSize::STANDARD.point(column, row));
    let (Some(color), Some(point)) = (color_by_number(color), point) else {
        return false;
    };
    builder.add_move(color, Move::Play(point));
    true
}

fn pass(builder: &mut GameBuilder, color: &str) -> bool {
    let color = color_by_number(color);
    if let Some(color) = color {
        builder.add_move(color, Move::Pass);
    }
    color.is_some()
}

fn read_handicap(builder: &mut GameBuilder, stones: &str) -> bool {
    let Ok(stones) = stones.parse::<usize>() else {
        return false;
    };
    let points: Vec<Point> = fixed_placement(BoardSize::STANDARD, stones).unwrap_or_default();
    if !points.is_empty() {
        builder.set("HA", &stones.to_string());
    }
    for point in points {
        builder.add_stone(Color::Black, point);
    }
    stones <= 9
}

#[cfg(test)]
mod tests {
    use crate::sgf::other_formats::read_as_sgf as read;

    const GAME: &str = "\\HS\r\n\\[GAMEBLACKNAME=Ada (1D)\\]\r\n\\[GAMEWHITENAME=Ben (2D)\\]\r\n\
        \\[GAMETAG=S0,R1,D1,G65,W1,Z35,T30-3-600,C2020:01:02:03:04\\]\r\n\\HE\r\n\\GS\r\n2 1 0\r\n39 0 &4\r\n\
        INI 0 1 HANDICAP &4\r\nSTO 0 2 1 15 3\r\nSTO 0 3 2 3 15\r\nSKI 0 4 1\r\n\\GE\r\n";

    #[test]
    fn game_is_read() {
        let (text, warnings) = read(&GAME.replace("HANDICAP", "0"));
        assert_eq!(
            text,
            "(;FF[4]GM[1]CA[UTF-8]SZ[19]PB[Ada]BR[1D]PW[Ben]WR[2D]KM[6.5]RE[W+3.5]DT[2020-01-02]\
             ;B[pd];W[dp];B[])"
        );
        assert_eq!(warnings, 0);
        let (text, _) = read(&GAME.replace("HANDICAP", "3"));
        assert!(text.contains("HA[3]AB[dp][pd][dd]"), "{text}");
    }

    #[test]
    fn unknown_line_ends_the_moves() {
        for bad in ["STO 0 3 3 3 15", "STO 0 3 2 19 15", "STO 0 3 2", "REM 0 3"] {
            let (text, warnings) =
                read(&GAME.replace("HANDICAP", "0").replace("STO 0 3 2 3 15", bad));
            assert!(text.ends_with(";B[pd])"), "{bad}: {text}");
            assert_eq!(warnings, 1, "{bad}");
        }
    }
}
