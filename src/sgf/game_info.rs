//! Rules, komi and handicap in the root node of a game.

use super::komi_text::parse_komi;
use super::rules_text::parse_rules;
use super::tree::Node;
use super::value::Value;
use super::warning::GameWarning;
use crate::game::color::Color;
use crate::game::rules::Rules;
use crate::io::error_text::excerpt;

/// Pairs of a rule set's name in SGF and the engine's name for that rule set. All other rule sets have the same name in
/// both.
const SGF_RULE_NAMES: [(&str, &str); 5] = [
    ("Chinese", "chinese"),
    ("Japanese", "japanese"),
    ("AGA", "aga"),
    ("NZ", "new-zealand"),
    ("GOE", "ing"),
];

/// Reads rules and komi from the root node. Adds a warning for each value that is not understood.
///
/// Missing or unknown rules are taken from `fallback`. A missing or invalid komi is taken from `fallback` if the file
/// names no rules or the same rules as `fallback`. Otherwise, it is the default of the named rule set.
pub(super) fn read_rules_and_komi(
    root: &Node,
    fallback: Rules,
    warnings: &mut Vec<GameWarning>,
) -> Rules {
    // `KO` is the name of the komi in old files. In others it marks an illegal move and has no value.
    let komi_text = non_empty_text(root, "KM").or_else(|| non_empty_text(root, "KO"));
    let rules_text = non_empty_text(root, "RU");
    let named_rules = rules_text.as_deref().and_then(parse_rules);
    let other_rules = named_rules.filter(|named| named.with_komi(fallback.komi) != fallback);
    let rules = other_rules.unwrap_or(fallback);
    if let (Some(text), None) = (&rules_text, named_rules) {
        warnings.push(GameWarning::UnknownRules {
            found: excerpt(text),
            used: fallback.name_or_katago_string(),
        });
    }
    let Some(text) = komi_text else {
        return rules;
    };
    let found = excerpt(&text);
    let Some(parsed) = parse_komi(&text, has_komi_in_hundredths(root)) else {
        let used = rules.komi;
        warnings.push(GameWarning::UnknownKomi { found, used });
        return rules;
    };
    if parsed.was_in_hundredths {
        let komi = parsed.komi;
        warnings.push(GameWarning::KomiInHundredths { found, komi });
    }
    rules.with_komi(parsed.komi)
}

/// Returns the text of a property, or `None` if it is missing or empty.
fn non_empty_text(root: &Node, name: &str) -> Option<String> {
    let text = root.value(name)?.simple_text();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Reads the number of handicap stones from the root node. A single stone counts as 0. Returns `None` if the node has
/// no valid number.
pub(super) fn read_handicap(root: &Node) -> Option<usize> {
    let text = root.value("HA")?.simple_text();
    let digits_len = text.find(|char: char| !char.is_ascii_digit());
    let (digits, unit) = text.split_at(digits_len.unwrap_or(text.len()));
    // `2子` or `2 stones` is a number; `2.5` is not.
    let is_number = !unit.contains(|char: char| char.is_ascii_digit());
    let stones: usize = digits.parse().ok().filter(|_| is_number)?;
    Some(if stones < 2 { 0 } else { stones })
}

/// Returns a warning if the root node has a handicap that [`read_handicap`] does not understand.
pub(super) fn handicap_warning(root: &Node) -> Option<GameWarning> {
    let text = non_empty_text(root, "HA").filter(|_| read_handicap(root).is_none())?;
    Some(GameWarning::UnknownHandicap {
        found: excerpt(&text),
    })
}

/// Reads the side to move, or returns `None` if the node does not set it. Accepts 1 for Black and 2 for White.
pub fn read_side_to_move(node: &Node) -> Option<Color> {
    let text = node.value("PL")?.simple_text();
    match text.trim() {
        "1" | "黑" | "흑" => Some(Color::Black),
        "2" | "白" | "백" => Some(Color::White),
        text => Color::parse(text),
    }
}

/// Returns true if the game type is missing or denotes Go. The standard number is 1; some programs write names or 0.
pub(super) fn is_go(game_type: &str) -> bool {
    let game_type = game_type.trim().to_lowercase();
    let number = game_type.parse::<f64>();
    number.is_ok_and(|number| number == 1.0 || number == 0.0)
        || [
            "", "go", "weiqi", "baduk", "igo", "围棋", "圍棋", "囲碁", "바둑",
        ]
        .contains(&game_type.as_str())
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
    use crate::game::rules::Komi;
    use crate::sgf::parse;

    #[test]
    fn komi_units_are_detected() {
        let komi = |text: &str| {
            let games = parse(text.as_bytes()).unwrap().collection.games;
            let root = games[0].node(games[0].root());
            let rules = read_rules_and_komi(root, Rules::default(), &mut Vec::new());
            rules.komi.points()
        };
        assert_eq!(
            komi("(;KM[375]HA[0]RU[Chinese]AP[GNU Go:3.8]AP[foxwq])"),
            7.5
        );
        assert_eq!(komi("(;KM[650]RU[Japanese]AP[foxwq])"), 6.5);
        assert_eq!(komi("(;KM[0]HA[2]RU[Chinese]AP[foxwq])"), 0.0);
        assert_eq!(komi("(;KM[50]RU[Chinese]AP[foxwq])"), 0.5);
        assert_eq!(komi("(;KM[375]AP[SGFC:2.0])"), 7.5);
        assert_eq!(komi("(;KM[375])"), 7.5, "without the name of the server");
        assert_eq!(komi("(;KO[5.5])"), 5.5);
        assert_eq!(komi("(;KM[6.5]KO[])"), 6.5);
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
                &mut Vec::new(),
            )
        };
        assert_eq!(read("(;RU[Japanese])"), fallback);
        assert_eq!(read("(;)"), fallback);
        assert_eq!(read("(;RU[Chinese])"), Rules::parse("chinese").unwrap());
        assert_eq!(read("(;RU[Japanese]KM[0.5])").komi.points(), 0.5);
    }

    #[test]
    fn what_is_not_understood_is_reported_once() {
        let warnings = |text: &str| {
            let parsed = parse(text.as_bytes()).unwrap();
            let mut warnings = Vec::new();
            let root = parsed.first_game().node(parsed.first_game().root());
            read_rules_and_komi(root, Rules::default(), &mut warnings);
            warnings.extend(handicap_warning(root));
            let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
            texts.join("; ")
        };
        assert_eq!(warnings("(;RU[Japanese Rules]KM[6.5目]HA[2子])"), "");
        assert_eq!(warnings("(;RU[]KM[]HA[])"), "");
        assert_eq!(
            warnings("(;RU[Chess]KM[many]HA[对子])"),
            "the rules \"Chess\" (RU) are unknown; chinese-ogs rules are used; \
             the komi \"many\" (KM) was not understood; 7.5 is used; the handicap \"对子\" (HA) was not understood"
        );
        assert_eq!(
            warnings("(;RU[Chinese]KM[375])"),
            "the komi \"375\" (KM) was read as 7.5 points"
        );
        assert_eq!(warnings("(;RU[Chinese]KM[375]AP[foxwq])"), "");
    }

    #[test]
    fn game_types_of_go_vary() {
        for game_type in ["", "1", "01", " 1 ", "0", "1.0", "Go", "go", "围棋"] {
            assert!(is_go(game_type), "{game_type}");
        }
        for game_type in ["2", "3", "chess", "11"] {
            assert!(!is_go(game_type), "{game_type}");
        }
    }
}
