//! The terms of a game, rules and komi, as game files write them.

use super::tree::Node;
use super::value::Value;
use crate::game::rules::{Komi, Rules};

/// Names of rules as game files write them, where they differ from our own.
const FILE_NAMES: [(&str, &str); 5] = [
    ("Chinese", "chinese"),
    ("Japanese", "japanese"),
    ("AGA", "aga"),
    ("NZ", "new-zealand"),
    ("GOE", "ing"),
];

/// Rules and komi as the root of a game names them; what it does not name is that of `fallback`, but for the komi of
/// rules that are not those, which is their usual one.
pub(super) fn read_rules(root: &Node, fallback: Rules) -> Rules {
    let text = |name| root.value(name).map(Value::simple_text);
    let named = text("RU").and_then(|name| Rules::named(&name));
    let komi = text("KM")
        .and_then(|komi| first_number(&komi))
        .map(|komi| {
            if counts_hundredths(root) {
                in_points(komi)
            } else {
                komi
            }
        })
        .and_then(|komi| Komi::from_points(komi).or_else(|| in_stones(komi)));
    let others = named.filter(|named| named.with_komi(fallback.komi) != fallback);
    let rules = others.unwrap_or(fallback);
    komi.map_or(rules, |komi| rules.with_komi(komi))
}

/// The number that a text begins with; some write `6,5` for 6.5, or name the points behind it.
fn first_number(text: &str) -> Option<f64> {
    text.split_whitespace()
        .next()?
        .replace(',', ".")
        .parse()
        .ok()
}

/// Black's handicap stones as the root of a game names them; one stone is none.
pub(super) fn read_handicap(root: &Node) -> Option<usize> {
    let stones: usize = root.value("HA")?.simple_text().trim().parse().ok()?;
    Some(if stones < 2 { 0 } else { stones })
}

/// Whether the file comes from a server that writes komi in hundredths (Fox, by its own name or by that of the program
/// through which its games reach gokifu.com).
fn counts_hundredths(root: &Node) -> bool {
    let known = |value: &Value| {
        let program = value.simple_text();
        program.contains("foxwq") || program.contains("SGFC:2.0")
    };
    root.values("AP").iter().any(known)
}

/// Such a komi: 375 and 650 for 7.5 and 6.5. Small numbers are points already.
fn in_points(komi: f64) -> f64 {
    if komi.abs() < 50.0 {
        return komi;
    }
    let points = komi / 100.0;
    in_stones(points).map_or(points, Komi::points)
}

/// A komi of 5.5 to 7.5 points as Chinese rules tell it, by the stones of one side alone.
fn in_stones(komi: f64) -> Option<Komi> {
    let usual = (2.75..=3.75).contains(&komi);
    usual.then(|| Komi::from_points(2.0 * komi)).flatten()
}

/// What game files call rules with these axes: a name, or the axes in short.
pub(super) fn rules_name(rules: &Rules) -> String {
    let Some(name) = rules.name() else {
        return rules.short();
    };
    let file_name = FILE_NAMES.iter().find(|(_, ours)| *ours == name);
    file_name
        .map_or(name, |(file_name, _)| file_name)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgf::parse;

    #[test]
    fn komi_in_hundredths_is_known_by_the_program_and_in_stones_by_its_quarters() {
        let komi = |text: &str| {
            let games = parse(text.as_bytes()).unwrap().collection.games;
            let root = games[0].node(games[0].root());
            read_rules(root, Rules::default()).komi.points()
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
        assert_eq!(komi("(;KM[3.75])"), 7.5, "by the stones of one side");
        assert_eq!(komi("(;KM[2.75])"), 5.5);
        assert_eq!(komi("(;KM[3.3])"), 7.5, "what is no komi is not read");
        assert_eq!(komi("(;KM[5,5])"), 5.5);
        assert_eq!(komi("(;KM[ 6.5 points])"), 6.5);
    }

    #[test]
    fn rules_without_a_komi_have_their_usual_one_unless_they_are_those_told() {
        let usual = Rules::named("japanese").unwrap();
        let told = usual.with_komi(Komi::from_points(5.5).unwrap());
        let read = |text: &str| {
            let parsed = parse(text.as_bytes()).unwrap();
            read_rules(parsed.first().node(parsed.first().root()), told)
        };
        assert_eq!(read("(;RU[Japanese])"), told);
        assert_eq!(read("(;)"), told);
        assert_eq!(read("(;RU[Chinese])"), Rules::named("chinese").unwrap());
        assert_eq!(read("(;RU[Japanese]KM[0.5])").komi.points(), 0.5);
    }
}
