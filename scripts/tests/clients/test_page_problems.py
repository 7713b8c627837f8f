"""Tests of life-and-death problems with answers in their files."""

import os
import re
import unittest

from tests.clients.page import PageTest

# Stones without a group to kill or to save, so that nothing can be proved: the answers are those of the file.
STONES = "(;SZ[9]AB[cc][cd]AW[gg][gf]PL[B]C[Black to play. CHOICE]"
ANSWERS = STONES + "(;B[ee];W[ef](;B[fe]C[Correct!])(;B[ff]C[Too slow.]))(;B[aa];W[ab]C[White lives.]))"
# Three points in a row, to kill and to live.
TWO_PROVED = """(;SZ[9]AB[ac][bc][cc][dc][ec][eb][ea]AW[ab][bb][cb][db][da]PL[B])(;SZ[9]AB[ab][bb][cb][db][da]AW[ac][bc][cc][dc][ec][eb][ea]PL[B])"""

# Replaces the proofs of the service by those of one that proves nothing. The one with the number `paused` waits for
# `finish()`, or until it is cancelled.
UNPROVED = """
import('/service/service.js').then(({ service }) => {
  const ask = service.ask.bind(service);
  window.proofs = [];
  service.ask = async (operator, fields, ...more) => {
    if (operator !== 'solve') return ask(operator, fields, ...more);
    proofs.push(fields.seconds);
    if (proofs.length === window.paused) {
      await new Promise((done, failed) => {
        window.finish = done;
        more[0].signal.addEventListener('abort', () => failed(Object.assign(new Error(), { code: 'cancelled' })));
      });
    }
    const tried = fields.tried && { move: fields.tried, result: 'unknown', refutation: null };
    return { color: 'black', goal: 'kill', result: 'unknown', proved: false, move: 'A1', line: [], tree: [], tried };
  };
})
"""


ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
LETTERS = "abcdefghijklmnopqrs"


def starter_text():
    """Returns the text of the module with the problems for beginners."""
    with open(os.path.join(ROOT, "src/service/page/game/starter_problems.js")) as file:
        return file.read()


def starter_problems():
    """Returns the problems for beginners: size, goal, and stones, {point: color}."""
    found = []
    for size, goal, *colors in re.findall(r'\[(\d+), "(kill|live)", "([a-s ]+)", "([a-s ]+)"\]', starter_text()):
        points = [[(LETTERS.index(at[0]), LETTERS.index(at[1])) for at in text.split()] for text in colors]
        stones = {point: color for color, some in zip("BW", points) for point in some}
        assert len(stones) == sum(map(len, points)), "two stones on the same point"
        found.append((int(size), goal, stones))
    return found


def has_liberty(stones, point, size):
    chain = [point]
    for column, row in chain:
        for beside in ((column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)):
            if all(0 <= at < size for at in beside):
                if beside not in stones:
                    return True
                if stones[beside] == stones[point] and beside not in chain:
                    chain.append(beside)
    return False


def smallest_image(stones, size):
    """Returns the same list for all reflections and rotations of the stones, and for both assignments of the colors."""
    images = [{point: color for point, color in stones.items()}, {point: "BW"[color == "B"] for point, color in stones.items()}]
    for turn in (lambda c, r: (r, c), lambda c, r: (size - 1 - c, r), lambda c, r: (c, size - 1 - r)):
        images += [{turn(*point): color for point, color in image.items()} for image in images]
    return min(sorted((*point, color) for point, color in image.items()) for image in images).__repr__()


