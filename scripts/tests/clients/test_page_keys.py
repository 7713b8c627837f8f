"""Tests of the page's keyboard, and of clicks on controls that have just moved."""

from tests.clients.page import PageTest

BOARD = "document.activeElement === document.querySelector('#board svg')"
CURSOR = "document.querySelectorAll('#board .cursor').length"


class KeysTest(PageTest):
    def enter(self, page):
        page.send("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
        page.send("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter", windowsVirtualKeyCode=13)

    def tabulate(self, page):
        for kind in ("rawKeyDown", "keyUp"):
            page.send("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)

    def test_enter_starts_a_game_and_the_board_has_the_focus(self):
        with self.open() as page:
            self.inside(page, "{ window.pageState = state; }")
            for name, value in (("level", "1"), ("size", "9"), ("komi", "6.5")):
                page.key("n")
                page.until("document.querySelector('#new-dialog[open]')")
                self.fill(page, "new", name, value)
                page.value(f"(() => {{ const at = document.querySelector('#new-dialog form').{name}; (at.length ? at[0] : at).focus(); window.gameBefore = pageState.game; }})()")
                self.enter(page)
                page.until(f"!document.querySelector('dialog[open]') && pageState.game !== gameBefore && {BOARD}")
            # The board was reached by keyboard, so that the arrow keys move its cursor.
            page.key("ArrowRight")
            page.until(f"{CURSOR} === 1 && {self.SAID} === 'E5, empty'")
            self.enter(page)
            page.until(self.number(2))

    def test_arrow_keys_step_after_the_mouse(self):
        with self.open() as page:
            self.open_file(page, "(;SZ[9];B[ee];W[cc];B[gg];W[gc])")
            self.go(page, "#forward", 1)
            self.play(page, 6, 6, number=2)
            page.key("ArrowLeft")
            page.until(self.number(1))
            page.key("ArrowRight")
            page.until(f"{self.number(2)} && {CURSOR} === 0")
            page.press("#tab-button-tree")
            page.key("ArrowLeft")
            page.until(f"{self.number(1)} && document.getElementById('tab-button-tree').ariaSelected === 'true'")
            # A choice with the mouse does not keep the keys either.
            page.value("document.querySelector('#tab-button-review').click()")
            page.press("#practice-color")
            page.value("document.getElementById('practice-color').dispatchEvent(new Event('change', { bubbles: true }))")
            page.key("ArrowLeft")
            page.until(f"{self.number(0)} && {self.SAID} === 'Move 0'")

    def test_board_is_reached_by_key_and_by_link(self):
        with self.open() as page:
            self.begin(page, seat="both")
            page.key("b")
            page.key("ArrowUp")
            page.until(f"{BOARD} && {CURSOR} === 1")
            page.key("Escape")
            page.until(f"!({BOARD}) && {CURSOR} === 0")
            page.value("document.activeElement.blur(); document.body.focus()")
            self.reload(page)
            self.tabulate(page)
            page.until("document.activeElement.id === 'skip' && getComputedStyle(document.activeElement).clipPath === 'none'")
            self.enter(page)
            page.until(BOARD)

    def test_second_click_of_a_double_click_meets_no_other_button(self):
        for width, height in ((1366, 768), (1920, 1080), (390, 844)):
            with self.subTest(width=width), self.open(width=width, height=height) as page:
                self.begin(page, seat="both")
                self.play(page, 4, 4, number=1)
                x, y = page.middle("#resign")
                for count in (1, 2):
                    for kind in ("mousePressed", "mouseReleased"):
                        page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=count)
                page.until("!document.getElementById('result').hidden")
                page.settle()
                self.assertTrue(page.value(self.number(1)))
                # No button has moved.
                self.assertEqual(page.middle("#resign"), [x, y])
