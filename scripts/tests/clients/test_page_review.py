"""Tests of analysis, reviews and exercises on the page."""

import json
import re

from tests.clients.page import PageTest

# Moves 3 to 6 are in the corners, where they are worth nothing. After each pair of them the game is even again.
GAME = "(;SZ[9]KM[7]PB[Ada]PW[Ben];B[ee];W[ge];B[aa];W[ai];B[ia];W[ii];B[gc];W[cc])"


class ReviewTest(PageTest):
    DISCS = "document.querySelectorAll('#board .layer-discs > g').length"
    LINE = "document.querySelectorAll('#board .layer-variation .stone').length"

    def texts(self, page, selector):
        return page.value(f"[...document.querySelectorAll('{selector}')].map((at) => at.textContent)")

    def set(self, page, name, value):
        """Changes a setting of the page."""
        page.value(f"import('/core/settings.js').then(({{ set }}) => set('{name}', {json.dumps(value)}))")

    def review(self, page):
        """Reviews the open game and waits for the result."""
        self.tab(page, "review")
        page.press("#review-start")
        page.until("document.getElementById('said').textContent.startsWith('Review complete')")

    def test_review_lists_mistakes_and_survives_reload(self):
        with self.open() as page:
            self.open_file(page, GAME)
            self.tab(page, "review")
            page.press("#review-start")
            # The review runs in the background.
            self.go(page, "#forward", 1)
            page.until(f"{self.SAID}.startsWith('Review complete')")
            self.set(page, "mistakes.order", "move")
            page.until("document.getElementById('mistakes-order').value === 'move'")
            rows = self.texts(page, "#mistakes .mistake-move")
            self.assertIn("3 A9", rows)
            self.assertNotIn("1 E5", rows)
            numbers = [int(row.split()[0]) for row in rows]
            self.assertEqual(numbers, sorted(numbers))
            self.set(page, "mistakes.player", "white")
            page.until("![...document.querySelectorAll('#mistakes .mistake-move')].some((at) => at.textContent === '3 A9')")
            self.set(page, "mistakes.player", "black")
            # By loss, the worst first.
            self.set(page, "mistakes.order", "lost")
            page.until("document.getElementById('mistakes-order').value === 'lost' && [...document.querySelectorAll('#mistakes .mistake-move')].some((at) => at.textContent === '3 A9')")
            losses = [float(text.replace("−", "-")) for text in self.texts(page, "#mistakes .loss-badge")]
            self.assertEqual(losses, sorted(losses))
            self.assertTrue(page.value("document.getElementById('review-status').textContent.endsWith('A quick review is rough; a thorough one may name other moves.')"))
            self.assertGreater(page.value("document.querySelectorAll('#graph .mistake.black').length"), 0)
            self.picture(page, "review.webp")
            self.reload(page)
            self.tab(page, "review")
            page.until("document.querySelectorAll('#mistakes li').length > 0")
            # The game is still a record with both players' totals.
            self.assertEqual(self.texts(page, ".totals thead th"), [" Ada", " Ben"])
            self.assertEqual(self.texts(page, ".totals tbody tr:last-child td"), ["4", "4"])
            counts = [sum(map(int, self.texts(page, f".histogram .{color} .bar-count"))) for color in ("black", "white")]
            self.assertEqual(counts, [4, 4])

    def test_mistake_is_compared_with_better_move(self):
        with self.open() as page:
            self.open_file(page, GAME)
            self.review(page)
            self.set(page, "mistakes.player", "black")
            page.value("document.activeElement.blur()")
            page.key("m")
            # The position before the first mistake: the played move and the best one.
            page.until(f"{self.number(2)} && document.getElementById('moment-title').textContent === 'Move 3 · Black A9'")
            page.until("document.querySelectorAll('#board .hint-played').length === 1 && document.querySelectorAll('#board .hint-ring').length === 1")
            loss = page.value("document.querySelector('#moment-panel .loss-badge').textContent")
            self.assertRegex(loss, r"^−\d+\.\d$")
            self.assertIn(loss, self.texts(page, "#board .layer-discs text"))
            better = page.value("document.querySelector('#moment-line .chip').textContent")
            self.assertEqual(page.value("document.getElementById('moment-better').textContent"), f"Better: {better}")
            # The variation on the board, move by move, and as a branch of the tree.
            page.value("document.querySelector('#moment-line .chip:nth-child(2)').click()")
            page.until(f"{self.LINE} === 2")
            page.press("#moment-add")
            self.assertEqual(self.inside(page, "state.game.here.children.map(({ move }) => move[1])"), ["A9", better])
            page.press("#toast-undo")
            page.until("document.getElementById('toast') === null")
            self.assertEqual(self.inside(page, "state.game.here.children.map(({ move }) => move[1])"), ["A9"])
            page.press("#moment-step")
            page.until(self.number(3))
            page.key("m")
            page.until(f"{self.number(4)} && document.getElementById('moment-title').textContent === 'Move 5 · Black J9'")
            page.press("#moment-previous-mistake")
            page.until("document.getElementById('moment-title').textContent === 'Move 3 · Black A9'")

    def test_analysis_shows_losses(self):
        with self.open() as page:
            self.open_file(page, GAME)
            self.go(page, "#last", 8)
            self.go(page, "#back", 7)
            page.press("#analyse")
            page.until("document.querySelectorAll('#moves tr').length > 3 && document.querySelector('#moves .cell-visits').textContent.length > 2")
            page.until("document.querySelector('#board .hint-ring') && document.querySelector('#board .hint-played')")
            page.press("#analyse")
            page.press("#tab-button-analysis")
            page.press("#analyse")
            page.until("document.querySelectorAll('#moves tr').length > 3")
            row = self.texts(page, "#moves tr:first-child td")
            self.assertEqual(row[1], "0.0")
            self.assertRegex(row[2], r"^\d+%$")
            self.assertTrue(row[6].startswith(f"{row[0]} "), row)
            # Pointing at a row shows its variation as numbered stones.
            x, y = page.middle("#moves tr:first-child")
            page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
            page.until(f"{self.LINE} > 1 && {self.DISCS} === 0")
            self.assertEqual(self.texts(page, "#board .layer-variation text")[:2], ["1", "2"])
            page.send("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
            page.until(f"{self.LINE} === 0 && {self.DISCS} > 3")
            page.press("#switch-hints")
            page.until(f"{self.DISCS} === 0 && document.querySelectorAll('#board .paint').length > 20")
            page.press("#switch-ownership")
            page.until("document.querySelectorAll('#board .paint').length === 0")
            self.picture(page, "analysis_off.webp")

    def test_deeper_analysis_stays_with_its_position(self):
        depth = "Number(document.querySelector('#moves .cell-visits')?.textContent.replace(/\\D/g, '') ?? 0)"
        headline = "document.getElementById('value').textContent"
        with self.open() as page:
            self.open_file(page, GAME)
            self.go(page, "#forward", 1)
            page.press("#analyse")
            # More visits than a quick review has in total.
            page.until(f"{depth} > 60")
            page.press("#analyse")
            page.until(f"{self.SAID} === 'Analysis off.'")
            found = self.inside(page, "state.game.here.analysis")
            row, value = self.texts(page, "#moves tr:first-child td"), page.value(headline)
            self.assertEqual(row[0], found["moves"][0]["vertex"])
            self.assertGreater(page.value(self.DISCS), 3)
            # A quick review does not replace it.
            self.review(page)
            self.tab(page, "analysis")
            self.assertEqual(self.texts(page, "#moves tr:first-child td"), row)
            self.assertEqual(page.value(headline), value)
            self.go(page, "#forward", 2)
            page.until(f"{depth} > 0 && {depth} <= 50")
            self.go(page, "#back", 1)
            page.until(f"{depth} > 60 && {headline} === {value!r}")

    def test_first_tap_shows_variation_and_second_plays(self):
        with self.open(width=390, height=844) as page:
            self.open_file(page, GAME)
            self.review(page)
            best = self.inside(page, "state.game.here.reviewed.moves[0].move")
            column, row = "ABCDEFGHJ".index(best[0]), 9 - int(best[1])
            page.value("scrollTo(0, 0)")
            x, y = page.value("(() => { const at = document.querySelector('#board svg').getScreenCTM();"
                              f" const {{x, y}} = new DOMPoint({column}, {row}).matrixTransform(at); return [x, y]; }})()")
            for done in (f"{self.LINE} > 0 && {self.number(0)}", self.number(1)):
                page.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
                page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
                page.until(done)
            self.assertIn(best, self.inside(page, "state.game.root.children.map(({ move }) => move[1])"))

    def test_losses_have_a_scale_for_red_green_blindness(self):
        with self.open() as page:
            colors = []
            for scale in ("usual", "safe"):
                self.set(page, "losses", scale)
                page.until(f"document.documentElement.dataset.losses === '{scale}'")
                colors.append(page.value("[0, 1, 2, 3, 4, 5].map((at) => getComputedStyle(document.documentElement).getPropertyValue(`--loss-${at}`))"))
            self.assertEqual(len(set(colors[0] + colors[1])), 12)

    def test_graph_moves_through_game(self):
        with self.open() as page:
            self.open_file(page, "(;SZ[9];B[ee];W[ge];B[cc]SBKV[61]SBKS[4.2];W[gg];B[gc])")
            # A single value is a point.
            page.until("document.querySelector('#graph .curve')")
            self.assertRegex(page.value("document.querySelector('#graph .curve').getAttribute('d')"), r"^M[\d. ]+h\.01$")
            self.go(page, "#last", 5)
            page.until("document.querySelector('#graph').getAttribute('aria-valuenow') === '5'")
            left, top, width = page.value("(() => { const { x, y, width } = document.getElementById('graph').getBoundingClientRect(); return [x, y, width]; })()")
            mouse = lambda kind, x: page.send("Input.dispatchMouseEvent", type=kind, x=x, y=top + 30, button="left", buttons=1, clickCount=1)
            mouse("mousePressed", left + width - 9)
            mouse("mouseMoved", left + width / 2)
            mouse("mouseMoved", left + 36)
            page.until(self.number(0))
            mouse("mouseReleased", left + 36)
            # Keys work on the graph as elsewhere.
            page.value("document.getElementById('graph').focus()")
            for number in (1, 2, 3):
                page.key("ArrowRight")
                page.until(self.number(number))
            page.until("document.getElementById('value').textContent === 'Black +4.2 · 61%'")
            page.press("#graph-winrate")
            page.until("document.getElementById('graph-winrate').getAttribute('aria-pressed') === 'true'")
            self.assertEqual(self.texts(page, "#graph .tick.value"), ["100%", "50%", "0%"])

    def test_finger_scrolls_over_the_graph(self):
        with self.open(width=390, height=844) as page:
            self.open_file(page, "(;SZ[9];B[ee]SBKV[50]SBKS[1];W[cc]SBKV[60]SBKS[2];B[gg]SBKV[40]SBKS[3])")
            x, y = page.middle("#graph")
            for moves, number in (([(0, -20), (0, -60)], 0), ([(30, 0), (60, 0)], 2)):
                page.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
                for across, down in moves:
                    page.send("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x + across, "y": y + down}])
                page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
                page.settle()
                page.until(self.number(number))
                x, y = page.middle("#graph")

    def test_values_near_zero_have_no_sign(self):
        with self.open() as page:
            text = "import('/texts/texts.js').then(({ signed, lead }) => [signed(-0.04), signed(0.04), lead(-0.04), signed(-0.06)])"
            self.assertEqual(page.value(text), ["0.0", "0.0", "even", "−0.1"])

    def test_guesses_are_compared_with_played_and_best_moves(self):
        with self.open() as page:
            self.open_file(page, GAME)
            self.review(page)
            self.select(page, "#practice-color", "black")
            before = self.number(self.inside(page, "state.game.number"))
            page.press("#practice-mistakes")
            page.until("document.getElementById('guess-text').textContent === 'Which move would you play for Black?'")
            self.assertEqual(page.value("document.querySelector('#guess h2').textContent").split(" of ")[0], "Question 1")
            # The move of the game is as bad as it was. Before the answer is shown, another move can be tried.
            self.play(page, 0, 0)
            text = "document.getElementById('guess-text').textContent"
            page.until(f"{text}.startsWith('A9, as in the game: −') && {text}.endsWith('There is a better move. Try once more.')")
            page.until(f"{self.DISCS} === 1 && document.querySelectorAll('#board .hint-ring').length === 0")
            self.assertTrue(page.value("document.getElementById('guess-next').hidden"))
            self.play(page, 8, 8)
            page.until("!document.getElementById('guess-next').hidden")
            self.assertTrue(page.value(f"{text}.startsWith('Your move J1: −')"))
            page.until("document.querySelectorAll('#board .hint-ring').length === 1")
            self.assertTrue(page.value("document.getElementById('graph-panel').offsetParent === null"))
            page.press("#guess-next")
            page.until("document.querySelector('#guess h2').textContent.startsWith('Question 2')")
            # The best move loses nothing. The quick review has too few visits to judge by.
            best = self.inside(page, "state.game.here.judged.then(({ moves }) => moves[0].vertex)")
            column, row = "ABCDEFGHJ".index(best[0]), 9 - int(best[1])
            self.play(page, column, row)
            page.until(f"document.getElementById('guess-text').textContent.startsWith('Your move {best} is the best one.')")
            self.picture(page, "guess.webp")
            # The answer can be studied before the next question.
            page.press("#guess-next")
            page.until("!document.querySelector('#guess h2').textContent.startsWith('Question 2')")
            if page.value("document.querySelector('#guess h2').textContent") != "Your score":
                page.press("#guess-end")
            page.until("document.querySelector('#guess h2').textContent === 'Your score'")
            page.until(before)
            page.press("#guess-end")
            page.until("document.getElementById('guess').hidden")
            self.assertEqual(self.inside(page, "state.mode"), "play")

    def test_guesses_in_records_without_review(self):
        with self.open() as page:
            self.open_file(page, "(;SZ[9];B[ee];W[ge])")
            self.tab(page, "review")
            self.select(page, "#practice-color", "white")
            page.press("#practice-moves")
            page.until("document.querySelector('#guess h2').textContent === 'Question 1 of 1'")
            self.play(page, 8, 8)
            page.until("document.getElementById('guess-text').textContent.startsWith('Your move J1: −')")
            page.press("#guess-answer")
            page.until("document.querySelectorAll('#board .hint-ring').length === 1")
            page.press("#guess-next")
            page.until("document.querySelector('#guess h2').textContent === 'Your score'")
            text = page.value("document.getElementById('guess-text').textContent")
            guessed, played = map(float, re.findall(r"\d+\.\d", text)[:2])
            self.assertGreater(guessed, played)
            self.assertIn("Of 1 answers, 0 were the best move, 0 the move of the game, and 0 better than that.", text)

    def test_review_of_stored_game_runs_on_when_dialog_closes(self):
        review = "document.querySelector('#games-list .review')"
        with self.open() as page:
            # A long game: the review lasts, and shows its first progress soon.
            points = [f"{x}{y}" for y in "adgjmp" for x in "adgjmp"]
            moves = (f";{'BW'[move % 2]}[{point}]" for move, point in enumerate(points))
            self.open_file(page, f"(;SZ[19]PB[Ada]PW[Ben]{''.join(moves)})")
            page.press("#keep")
            page.until(f"{self.SAID}.startsWith('Saved')")
            self.set(page, "reviewVisits", 800)
            page.press("#games")
            page.until(review)
            page.press("#games-list .review")
            page.until(f"{review}.textContent.endsWith(' of 37')")
            page.press("#games-dialog button[value=cancel]")
            page.press("#games")
            page.until(f"{review}?.textContent.endsWith(' of 37') && {review}.disabled")
            # The opened game shows the same progress, and stops it.
            page.press("#games-list .open")
            page.until("!document.querySelector('dialog[open]')")
            self.tab(page, "review")
            page.until("document.getElementById('review-status').textContent.endsWith(' of 37')")
            page.press("#review-stop")
            page.until("document.getElementById('review-progress').hidden && !document.getElementById('review-start').hidden")

    def test_problem_answers_are_proved_and_refuted(self):
        text = "document.getElementById('problem-text').textContent"
        with self.open() as page:
            # White kills at B5; at A5, Black lives at B5.
            self.open_file(page, "(;SZ[8:5]AB[da][ab][bb][cb][db]AW[ea][eb][ac][bc][cc][dc][ec]PL[W])")
            self.tab(page, "review")
            page.press("#practice-problem")
            page.until(f"{text} === 'A solution has been proved. Choose a move.'")
            self.assertEqual(page.value("document.querySelector('#problem h2').textContent"), "White to play and kill Black")
            self.play(page, 0, 0)
            page.until(f"{text} === 'A5 fails: Black refutes it at B5 (proved).'")
            page.until(f"{self.LINE} > 0")
            page.press("#problem-again")
            page.until(f"{text} === 'A solution has been proved. Choose a move.'")
            self.play(page, 1, 0)
            page.until(f"{text} === 'Solved (proved).'")
            self.picture(page, "problem.webp")
            page.press("#problem-solution")
            page.until(f"{text}.startsWith('Proved line: B5')")
            page.press("#problem-end")
            page.until("document.getElementById('problem').hidden")
            # The tries have left the record.
            page.until("document.getElementById('problem-offer').hidden === false")
            self.assertEqual(self.inside(page, "state.game.root.children.length"), 0)
