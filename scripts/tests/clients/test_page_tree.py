"""Tests of the page's game tree, markup, game information and navigation."""

import contextlib
import json

from tests.clients.page import PageTest

NODES = "[...document.querySelectorAll('#tree .node-text')].map((at) => at.textContent).join(' ')"
LINE = "import('/game/state.js').then(({ state }) => state.game.line().map(({ move }) => move?.[1] ?? '').join(' '))"


class TreeTest(PageTest):
    def control(self, page, key, shift=False):
        """Presses a key with Ctrl, and with Shift if `shift` is true."""
        page.send("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=10 if shift else 2)

    def place(self, page, column, row):
        """Returns the coordinates of a point of the board."""
        return page.value("(() => { const at = document.querySelector('#board svg').getScreenCTM();"
                          f" const {{x, y}} = new DOMPoint({column}, {row}).matrixTransform(at); return [x, y]; }})()")

    def wheel(self, page, distance):
        x, y = self.place(page, 4, 4)
        page.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=distance)

    def test_tree_shows_variations_and_follows_the_game(self):
        with self.open() as page:
            self.tab(page, "tree")
            self.open_file(page, "(;SZ[9];B[ee];W[ec](;B[cc]C[so];W[gg])(;B[gc](;W[cg])(;W[gg])))")
            page.until(f"{NODES} === '1 2 3 3 4 4 4' && document.querySelectorAll('#tree .node-comment').length === 1")
            # Nodes can be chosen: the second variation begins in the second row of the third move.
            x, y = page.value("(() => { const at = [...document.querySelectorAll('#tree .node')].filter((node) => node.tagName === 'circle')[3]"
                              ".getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; })()")
            page.click(x, y)
            page.until(self.number(3))
            self.assertEqual(page.value(LINE), " E5 E7 G7 C3")
            # Up and down go between lines, Page Up to the main line, which is then the current one.
            for key, line in (("ArrowUp", " E5 E7 C7 G3"), ("ArrowDown", " E5 E7 G7 C3"), ("PageUp", " E5 E7 C7 G3")):
                page.key(key)
                page.until(f"{LINE}.then((line) => line === '{line}')")
            page.until(self.number(2))

    def test_variations_are_changed_and_restored(self):
        # The file as the page writes it.
        tree = "import('/game/sgf.js').then(({ write }) => import('/game/state.js').then(({ state }) => write(state.game)))"
        after = f"{tree}.then((text) => text.slice(text.indexOf(';B[ee]')).trim())"
        first = ";B[ee](;W[ec])(;W[gc])(;W[cg];B[gg]))"
        with self.open() as page:
            self.open_file(page, f"(;SZ[9]{first}")
            self.tab(page, "tree")
            self.go(page, "#forward", 1)
            page.press("#variations button:nth-child(3)")
            page.until(self.number(2))
            for button, changed in (
                    ("variation-up", ";B[ee](;W[ec])(;W[cg];B[gg])(;W[gc]))"), ("promote", ";B[ee](;W[cg];B[gg])(;W[ec])(;W[gc]))"),
                    ("remove", ";B[ee](;W[ec])(;W[gc]))")):
                page.press(f"#{button}")
                page.until(f"{after}.then((text) => text === '{changed}')")
            for _ in range(3):
                self.control(page, "z")
            page.until(f"{after}.then((text) => text === '{first}')")
            for _ in range(3):
                self.control(page, "z", shift=True)
            page.until(f"{after}.then((text) => text === ';B[ee](;W[ec])(;W[gc]))')")

    def test_markup_of_files_is_shown_and_edited(self):
        marks = "JSON.stringify(Object.fromEntries(['triangle', 'square', 'circle', 'cross', 'label'].map((kind) => [kind,"\
                " document.querySelectorAll(`#board .marker.${kind}`).length])))"
        with self.open() as page:
            self.open_file(page, "(;SZ[9]TR[aa][bb]SQ[cc]CR[dd]MA[ee]LB[ff:x][gg:12]AR[aa:ii]LN[ia:ai]DD[ha]VW[aa:hi];B[ee])")
            page.until(f"{marks} === '" + json.dumps({"triangle": 2, "square": 1, "circle": 1, "cross": 1, "label": 2}, separators=(",", ":")) + "'")
            self.assertEqual(page.value("document.querySelectorAll('#board .arrow').length"), 2)
            self.assertEqual(page.value("document.querySelectorAll('#board .cover.hidden').length"), 9)
            self.go(page, "#forward", 1)
            page.press("#edit")
            for tool, points in (("triangle", [(0, 0)]), ("letter", [(1, 0), (2, 0)]), ("number", [(3, 0)]), ("arrow", [(4, 0), (5, 0)]),
                                 ("cross", [(0, 0)])):
                page.press(f"#edit-{tool}")
                for at in points:
                    self.play(page, *at)
            page.until("document.querySelectorAll('#board .marker.cross').length === 1 && document.querySelectorAll('#board .arrow').length === 1")
            self.assertIn(";B[ee]MA[aa]LB[ba:A][ca:B][da:1]AR[ea:fa]", self.kept(page))
            page.press("#edit-erase")
            self.play(page, 1, 0)
            page.press("#edit-done")
            page.until("!document.querySelector('#edit').ariaPressed.includes('true')")
            self.assertIn(";B[ee]MA[aa]LB[ca:B][da:1]AR[ea:fa]", self.kept(page))
            self.control(page, "z")
            page.until("document.querySelectorAll('#board .marker.label').length === 3")
            # The markup of the first node is written as it was read.
            self.assertIn("TR[aa][bb]SQ[cc]CR[dd]MA[ee]", self.kept(page))
            # The visible part applies to later moves as well.
            self.assertEqual(page.value("document.querySelectorAll('#board .cover.hidden').length"), 9)

    @contextlib.contextmanager
    def drag(self, page, *path):
        """Moves the mouse with its button pressed along these points; releases the button at the end of the context."""
        page.settle()
        kinds = ["mousePressed"] + ["mouseMoved"] * (len(path) - 1)
        for kind, (column, row) in zip(kinds, path):
            x, y = page.value("(() => { const at = document.querySelector('#board svg').getScreenCTM();"
                              f" const {{x, y}} = new DOMPoint({column}, {row}).matrixTransform(at); return [x, y]; }})()")
            page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        yield
        page.send("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)

    def test_lines_are_dragged(self):
        arrows = "document.querySelectorAll('#board .arrow').length"
        with self.open() as page:
            self.open_file(page, "(;SZ[9];B[ee])")
            page.press("#edit")
            page.press("#edit-arrow")
            page.until(f"{self.SAID} === 'Drag from one point to another, or choose both points.'")
            with self.drag(page, (0, 0), (3, 3), (5, 2)):
                # The arrow follows the pointer.
                page.until(f"{arrows} === 1")
                self.assertNotIn("AR", self.kept(page))
            page.until(f"{arrows} === 1 && !document.querySelector('#board .marker.selected')")
            self.assertIn("AR[aa:fc]", self.kept(page))
            page.press("#edit-line")
            with self.drag(page, (8, 8), (8, 4)):
                pass
            # A click at the end of the other line has not begun a new one.
            self.play(page, 2, 2)
            page.until("document.querySelectorAll('#board .marker.selected').length === 1")
            self.play(page, 3, 2)
            page.until(f"{arrows} === 3")
            self.assertIn("AR[aa:fc]LN[ii:ie][cc:dc]", self.kept(page))
            # Leaving the board gives the line up, and the same line again removes it.
            with self.drag(page, (0, 5), (0, 7)):
                page.until(f"{arrows} === 4")
                page.send("Input.dispatchMouseEvent", type="mouseMoved", x=3, y=3, button="left", buttons=1)
                page.until(f"{arrows} === 3")
            with self.drag(page, (8, 8), (8, 4)):
                pass
            page.until(f"{arrows} === 2")

    def test_game_info_is_shown_and_edited(self):
        value = "document.querySelector('#info-dialog form').{}.value".format
        with self.open() as page:
            self.open_file(page, "(;SZ[9]PB[Ada]BR[3d]EV[Cup]RO[2]PC[Paris]KM[6.5]GC[one\\\\ntwo];B[ee])")
            page.until("document.querySelector('#black-player .rank').textContent === '3 dan'")
            page.until("document.querySelector('.info-title').textContent === 'Cup · 2'")
            page.press("#info")
            self.assertEqual([page.value(value(name)) for name in ("black", "blackRank", "event", "komi")], ["Ada", "3d", "Cup", "6.5"])
            for name, text in (("white", "柯洁"), ("whiteRank", "9p"), ("result", "W+2.5"), ("annotator", "a]b")):
                page.value(f"{value(name)} = '{text}'")
            page.press("#info-dialog button.main")
            page.until("document.getElementById('facts').textContent.includes('White wins by 2.5 points')")
            kept = self.kept(page)
            for told in ("PW[柯洁]", "WR[9p]", "BR[3d]", "RE[W+2.5]", "AN[a\\]b]", "EV[Cup]", "RO[2]", "PC[Paris]", "KM[6.5]"):
                self.assertIn(told, kept)
            self.control(page, "z")
            page.until("document.querySelector('#white-player .name').textContent !== '柯洁'")

    def test_wheel_slider_and_held_button_move_through_the_game(self):
        game = "".join(f";{'BW'[row % 2]}[{column}{letter}]" for row, letter in enumerate("abcdefghi") for column in ("a", "c"))
        moves = game.count("[")
        number = "Number(document.getElementById('slider').value)"
        with self.open() as page:
            self.open_file(page, f"(;SZ[9]{game})")
            for distance, shown in ((100, 1), (100, 2), (-100, 1), (10, 1), (10, 1), (10, 1), (20, 2)):
                self.wheel(page, distance)
                page.until(self.number(shown))
            page.value(f"(() => {{ const at = document.getElementById('slider'); at.value = '{moves}'; at.dispatchEvent(new Event('input')); }})()")
            page.until(f"{self.number(moves)} && {number} === {moves}")
            # The slider has its own keys.
            page.value("document.getElementById('slider').focus()")
            page.send("Input.dispatchKeyEvent", type="keyDown", key="ArrowLeft", code="ArrowLeft", windowsVirtualKeyCode=37)
            page.until(f"{self.number(moves - 1)} && {number} === {moves - 1}")
            page.value("document.activeElement.blur()")
            self.go(page, "#forward", moves)
            # A held button repeats; its click at the end is not another step.
            x, y = page.middle("#back")
            page.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
            page.until(f"{number} < {moves - 3}")
            page.send("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)
            page.value("import('/core/settings.js').then(({ set }) => set('wheel', false))")
            self.go(page, "#first", 0)
            self.wheel(page, 100)
            page.send("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", modifiers=8)
            page.until(self.number(10))

    def test_swipes_move_through_the_game(self):
        with self.open(width=390, height=844) as page:
            self.open_file(page, "(;SZ[9];B[ee];W[ec];B[cc])")
            for start, end, shown in ((6, 2, 1), (6, 1, 2), (2, 6, 1)):
                (x, y), (to, _) = self.place(page, start, 4), self.place(page, end, 4)
                page.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
                for part in (0.3, 0.6, 1):
                    page.send("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x + part * (to - x), "y": y}])
                page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
                page.until(self.number(shown))
            self.assertEqual(page.value("document.getElementById('confirm').offsetHeight"), 0)

    def test_large_trees_draw_only_their_visible_part(self):
        variations = "".join(f"(;W[{column}{row}])" for column in "abcdefgh" for row in "abcdefgh")
        moves = ";B[];W[]" * 1999
        with self.open() as page:
            self.tab(page, "tree")
            self.open_file(page, f"(;SZ[9];B[ii](;W[]{moves}){variations})")
            page.until("document.querySelectorAll('#tree .node').length > 5")
            page.press("#last")
            page.until("document.querySelector('#tree .node-here') && document.getElementById('slider').value === '4000'")
            self.assertLess(page.value("document.querySelectorAll('#tree .node').length"), 400)

    def test_comments_can_be_undone(self):
        with self.open() as page:
            self.open_file(page, "(;SZ[9]C[old];B[ee])")
            page.press("#comment")
            self.write(page, "new ")
            page.value("document.activeElement.blur()")
            page.until(f"{self.COMMENT} !== 'old'")
            self.control(page, "z")
            page.until(f"{self.COMMENT} === 'old'")
