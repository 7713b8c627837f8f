"""Tests of undo on the page: it changes only the game on the screen, and no game is lost."""

from tests.clients.page import PageTest


class UndoTest(PageTest):
    MARKS = "document.querySelectorAll('#board .marker').length"

    def play_all(self, page, *places):
        for number, place in enumerate(places, 1):
            self.play(page, *place, number=number)

    def test_undo_takes_back_moves_of_this_game_only(self):
        with self.open() as page:
            self.begin(page, seat="both")
            self.play_all(page, (4, 4), (2, 2))
            self.begin(page, columns=13, rows=13, seat="both")
            self.play_all(page, (3, 3), (9, 9), (3, 9))
            for number in (2, 1, 0):
                self.undo(page)
                page.until(f"{self.number(number)} && {self.STONES} === {number}")
            # Nothing is left to undo, and the game before stays closed.
            self.undo(page)
            for number in (1, 2, 3):
                self.undo(page, again=True)
                page.until(f"{self.number(number)} && {self.STONES} === {number}")
            self.assertIn("13×13", page.value("document.getElementById('facts').textContent"))

    def test_undo_takes_back_the_engines_answer_too(self):
        with self.open() as page:
            self.begin(page)
            self.play(page, 4, 4, number=2)
            self.undo(page)
            page.until(f"{self.number(0)} && {self.SAID} === 'Move undone.'")
            self.undo(page, again=True)
            page.until(self.number(2))

    def test_replaced_games_can_be_exchanged(self):
        with self.open() as page:
            self.begin(page, seat="both")
            self.play_all(page, (4, 4), (2, 2))
            self.begin(page, columns=13, rows=13, seat="both")
            self.play_all(page, (3, 3))
            for moves, size in ((2, "9×9"), (1, "13×13"), (2, "9×9")):
                # Without the pointer: quick clicks on different buttons at the same place count as a double click.
                page.value("document.getElementById('toast-undo').click()")
                page.until(f"{self.number(moves)} && document.getElementById('facts').textContent.includes('{size}')")
            # The other game is kept, too.
            page.press("#games")
            page.until("document.querySelectorAll('#games-lost .recover').length === 1")
            page.press("#games-lost .recover")
            page.until(f"{self.number(1)} && {self.SAID} === 'Game recovered.'")

    def test_variations_in_records_are_undone(self):
        with self.open() as page:
            self.open_file(page, "(;SZ[9];B[ee];W[cc];B[gg])")
            self.go(page, "#forward", 1)
            self.play(page, 6, 2, number=2)
            self.play(page, 6, 4, number=3)
            self.assertFalse(page.value("document.getElementById('main-line').disabled"))
            self.undo(page)
            page.until(self.number(2))
            page.press("#undo")
            page.until(f"{self.number(1)} && document.getElementById('slider').max === '3' && document.getElementById('main-line').disabled")
            self.assertTrue(page.value("document.getElementById('undo').disabled"))
            self.undo(page, again=True)
            page.until(f"{self.number(2)} && document.getElementById('slider').max === '2'")
            page.press("#main-line")
            page.until(f"{self.number(1)} && document.getElementById('slider').max === '3'")

    def test_edits_are_undone_in_their_order_where_they_are_seen(self):
        with self.open() as page:
            self.open_file(page, "(;SZ[9];B[ee];W[cc];B[gg])")
            self.go(page, "#last", 3)
            page.press("#edit")
            page.press("#edit-triangle")
            self.play(page, 4, 4)
            page.until(f"{self.MARKS} === 1")
            page.press("#edit-white")
            for column in (0, 1):
                self.play(page, column, 0)
            page.until(f"{self.STONES} === 5")
            # Stones that have not been confirmed.
            self.undo(page)
            page.until(f"{self.STONES} === 4")
            page.press("#edit-done")
            page.until(f"{self.SAID}.startsWith('Position ready')")
            self.go(page, "#first", 0)
            self.undo(page)
            page.until(f"{self.number(3)} && {self.STONES} === 3 && {self.MARKS} === 1")
            self.go(page, "#first", 0)
            self.undo(page)
            page.until(f"{self.number(3)} && {self.MARKS} === 0")
            for again in ("1", "1"):
                self.undo(page, again=True)
            page.until(f"{self.STONES} === 4")

    def test_undo_after_resignation_takes_back_nothing_else(self):
        with self.open() as page:
            self.begin(page)
            self.play(page, 4, 4, number=2)
            page.press("#resign")
            page.until("!document.getElementById('result').hidden")
            page.press("#undo")
            page.until(f"document.getElementById('result').hidden && {self.number(2)} && !{self.TOAST}")
            self.assertEqual(page.value(self.STONES), 2)
