"""Tests of the page's texts and number formats, in Node.js without a browser."""

import json
import re
import subprocess
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "src" / "service" / "page"
LANGUAGES = ("en", "zh-Hans", "zh-Hant", "ja", "ko")

# Files without imports are loaded as data, because Node.js takes the type of a module in a file from its folder.
LOADER = """
const load = async (path) => import("data:text/javascript," + encodeURIComponent(require("fs").readFileSync(path, "utf8")));
const folder = process.argv[1];
(async () => {
  const tables = {};
  for (const tag of JSON.parse(process.argv[2])) tables[tag] = (await load(`${folder}/texts/${tag}.js`)).default;
  const format = await load(`${folder}/texts/format.js`);
  const results = {};
  for (const [tag, table] of Object.entries(tables)) {
    const t = (key, params = {}) => table[key].replace(/\\{(\\w+)(?:\\|([^|}]*)\\|([^}]*))?\\}/g, (_, name, one, other) => {
      if (one !== undefined) return params[name] === 1 ? one : other;
      if (name === "color") return t(`color.${params[name]}`);
      return name === "points" ? format.pointsText(t, params[name]) : String(params[name]);
    });
    results[tag] = JSON.parse(process.argv[3]).map((sgf) => format.resultText(t, sgf));
  }
  const matched = JSON.parse(process.argv[4]).map((wanted) => format.matchLanguage(wanted, Object.keys(tables)));
  console.log(JSON.stringify({ tables, results, matched }));
})();
"""


def node(results=(), wanted=()):
    arguments = [str(PAGE), json.dumps(LANGUAGES), json.dumps(list(results)), json.dumps(list(wanted))]
    return json.loads(subprocess.run(["node", "-e", LOADER, *arguments], check=True, capture_output=True, text=True).stdout)


class TextsTest(unittest.TestCase):
    maxDiff = None

    def test_languages_have_the_same_keys_and_parameters(self):
        tables = node()["tables"]
        parameters = {tag: {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in table.items()} for tag, table in tables.items()}
        for tag in LANGUAGES[1:]:
            with self.subTest(language=tag):
                self.assertEqual(list(tables[tag]), list(tables["en"]))
                self.assertEqual(parameters[tag], parameters["en"])
                # The other languages are translated, apart from names, formats and pure parameters.
                same = [key for key, text in tables[tag].items() if text == tables["en"][key] and re.search(r"[a-z]{3}", re.sub(r"\{[^}]*\}", "", text))]
                self.assertEqual(same, [])

    def test_all_used_texts_exist(self):
        english = node()["tables"]["en"]
        used = set()
        for path in (*PAGE.rglob("*.js"), PAGE / "index.html"):
            if path.parent.name != "texts":
                used.update(re.findall(r'"([a-z]+(?:\.[a-zA-Z0-9-]+)+)"', path.read_text()))
        keys = {key for key in used if not re.search(r"\.(js|css|sgf|svg|webmanifest)$", key)}
        self.assertGreater(len(keys), 100)
        self.assertEqual(sorted(keys - set(english)), [])

    def test_results_follow_local_conventions(self):
        expected = {
            "en": ["Black wins by 2.5 points", "White wins by 1 point", "Black wins by resignation", "White wins on time", "Draw"],
            "zh-Hans": ["黑胜2.5目", "白胜1目", "黑中盘胜", "白超时胜", "和棋"],
            "zh-Hant": ["黑勝2.5目", "白勝1目", "黑中盤勝", "白超時勝", "和棋"],
            "ja": ["黒2目半勝ち", "白1目勝ち", "黒中押し勝ち", "白時間切れ勝ち", "持碁"],
            "ko": ["흑 2집반승", "백 1집승", "흑 불계승", "백 시간승", "무승부"],
        }
        self.assertEqual(node(["B+2.5", "W+1", "B+R", "W+Time", "Jigo"])["results"], expected)
        half = node(["W+0.5", "?", "B+"])["results"]
        self.assertEqual([half[tag][0] for tag in LANGUAGES], ["White wins by 0.5 points", "白胜0.5目", "白勝0.5目", "白半目勝ち", "백 반집승"])
        self.assertEqual(half["en"][1:], ["?", "Black wins"])

    def test_browser_languages_are_matched(self):
        wanted = [["de-DE", "ja-JP"], ["zh-TW"], ["zh-CN"], ["zh-Hans-HK"], ["zh"], ["ko"], ["fr"], ["en-GB", "ja"], []]
        expected = ["ja", "zh-Hant", "zh-Hans", "zh-Hans", "zh-Hans", "ko", "en", "en", "en"]
        self.assertEqual(node(wanted=wanted)["matched"], expected)
