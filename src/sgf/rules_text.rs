//! Rules as people and programs write them in game files.

use serde_json::{Map, Value};

use crate::game::rules::Rules;

/// Spellings of a rule set.
struct RulesSpelling {
    /// Words that occur as such, in lower case.
    words: &'static [&'static str],
    /// Texts that occur anywhere, in lower case and without spaces.
    parts: &'static [&'static str],
    /// Name of the rule set.
    rules: &'static str,
}

const fn spelling(
    words: &'static [&'static str],
    parts: &'static [&'static str],
    rules: &'static str,
) -> RulesSpelling {
    RulesSpelling {
        words,
        parts,
        rules,
    }
}

/// Spellings that decide whatever else the text contains, in order of precedence.
const SPECIFIC: [RulesSpelling; 7] = [
    spelling(
        &[],
        &["ancientchinese", "stonescoring", "古代中国", "古代中國"],
        "stone-scoring",
    ),
    spelling(&[], &["ancientterritory"], "ancient-territory"),
    spelling(&[], &["agabutton", "buttongo"], "aga-button"),
    spelling(&[], &["kgschinese", "chinesekgs"], "chinese-kgs"),
    spelling(&[], &["ogschinese", "chineseogs"], "chinese-ogs"),
    spelling(&["tt"], &["tromp"], "tromp-taylor"),
    spelling(&["cgos"], &[], "cgos"),
];

/// Spellings that count only if exactly one entry of this list matches the text.
const GENERAL: [RulesSpelling; 8] = [
    spelling(
        &["jp", "jap", "jpn", "nihon", "nihonkiin"],
        &["japan", "日本", "일본"],
        "japanese",
    ),
    spelling(
        &["cn", "chn"],
        &["chinese", "china", "中国", "中國", "중국"],
        "chinese",
    ),
    spelling(
        &["kr", "kor"],
        &["korea", "한국", "韓国", "韩国", "韓國"],
        "korean",
    ),
    spelling(
        &["aga"],
        &["american", "美国", "美國", "アメリカ", "미국"],
        "aga",
    ),
    spelling(&["bga"], &["british"], "bga"),
    spelling(&["ffg"], &["french", "法国", "フランス"], "aga"),
    spelling(
        &["nz"],
        &[
            "newzealand",
            "新西兰",
            "紐西蘭",
            "ニュージーランド",
            "뉴질랜드",
        ],
        "new-zealand",
    ),
    spelling(
        &["ing", "goe", "sst"],
        &["应氏", "應氏", "応氏", "잉씨"],
        "ing",
    ),
];

/// Spellings that count only if the text contains no others.
const SCORING: [RulesSpelling; 2] = [
    spelling(&["territory"], &["territory"], "japanese"),
    spelling(&["area"], &["area", "数子", "數子"], "chinese"),
];

/// Parses the value of RU: the name of a rule set in several languages, KataGo's compact notation, or a JSON object with
/// individual rules, as KataGo and KaTrain use it. Returns `None` if the text is not understood.
pub(super) fn parse_rules(text: &str) -> Option<Rules> {
    let text = text.trim();
    if let Some(rules) = Rules::parse(text) {
        return Some(rules);
    }
    if text.starts_with('{') {
        return parse_json(text);
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let compact = words.concat();
    let matches = |spelling: &&RulesSpelling| {
        spelling.words.iter().any(|word| words.contains(word))
            || spelling.parts.iter().any(|part| compact.contains(part))
    };
    let only = |spellings: &'static [RulesSpelling]| {
        let mut found = spellings.iter().filter(matches);
        found.next().filter(|_| found.next().is_none())
    };
    let specific = SPECIFIC.iter().find(matches);
    let is_general = GENERAL.iter().any(|spelling| matches(&spelling));
    let found = specific
        .or_else(|| only(&GENERAL))
        .or_else(|| only(&SCORING).filter(|_| !is_general));
    found.and_then(|spelling| Rules::parse(spelling.rules))
}

fn parse_json(text: &str) -> Option<Rules> {
    let object: Map<String, Value> = serde_json::from_str(text).ok()?;
    // Komi has a separate property.
    let fields = object.iter().filter(|(name, _)| *name != "komi");
    let fields: Vec<(&str, String)> = fields
        .map(|(name, value)| {
            let text = value.as_str().map(str::to_owned);
            (name.as_str(), text.unwrap_or_else(|| value.to_string()))
        })
        .collect();
    Rules::from_fields(&fields).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_in_many_spellings() {
        for (rules, texts) in [
            (
                "japanese",
                "Japanese|japanese rules|Japanese Rules|JP|Jpn|JAPAN|KGS Japanese|日本|日本規約|日本规则|日本ルール|일본룰|\
                 Territory|Japanese (territory scoring)",
            ),
            (
                "chinese",
                "Chinese|Chinese rules|cn|China|中国|中国规则|中國規則|中国ルール|중국룰|Area|Chinese - area|Area scoring|数子",
            ),
            (
                "korean",
                "Korean|korean rules|kor|Korea|한국|한국룰|한국 규칙|韓国ルール|韩国规则",
            ),
            ("aga", "AGA|aga rules|FFG|French|AGA Rules (area)"),
            ("ing", "Ing|Ing rules|GOE|应氏规则|應氏"),
            ("tromp-taylor", "TT|Tromp-Taylor|tromp taylor rules"),
            ("new-zealand", "NZ|New Zealand|New Zealand rules"),
            (
                "stone-scoring",
                "ancient chinese|Ancient Chinese rules|古代中国",
            ),
            ("chinese-kgs", "chinese-kgs|KGS Chinese"),
            (
                "chinese",
                r#"{"ko":"SIMPLE","scoring":"AREA","tax":"NONE","suicide":false,"hasButton":false,"whiteHandicapBonus":"N","friendlyPassOk":true}"#,
            ),
        ] {
            for text in texts.split('|') {
                assert_eq!(parse_rules(text), Rules::parse(rules), "{text}");
            }
        }
    }

    #[test]
    fn ambiguous_and_unknown_rules_are_rejected() {
        for text in [
            "",
            "Chess",
            "Japanese or Chinese",
            "{",
            r#"{"ko":"NEVER"}"#,
            "Boeing",
            "?",
        ] {
            assert_eq!(parse_rules(text), None, "{text}");
        }
    }
}