class ProblemsTest(PageTest):
    TEXT = "document.getElementById('problem-text').textContent"
    NODES = ("import('/game/state.js').then(({ state: { game } }) => { let count = 0; const open = [game.root];"
             " while (open.length > 0) { count += 1; open.push(...open.pop().children); } return count; })")
    TITLE = "document.querySelector('#problem h2').textContent"

    def says(self, page, text):
        page.until(f"{self.TEXT} === {text!r}")

    def visible(self, page, name):
        return page.value(f"document.getElementById('problem-{name}').offsetParent !== null")

    def test_answers_of_the_file_come_first(self):
        with self.open(width=390, height=844) as page:
            self.open_file(page, ANSWERS)
            # The offer and the comment are visible at once.
            page.until("document.getElementById('problem-offer-text').textContent === 'Black to play.'")
            self.assertLess(page.value("document.getElementById('problem-start').getBoundingClientRect().bottom"), 844)
            page.press("#problem-start")
            self.says(page, "Black to play. Choose a move. The file contains the answers.")
            self.assertTrue(page.value("document.getElementById('problem-offer').hidden"))
            self.play(page, 0, 0)
            self.says(page, "A9 is wrong: White answers at A8.")
            page.press("#problem-again")
            self.says(page, "Black to play. Choose a move. The file contains the answers.")
            self.play(page, 4, 4)
            self.says(page, "E5 is right. White answers at E4. Continue.")
            self.play(page, 5, 5)
            self.says(page, "F4 is wrong. Too slow.")
            page.press("#problem-again")
            page.until(self.number(0))
            self.play(page, 4, 4, number=2)
            self.play(page, 5, 4)
            self.says(page, "Correct. The problem is solved. Correct!")
            page.press("#problem-solution")
            self.says(page, "Solution in the file: E5 E4 F5")
            before = page.value(self.NODES)
            page.press("#problem-end")
            page.until("document.getElementById('problem').hidden && !document.getElementById('problem-offer').hidden")
            self.assertEqual(page.value(self.NODES), before)

    def test_moves_outside_the_file_leave_it_unchanged(self):
        with self.open() as page:
            self.open_file(page, ANSWERS)
            before = page.value(self.NODES)
            page.value(UNPROVED)
            page.press("#problem-start")
            self.says(page, "Black to play. Choose a move. The file contains the answers.")
            self.play(page, 8, 0)
            self.says(page, "J9 is not in the file, and could be neither proved nor refuted.")
            page.press("#problem-end")
            page.until("document.getElementById('problem').hidden")
            self.assertEqual(page.value(self.NODES), before)
            self.assertEqual(page.value("document.querySelectorAll('#toast').length"), 0)

    def test_no_solution_is_offered_while_there_is_none(self):
        with self.open() as page:
            self.open_file(page, STONES + ";B[ee];W[ef])")
            page.value("window.paused = 2")
            page.value(UNPROVED)
            page.press("#problem-start")
            # Another search follows by itself.
            self.says(page, "Black to play. Nothing proved yet; the search goes on. You can already choose a move.")
            self.assertFalse(self.visible(page, "longer"))
            page.value("finish()")
            self.says(page, "Black to play. Nothing could be proved in the available time. Your moves are judged only where a proof is found.")
            self.assertTrue(self.visible(page, "longer"))
            # The first line of the file is an answer as well.
            self.assertTrue(self.visible(page, "solution"))
            self.play(page, 0, 0)
            self.says(page, "A9 could be neither proved nor refuted in the available time.")
            page.press("#problem-longer")
            # Two searches, the judgement of A9, and the longest search.
            page.until("proofs.join() === '5,30,30,120'")
            self.says(page, "Black to play. Nothing could be proved in the available time. Your moves are judged only where a proof is found.")
            self.play(page, 4, 4)
            self.says(page, "Correct. The problem is solved.")
            # Without a first line, there is no solution to show.
            self.open_file(page, STONES + ")")
            page.press("#problem-start")
            page.until(f"{self.TEXT}.includes('Nothing could be proved')")
            self.assertFalse(self.visible(page, "solution"))

    def test_problems_of_a_collection_follow_each_other(self):
        with self.open() as page:
            page.value("import('/core/message.js').then(({ say }) => say(''))")
            self.choose(page, ANSWERS + ANSWERS.replace("[ee]", "[ed]") + STONES + ")")
            page.until("document.querySelectorAll('#collection-list li').length === 3")
            self.assertEqual(page.value("document.querySelector('#collection-dialog h2').textContent"), "Choose a problem")
            page.press("#collection-dialog button[value=cancel]")
            # The first click on the board is the answer.
            page.until(f"{self.TITLE} === 'Problem · 1 of 3'")
            self.play(page, 4, 4, number=2)
            self.play(page, 5, 4)
            page.until(f"{self.TITLE} === 'Problem · 1 of 3 · solved'")
            page.press("#problem-next")
            page.until(f"{self.TITLE} === 'Problem · 2 of 3' && {self.number(0)}")
            self.says(page, "Black to play. Choose a move. The file contains the answers.")
            page.press("#problem-previous")
            page.until(f"{self.TITLE} === 'Problem · 1 of 3 · solved' && {self.number(0)}")
            page.press("#problem-list")
            page.until("document.querySelector('#collection-dialog[open]')")
            page.press("#collection-dialog button[value=cancel]")
            page.press("#problem-end")
            page.until("!document.getElementById('problem-offer').hidden")
            page.press("#collection")
            page.until("document.querySelectorAll('#collection-list .collection-solved').length === 1")
            # Other problems of the list start at once, too.
            page.press("#collection-list li:nth-child(2) button")
            page.until(f"{self.TITLE} === 'Problem · 2 of 3' && {self.SAID} === 'Problem 2 of 3.'")
            # The file is recognised when it is opened again.
            self.choose(page, ANSWERS + ANSWERS.replace("[ee]", "[ed]") + STONES + ")")
            page.until("document.querySelectorAll('#collection-list .collection-solved').length === 1")

    def test_problems_for_beginners_are_proved(self):
        goals = [goal for _, goal, _ in starter_problems()]
        count = len(goals)
        with self.open() as page:
            self.tab(page, "review")
            page.press("#practice-starter")
            page.until(f"document.querySelectorAll('#collection-list li').length === {count}")
            page.press("#collection-list li:first-child button")
            page.until(f"!document.querySelector('dialog[open]') && {self.SAID}.startsWith('Problem 1 of ')")
            # Problems of all grades, up to the last one.
            step = (count - 1) // 8
            numbers = [*range(1, 1 + 8 * step, step), count]
            texts = {"kill": "Black to play and kill White", "live": "Black to play and live"}
            for number, following in zip(numbers, [*numbers[1:], None]):
                page.until(f"{self.TITLE} === '{texts[goals[number - 1]]} · {number} of {count}'")
                self.says(page, "A solution has been proved. Choose a move.")
                if following:
                    page.value(f"import('/game/problem.js').then(({{ otherProblem }}) => otherProblem({following - number}))")
            self.assertTrue(page.value("document.getElementById('problem-next').disabled"))

    PENDING = "[...document.querySelectorAll('#board .stone.pending')].map((at) => `${at.getAttribute('cx')},${at.getAttribute('cy')}`).join()"

    def test_tried_moves_are_shown_while_they_are_checked(self):
        with self.open() as page:
            self.open_file(page, STONES.replace("C[Black to play. CHOICE]", "") + ")")
            # The search for a proof at the beginning lasts.
            page.value("window.paused = 1")
            page.value(UNPROVED)
            page.press("#problem-start")
            page.until(f"{self.TEXT} === 'Looking for a proof …' && proofs.length === 1")
            self.play(page, 0, 0)
            page.until(f"{self.PENDING} === '0,0'")
            self.assertTrue(page.value(self.TEXT).startswith("A9 is being checked."))
            self.play(page, 4, 4)
            page.until(f"{self.SAID} === 'A9 is still being checked. Take it back to try another move.'")
            page.press("#problem-back")
            page.until(f"{self.PENDING} === '' && {self.number(0)} && {self.TEXT} === 'Looking for a proof …'")
            # It is judged after the search.
            self.play(page, 4, 4)
            page.until(f"{self.PENDING} === '4,4'")
            page.value("window.paused = 3; finish()")
            page.until("proofs.join() === '5,30,30'")
            self.assertEqual(page.value(self.PENDING), "4,4")
            # The other search has no influence on the move being checked, which can be taken back.
            page.press("#problem-back")
            page.until(f"{self.PENDING} === '' && {self.number(0)} && {self.TEXT}.startsWith('Nothing')")
            self.play(page, 0, 0)
            self.says(page, "A9 could be neither proved nor refuted in the available time.")
            page.until(f"{self.PENDING} === '' && document.querySelector('#board .last')")
            self.assertEqual(page.errors, [])

    def test_wrong_moves_are_refuted_on_the_board(self):
        with self.open() as page:
            self.choose(page, TWO_PROVED)
            page.press("#collection-list li:first-child button")
            self.says(page, "A solution has been proved. Choose a move.")
            self.play(page, 0, 0)
            page.until(f"{self.TEXT} === 'A9 fails: White refutes it at B9 (proved).'")
            page.until("document.querySelector('#board .layer-variation .stone').getAttribute('cx') === '1'")
            self.play(page, 1, 0)
            page.until(f"{self.SAID} === 'Press Try again to choose another move.'")
            # The list tells what is known about the problem.
            page.press("#problem-list")
            page.until("document.querySelector('#collection-list li:first-child .note').textContent.endsWith('Black to play and kill White')")

    def test_file_and_problem_survive_a_reload(self):
        files = ANSWERS + ANSWERS.replace("[ee]", "[ed]").replace("SZ[9]", "SZ[9]GN[Ladder]")
        with self.open() as page:
            self.choose(page, files)
            page.press("#collection-list li:nth-child(2) button")
            page.until(f"{self.TITLE} === 'Problem · 2 of 2'")
            before = page.value(self.NODES)
            self.play(page, 8, 8)
            page.until(f"{self.TEXT}.startsWith('J1 is not in the file')")
            self.reload(page)
            # The move that was tried is not part of the game.
            page.until(f"!document.getElementById('problem').hidden && {self.TITLE} === 'Problem · 2 of 2' && {self.number(0)}")
            self.assertEqual(page.value(self.NODES), before)
            self.play(page, 4, 3, number=2)
            self.play(page, 5, 4)
            page.until(f"{self.TITLE} === 'Problem · 2 of 2 · solved'")
            page.press("#problem-end")
            page.until("document.getElementById('problem').hidden")
            self.reload(page)
            page.until("!document.getElementById('problem-offer').hidden && document.getElementById('problem').hidden")
            page.press("#collection")
            page.until("document.querySelectorAll('#collection-list .collection-solved').length === 1")
            texts = page.value("[...document.querySelectorAll('#collection-list .clip')].map((at) => at.textContent).join('|')")
            self.assertEqual(texts, "Problem 1||Problem 2|Ladder")
            page.press("#collection-list li:nth-child(1) button")
            page.until(f"{self.TITLE} === 'Problem · 1 of 2'")

class StarterProblemsTest(unittest.TestCase):
    def test_problems_are_different_and_legal(self):
        keys = set()
        for number, (size, _, stones) in enumerate(starter_problems(), 1):
            with self.subTest(problem=number):
                self.assertTrue(all(0 <= at < size for point in stones for at in point))
                self.assertTrue(all(has_liberty(stones, point, size) for point in stones))
                key = smallest_image(stones, size)
                self.assertNotIn(key, keys)
                keys.add(key)
        self.assertGreaterEqual(len(keys), 100)

    def test_grades_have_about_the_same_size(self):
        sizes = [grade.count(", \"kill\", ") + grade.count(", \"live\", ") for grade in starter_text().split("\n  [\n")[1:]]
        self.assertEqual(len(sizes), 3)
        self.assertLessEqual(max(sizes) - min(sizes), 1)
