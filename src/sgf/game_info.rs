//! Rules, komi and handicap in the root node of a game.

use super::tree::Node;
use super::value::Value;
use crate::game::rules::{Komi, Rules};

/// Pairs of a rule set's name in SGF and the engine's name for that rule set. All other rule sets have the same name in
/// both.
const SGF_RULE_NAMES: [(&str, &str); 5] = [
    ("Chinese", "chinese"),
    ("Japanese", "japanese"),
    ("AGA", "aga"),
    ("NZ", "new-zealand"),
    ("GOE", "ing"),
];

/// Reads rules and komi from the root node.
///
/// Missing or unknown rules are taken from `fallback`. A missing or invalid komi is taken from `fallback` if the file
/// names no rules or the same rules as `fallback`. Otherwise, it is the default of the named rule set.
pub(super) fn read_rules_and_komi(root: &Node, fallback: Rules) -> Rules {
    let text = |name| root.value(name).map(Value::simple_text);
    let named_rules = text("RU").and_then(|name| Rules::parse(&name));
    let komi = text("KM")
        .and_then(|komi| parse_leading_number(&komi))
        .map(|komi| {
            if has_komi_in_hundredths(root) {
                from_hundredths(komi)
            } else {
                komi
            }
        })
        .and_then(|komi| Komi::from_points(komi).or_else(|| from_stone_komi(komi)));
    let other_rules = named_rules.filter(|named| named.with_komi(fallback.komi) != fallback);
    let rules = other_rules.unwrap_or(fallback);
    komi.map_or(rules, |komi| rules.with_komi(komi))
}

/// Parses the number at the start of a text. Accepts `6,5` for 6.5 and ignores everything after the first white space.
fn parse_leading_number(text: &str) -> Option<f64> {
    text.split_whitespace()
        .next()?
        .replace(',', ".")
        .parse()
        .ok()
}

/// Reads the number of handicap stones from the root node. A single stone counts as 0. Returns `None` if the node has
/// no valid number.
pub(super) fn read_handicap(root: &Node) -> Option<usize> {
    let stones: usize = root.value("HA")?.simple_text().trim().parse().ok()?;
    Some(if stones < 2 { 0 } else { stones })
}

/// Returns true if the file comes from the Fox server, which writes komi in hundredths. The AP property contains the
/// name of the server (`foxwq`) or of the program that exports Fox games to gokifu.com (`SGFC:2.0`).
fn has_komi_in_hundredths(root: &Node) -> bool {
    let is_hundredths_program = |value: &Value| {
        let program = value.simple_text();
        program.contains("foxwq") || program.contains("SGFC:2.0")
    };
    root.values("AP").iter().any(is_hundredths_program)
}

/// Converts a komi in hundredths to points: 650 becomes 6.5, and 375, which is in [stones](from_stone_komi), becomes
/// 7.5. Numbers between -50 and 50 are already in points.
fn from_hundredths(komi: f64) -> f64 {
    if komi.abs() < 50.0 {
        return komi;
    }
    let points = komi / 100.0;
    from_stone_komi(points).map_or(points, Komi::points)
}

/// Converts a komi in stones to points. In Chinese counting, a komi of 5.5 to 7.5 points is written as half that number
/// (2.75 to 3.75). Returns `None` for numbers outside this range.
fn from_stone_komi(komi: f64) -> Option<Komi> {
    let is_stone_komi = (2.75..=3.75).contains(&komi);
    is_stone_komi
        .then(|| Komi::from_points(2.0 * komi))
        .flatten()
}

/// Returns the RU value for these rules: the name of a rule set if one matches, and KataGo's compact notation
/// otherwise.
pub(super) fn rules_name(rules: &Rules) -> String {
    let Some(name) = rules.name() else {
        return rules.to_katago_string();
    };
    let sgf_name = SGF_RULE_NAMES.iter().find(|(_, ours)| *ours == name);
    sgf_name.map_or(name, |(sgf_name, _)| sgf_name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgf::parse;

    #[test]
    fn komi_units_are_detected() {
        let komi = |text: &str| {
            let games = parse(text.as_bytes()).unwrap().collection.games;
            let root = games[0].node(games[0].root());
            read_rules_and_komi(root, Rules::default()).komi.points()
        };
        assert_eq!(
            komi("(;KM[375]HA[0]RU[Chinese]AP[GNU Go:3.8]AP[foxwq])"),
            7.5
        );
        assert_eq!(komi("(;KM[650]RU[Japanese]AP[foxwq])"), 6.5);
        assert_eq!(komi("(;KM[0]HA[2]RU[Chinese]AP[foxwq])"), 0.0);
        assert_eq!(komi("(;KM[50]RU[Chinese]AP[foxwq])"), 0.5);
        assert_eq!(komi("(;KM[375]AP[SGFC:2.0])"), 7.5);
        assert_eq!(komi("(;KM[375])"), 375.0);
        assert_eq!(komi("(;KM[3.5]AP[SGFC:2.0])"), 3.5);
        assert_eq!(komi("(;KM[3.75])"), 7.5, "Chinese counting");
        assert_eq!(komi("(;KM[2.75])"), 5.5);
        assert_eq!(komi("(;KM[3.3])"), 7.5, "not a valid komi");
        assert_eq!(komi("(;KM[5,5])"), 5.5);
        assert_eq!(komi("(;KM[ 6.5 points])"), 6.5);
    }

    #[test]
    fn komi_defaults_to_rule_set() {
        let japanese = Rules::parse("japanese").unwrap();
        let fallback = japanese.with_komi(Komi::from_points(5.5).unwrap());
        let read = |text: &str| {
            let parsed = parse(text.as_bytes()).unwrap();
            read_rules_and_komi(
                parsed.first_game().node(parsed.first_game().root()),
                fallback,
            )
        };
        assert_eq!(read("(;RU[Japanese])"), fallback);
        assert_eq!(read("(;)"), fallback);
        assert_eq!(read("(;RU[Chinese])"), Rules::parse("chinese").unwrap());
        assert_eq!(read("(;RU[Japanese]KM[0.5])").komi.points(), 0.5);
    }
}
