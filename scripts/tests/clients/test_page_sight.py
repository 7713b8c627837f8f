"""Tests of the page's visibility and keyboard access."""

from tests.clients import chromium
from tests.clients.page import PageTest


def luminance(color):
    """Returns the relative luminance of a colour (red, green, blue up to 255) as defined by WCAG 2."""
    parts = [part / 255 for part in color]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts))


def contrast(one, other):
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


class SightTest(PageTest):
    def color(self, page, selector, part):
        """Returns a colour of the style sheet as red, green and blue."""
        text = page.value(f"getComputedStyle(document.querySelector('{selector}')).{part}")
        return [int(number) for number in text.removeprefix("rgb(").removesuffix(")").split(", ")]

    def test_board_is_usable_on_low_screens(self):
        self.serve()
        for width, height in ((320, 180), (320, 256), (568, 320)):
            with self.subTest(width=width, height=height), chromium.Page(self.address, width, height) as page:
                page.until(self.READY)
                self.assertGreaterEqual(page.value("document.querySelector('#board svg').getBoundingClientRect().width"), 280)
                self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)
        with chromium.Page(self.address) as page:
            page.until(self.READY)
            # A narrow board is no higher than the screen.
            self.begin(page, columns=2, rows=19)
            self.assertLess(page.value("document.querySelector('#board svg').getBoundingClientRect().height"), 850)

    def check_hints(self, page):
        """Checks the contrast of the texts on discs of all classes of loss, in both scales, on light and dark wood."""
        opacity = page.value("Math.min(...[...document.querySelectorAll('#board .hint')].map((at) => at.getAttribute('opacity'))"
                             ".filter((at) => at > 0.7))")
        for scale in ("usual", "safe"):
            page.value(f"document.documentElement.dataset.losses = '{scale}'")
            for loss in range(6):
                disc, text = page.value("(() => { const hint = document.querySelector('#board .hint'), text = document.querySelector('#board .hint-text');"
                                        f" hint.setAttribute('class', 'hint loss-{loss}'); text.setAttribute('class', 'hint-text loss-{loss}');"
                                        " return [hint, text].map((at) => getComputedStyle(at).fill.match(/\\d+/g).map(Number)); })()")
                for scheme in ("light", "dark"):
                    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                    wood = self.color(page, ".wood", "fill")
                    under = [opacity * part + (1 - opacity) * behind for part, behind in zip(disc, wood)]
                    self.assertGreaterEqual(contrast(text, under), 4.5, (scale, loss))

    def test_marks_contrast_with_the_board(self):
        with self.open() as page:
            # Each side has a wall of stones with territory behind it.
            walls = ["".join(f"[{column}{row}]" for row in "abcdefghi") for column in "df"]
            self.open_file(page, "(;SZ[9]AB{}AW{}PL[B])".format(*walls))
            page.press("#analyse")
            page.until("document.querySelectorAll('#board .paint').length > 9 && document.querySelectorAll('#board .hint').length > 2")
            self.check_hints(page)
            page.press("#analyse")
            # Counting marks the territory behind the walls.
            page.press("#score")
            page.until("document.querySelector('#board .owner.white')")
            page.value("document.querySelector('#board svg').focus()")
            # Moves the cursor away from the points with details of the analysis.
            page.key("ArrowLeft")
            page.key("ArrowLeft")
            for scheme in ("light", "dark"):
                with self.subTest(scheme=scheme):
                    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                    wood = self.color(page, ".wood", "fill")
                    for selector, inside in ((".cursor-edge", self.color(page, ".cursor", "stroke")), (".owner.white", [255] * 3)):
                        edge = self.color(page, selector, "stroke")
                        self.assertGreaterEqual(contrast(edge, wood), 3, selector)
                        self.assertGreater(max(contrast(edge, inside), contrast(inside, wood)), 3, selector)
                    self.picture(page, f"marks_{scheme}.webp")

    # Words of buttons that are wider than their buttons.
    BROKEN = ("[...document.querySelectorAll('.tool .word')].filter((at) => at.offsetParent && at.scrollWidth > at.closest('.tool').clientWidth)"
              ".map((at) => at.textContent).join()")

    def test_words_of_buttons_are_whole(self):
        self.serve()
        for width, height in ((1366, 768), (1920, 1080), (390, 844), (844, 390), (820, 1180)):
            with self.subTest(width=width), self.page(width, height) as page:
                self.begin(page, seat="both")
                self.pass_twice(page, 1)
                page.until("!document.getElementById('result').hidden")
                for language in ("en", "zh-Hans", "zh-Hant", "ja", "ko"):
                    page.value(f"import('/texts/texts.js').then(({{ setLanguage }}) => setLanguage('{language}'))")
                    page.settle()
                    self.assertEqual(page.value(self.BROKEN), "", language)
                    self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)

    def test_pressed_button_of_the_result_is_visible(self):
        with self.open() as page:
            self.begin(page, seat="both")
            self.pass_twice(page, 1)
            page.until("document.getElementById('result-count').getAttribute('aria-pressed') === 'true'")
            for scheme in ("light", "dark"):
                page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
                page.settle()
                colors = [self.color(page, "#result-count", part) for part in ("color", "backgroundColor")]
                self.assertGreaterEqual(contrast(*colors), 4.5, scheme)

    def test_buttons_stay_while_the_engine_thinks(self):
        top = "document.getElementById('undo').getBoundingClientRect().top"
        with self.open("--time", "2", width=1366, height=768) as page:
            self.begin(page, level=10, minutes=10)
            before = page.value(top)
            self.play(page, 4, 4)
            page.until("document.querySelector('#white-player .turn-text').textContent.startsWith('thinking')")
            self.assertEqual(page.value(top), before)
            page.until(self.number(2))
            # The estimates of the engine would be hints.
            page.settle()
            self.assertEqual(page.value(f"[{top}, document.getElementById('graph-panel').hidden]"), [before, True])

    def test_keyboard_focus_stays_on_variations(self):
        focused = "document.activeElement.textContent.trim()"
        with self.open() as page:
            self.open_file(page, "(;SZ[9];B[ee](;W[ec];B[cc])(;W[gc]))")
            self.tab(page, "tree")
            page.value("document.querySelector('#variations button').focus()")
            for number, name in ((1, "next: E7"), (2, "variation: E7"), (3, "Back")):
                page.key(" ")
                page.until(f"{self.number(number)} && {focused} === '{name}'")
                if name == "variation: E7":
                    self.assertEqual(page.value("document.activeElement.ariaCurrent"), "true")
                    page.value("[...document.querySelectorAll('#variations button')].at(-1).focus()")
            # The focus elsewhere is not moved.
            page.value("document.getElementById('games').focus()")
            page.key("ArrowLeft")
            page.until(f"{self.number(2)} && {focused} === 'My games'")
