"""Tests of the page's languages, settings, touch input, undo, connection and layout."""

from tests.clients.page import PageTest

# The sockets of the page, and the operators that it has requested.
SOCKETS = """
window.sockets = []; window.requests = [];
const Original = WebSocket;
window.WebSocket = class extends Original { constructor(...all) { super(...all); sockets.push(this); } };
const { send } = Original.prototype;
Original.prototype.send = function (text) { requests.push(JSON.parse(text).operator); return send.call(this, text); };
"""
WORDS = "[...document.querySelectorAll('#slot-play .tool:not([hidden]) .word')].map((at) => at.textContent).join(' ')"
FITS = "document.documentElement.scrollWidth <= innerWidth"


class UseTest(PageTest):
    def set(self, page, name, value):
        """Changes a setting."""
        page.value(f"import('/core/settings.js').then(({{ set }}) => set('{name}', {value}))")

    def watch_sockets(self, page):
        """Reloads the page with access to its sockets."""
        page.send("Page.addScriptToEvaluateOnNewDocument", source=SOCKETS)
        self.reload(page)

    def test_language_changes_at_once_and_fits(self):
        words = {"zh-Hans": "停一手 悔棋 认输 代下一手", "zh-Hant": "虛手 悔棋 認輸 代下一手", "ja": "パス 待った 投了 AI着手",
                 "ko": "착수 넘김 무르기 기권 대신 두기", "en": "Pass Undo Resign Engine move"}
        with self.open(width=390, height=844) as page:
            self.begin(page, seat="both")
            self.play(page, 4, 4, number=1)
            page.press("#settings")
            for tag, text in words.items():
                self.select(page, "#setting-language", tag)
                page.until(f"document.documentElement.lang === '{tag}' && {WORDS} === '{text}'")
                self.assertTrue(page.value(FITS), tag)
                said = {"en": "Black E5.", "ko": "흑 E5.", "ja": "黒 E5。"}.get(tag, "黑 E5。")
                self.assertEqual(page.value(self.SAID), said)
            self.select(page, "#setting-language", "ja")
            page.value("document.querySelector('#settings-dialog').close()")
            self.reload(page)
            self.assertEqual(page.value("document.documentElement.lang"), "ja")

    def test_settings_change_the_board_and_are_remembered(self):
        labels = "document.querySelectorAll('#board .label').length"
        numbers = "[...document.querySelectorAll('#board .number')].map((at) => at.textContent).join()"
        wood = "getComputedStyle(document.querySelector('#board .wood')).fill"
        with self.open() as page:
            self.begin(page, seat="both")
            for number, at in enumerate(((4, 4), (2, 2), (6, 6)), 1):
                self.play(page, *at, number=number)
            self.assertEqual(page.value(labels), 36)
            before = page.value(wood)
            self.set(page, "numbers", "'all'")
            page.until(f"{numbers} === '1,2,3'")
            self.set(page, "numbers", "'last'")
            page.until(f"{numbers} === '3'")
            self.set(page, "coordinates", "'none'")
            page.until(f"{labels} === 0 && {self.STONES} === 3")
            self.set(page, "theme", "'night'")
            page.until(f"{wood} !== '{before}'")
            self.reload(page)
            page.until(f"{labels} === 0 && {numbers} === '3' && {wood} !== '{before}'")
            self.set(page, "coordinates", "'kanji'")
            page.until(f"{labels} === 36 && [...document.querySelectorAll('#board .label')].some((at) => at.textContent === '九')")
            self.play(page, 0, 8, number=4)
            page.until(f"{self.SAID} === 'White 1-九.'")

    def test_first_tap_aims_and_second_plays(self):
        def tap(column, row):
            x, y = page.value("(() => { const at = document.querySelector('#board svg').getScreenCTM();"
                              f" const {{x, y}} = new DOMPoint({column}, {row}).matrixTransform(at); return [x, y]; }})()")
            page.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

        aim = "document.querySelectorAll('#board .aim').length"
        with self.open(width=390, height=844) as page:
            self.begin(page, columns=19, rows=19, seat="both")
            tap(3, 3)
            page.until(f"{aim} === 1 && !document.getElementById('confirm').closest('[hidden]') && !document.getElementById('confirm').hidden")
            tap(15, 15)
            page.until("document.querySelector('#board .aim').getAttribute('cx') === '15'")
            self.assertEqual(page.value(self.STONES), 0)
            tap(15, 15)
            page.until(f"{self.number(1)} && {aim} === 0 && document.getElementById('confirm').hidden")
            tap(3, 3)
            page.until(f"{aim} === 1 && !document.getElementById('confirm').hidden")
            page.press("#confirm")
            page.until(self.number(2))
            # Points of small boards are large enough to play without confirmation.
            self.begin(page, seat="both")
            tap(4, 4)
            page.until(self.number(1))

    def test_aimed_stone_follows_the_finger(self):
        def place(column, row):
            return dict(zip("xy", page.value("(() => { const at = document.querySelector('#board svg').getScreenCTM();"
                                             f" const {{x, y}} = new DOMPoint({column}, {row}).matrixTransform(at); return [x, y]; }})()")))

        with self.open(width=390, height=844) as page:
            self.begin(page, columns=19, rows=19, seat="both")
            for path in ([(3, 3)], [(3, 3), (5, 4), (9, 9)]):
                page.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[place(*path[0])])
                for at in path[1:]:
                    page.send("Input.dispatchTouchEvent", type="touchMove", touchPoints=[place(*at)])
                page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
                page.until(f"document.querySelector('#board .aim')?.getAttribute('cx') === '{path[-1][0]}'")
            page.until(f"{self.SAID} === 'K10: tap again to play.'")
            # The button that plays takes the place of the slider.
            self.assertEqual(page.value("document.getElementById('slider').offsetHeight"), 0)
            page.press("#confirm")
            page.until(f"{self.number(1)} && {self.SAID} === 'Black K10.' && document.getElementById('slider').offsetHeight > 0")

    def test_resignation_during_search_can_be_undone(self):
        with self.open("--time", "2") as page:
            self.begin(page, level=10)
            self.play(page, 4, 4)
            page.until(f"{self.SAID} === 'White is thinking …'")
            page.press("#resign")
            page.until("document.getElementById('result-text').textContent === 'White wins by resignation'"
                       " && !document.getElementById('result').hidden")
            page.press("#toast-undo")
            page.until("document.getElementById('result').hidden && !document.getElementById('toast')")
            page.until(self.number(2))

    # True if two elements cover a common part of the page.
    OVERLAP = ("(([one, other]) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)"
               "(['{}', '{}'].map((at) => document.querySelector(at).getBoundingClientRect()))")

    def test_offer_to_undo_a_resignation_leaves_the_result_visible(self):
        for width, height in ((390, 664), (844, 390), (1366, 768)):
            with self.subTest(width=width), self.open(width=width, height=height) as page:
                self.begin(page, seat="both")
                self.play(page, 4, 4, number=1)
                page.value("scrollTo(0, 0)")
                page.value("document.getElementById('resign').click()")
                page.until(f"{self.TOAST} && !document.getElementById('result').hidden")
                page.value("document.getElementById('result').scrollIntoView({ block: 'end' })")
                page.until(f"!{self.OVERLAP.format('#toast', '#result')} && !{self.OVERLAP.format('#toast', '#tabs')}")
                self.picture(page, f"toast_{width}.webp")
                page.press("#toast-undo")
                page.until(f"{self.SAID} === 'Your resignation has been taken back.'")

    def test_new_games_open_the_game_tab(self):
        with self.open() as page:
            self.tab(page, "review")
            self.begin(page)
            page.until("!document.getElementById('tab-game').hidden")
            page.press("#analyse")
            page.until("!document.getElementById('tab-analysis').hidden")
            self.begin(page)
            self.assertTrue(page.value("document.getElementById('tab-game').hidden"))

    def test_replaced_game_and_removed_moves_return(self):
        with self.open() as page:
            self.begin(page, seat="both")
            for number, at in enumerate(((4, 4), (2, 2)), 1):
                self.play(page, *at, number=number)
            self.begin(page, columns=13, rows=13, seat="both")
            page.press("#toast-undo")
            page.until(f"{self.number(2)} && document.getElementById('facts').textContent.includes('9×9')")
            self.go(page, "#back", 1)
            self.tab(page, "tree")
            page.press("#remove")
            page.until(self.number(0))
            for modifiers, number in ((2, 1), (10, 0), (2, 1)):
                page.send("Input.dispatchKeyEvent", type="keyDown", key="z", modifiers=modifiers)
                page.until(self.number(number))
            self.go(page, "#forward", 2)

    def test_new_game_dialog_remembers_settings(self):
        with self.open() as page:
            self.begin(page, seat="both", level=3, rules="japanese", komi=6.5, minutes=20)
            self.reload(page)
            page.press("#new")
            values = page.value("['seat', 'level', 'size', 'rules', 'komi', 'minutes']"
                                ".map((name) => document.querySelector('#new-dialog form')[name].value)")
            self.assertEqual(values, ["both", "3", "9", "japanese", "6.5", "20"])

    def test_new_games_have_the_usual_rules_of_the_language(self):
        chosen = "['rules', 'komi'].map((name) => document.querySelector('#new-dialog form')[name].value).join(' ')"
        with self.open() as page:
            page.until(f"{chosen} === 'chinese-ogs 7.5'")
            for tag, expected in (("ja", "japanese 6.5"), ("ko", "korean 6.5"), ("en", "chinese-ogs 7.5"), ("ja", "japanese 6.5")):
                page.value(f"import('/texts/texts.js').then(({{ setLanguage }}) => setLanguage('{tag}'))")
                page.until(f"{chosen} === '{expected}'")
            # The game that is open at the first visit has them, too.
            self.reload(page)
            self.assertEqual(self.inside(page, "[state.game.settings.rules, state.game.settings.komi]"), ["japanese", 6.5])
            # A choice of the user is kept.
            self.begin(page, seat="both", rules="aga", komi=7.5)
            page.value("import('/texts/texts.js').then(({ setLanguage }) => setLanguage('ko'))")
            page.until(f"{chosen} === 'aga 7.5'")

    INSTALL = "document.getElementById('install')"
    OFFER = ("const event = new Event('beforeinstallprompt', { cancelable: true }); window.asked = 0;"
             " event.prompt = () => { asked += 1; }; dispatchEvent(event);")

    def test_page_can_be_installed(self):
        with self.open() as page:
            self.assertTrue(page.value(f"(() => {{ {self.OFFER} return event.defaultPrevented; }})()"))
            page.until(f"!{self.INSTALL}.hidden")
            page.press("#settings")
            page.until("!document.getElementById('setting-install').hidden")
            # The browser may make an offer of its own at any time.
            self.assertTrue(page.value(f"(() => {{ {self.OFFER} {self.INSTALL}.click(); return asked === 1 && {self.INSTALL}.hidden; }})()"))
            icons = page.value("fetch('/manifest.webmanifest').then((found) => found.json()).then(({ icons }) => Promise.all(icons.filter(({ type }) => type === 'image/png')"
                               ".map(async ({ src, sizes }) => { const image = new Image(); image.src = src; await image.decode(); return `${image.width}x${image.height}` === sizes; })))")
            self.assertEqual(icons, [True, True])
            self.assertEqual(page.value("new Promise((done) => { const image = new Image(); image.onload = () => done(image.width);"
                                        " image.src = document.querySelector('link[rel=apple-touch-icon]').href; })"), 180)

    def test_names_follow_the_language(self):
        names = "[...document.querySelectorAll('#cards .name')].map((at) => at.textContent).join('|')"
        with self.open() as page:
            self.begin(page, level=3)
            self.assertEqual(page.value(names), "You|Honinbo, level 3")
            page.value("import('/texts/texts.js').then(({ setLanguage }) => setLanguage('ja'))")
            page.until(f"{names} === 'あなた|Honinbo レベル3'")
            self.reload(page)
            page.until(f"{names} === 'あなた|Honinbo レベル3'")
            page.value("import('/texts/texts.js').then(({ setLanguage }) => setLanguage('ko'))")
            page.until(f"{names} === '나|Honinbo 레벨 3'")

    COUNTING = "document.getElementById('result-count').getAttribute('aria-pressed')"

    def test_result_banner_and_rematch(self):
        with self.open() as page:
            self.begin(page, seat="both")
            self.pass_twice(page, 1)
            page.until("document.getElementById('result-text').textContent === 'White wins by 7.5 points'")
            page.until(f"{self.SAID}.startsWith('White wins by 7.5 points (Black 0 : White 0 + komi 7.5).')")
            # The count can be left, and continued after the banner has been read.
            self.assertEqual(page.value(self.COUNTING), "true")
            page.press("#result-count")
            page.until(f"{self.COUNTING} === 'false'")
            page.press("#result-count")
            page.until(f"{self.COUNTING} === 'true' && {self.SAID}.startsWith('White wins by 7.5 points')")
            page.press("#result-rematch")
            page.until(f"{self.number(0)} && document.getElementById('result').hidden")

    def test_analysis_stops_while_the_engine_searches(self):
        with self.open("--searches", "1") as page:
            self.watch_sockets(page)
            self.begin(page, level=2)
            page.press("#analyse")
            page.until("document.querySelectorAll('#moves tr').length > 1")
            self.play(page, 4, 4, number=2)
            asked = page.value("requests.join()")
            before, after = asked.split("genmove")
            self.assertEqual(before.count("run"), before.count("cancel"))
            page.until("requests.at(-1) === 'run' && document.querySelectorAll('#moves tr').length > 1")
            self.assertNotIn("genmove", after)

    def test_lost_connection_resumes_the_engines_move(self):
        with self.open("--time", "2") as page:
            self.watch_sockets(page)
            self.begin(page, level=10)
            self.play(page, 4, 4)
            page.until(f"{self.SAID} === 'White is thinking …' && requests.includes('genmove')")
            page.value("sockets.at(-1).close()")
            page.until("document.getElementById('connection').textContent.startsWith('Connection lost')")
            page.until(f"{self.number(2)} && document.getElementById('connection').textContent === ''")
            self.assertEqual(page.value("sockets.length"), 2)

    def test_back_returns_to_the_users_turn(self):
        with self.open() as page:
            self.begin(page)
            self.play(page, 4, 4, number=2)
            self.play(page, *page.value(self.FREE), number=4)
            self.go(page, "#back", 2)
            self.go(page, "#back", 0)
            self.go(page, "#forward", 2)

    def test_single_letter_shortcuts_can_be_switched_off(self):
        with self.open() as page:
            self.begin(page, seat="both")
            self.set(page, "letters", "false")
            page.key("p")
            page.key("?")
            self.assertFalse(page.value("Boolean(document.querySelector('dialog[open]'))"))
            self.set(page, "letters", "true")
            page.key("p")
            page.until(self.number(1))
            page.key("?")
            page.until("document.querySelectorAll('#shortcuts-dialog[open] dt').length > 10")

    def test_long_names_do_not_widen_the_page(self):
        name = "x" * 200
        for width, height in ((390, 844), (844, 390), (1400, 900)):
            with self.subTest(width=width), self.open(width=width, height=height) as page:
                self.open_file(page, f"(;SZ[9]PB[{name}]PW[{'王' * 200}]DT[{name}]C[{name}];B[ee])")
                page.press("#keep")
                page.until(f"{self.SAID} === 'Saved to My games.'")
                self.assertTrue(page.value(FITS))
                page.press("#games")
                page.until("document.querySelectorAll('#games-list tr').length === 1")
                self.assertTrue(page.value("(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.getElementById('games-dialog'))"))
                right = page.value("Math.max(...[...document.querySelectorAll('#games-list button')].map((at) => at.getBoundingClientRect().right))")
                self.assertLessEqual(right, width)
