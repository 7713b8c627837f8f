"""Tests of games against the engine on the page."""

from tests.clients.page import PageTest


class PlayTest(PageTest):
    def test_play_analyse_score_save_and_continue(self):
        with self.open() as page:
            self.begin(page)
            for turn in range(5):
                self.play(page, *page.value(self.FREE), number=2 * turn + 2)
            self.assertGreater(page.value(self.STONES), 6)
            self.picture(page, "play.webp")
            self.go(page, "#undo", 8)
            page.press("#forward")
            self.go(page, "#forward", 10)
            page.press("#analyse")
            page.until("document.querySelectorAll('#moves tr').length >= 2 && document.querySelectorAll('#board .hint').length >= 2")
            page.until("Number(document.querySelector('#moves .cell-visits').textContent.replace(',', '')) > 100")
            self.picture(page, "analysis.webp")
            page.press("#analyse")
            page.until("document.querySelectorAll('#board .hint').length === 0")
            # In the middle of the game, the score is an estimate.
            page.press("#score")
            page.until(f"/^Estimate: (Black|White|even).* \\(\\d+%\\)\\.$/.test({self.SAID})")
            page.until("document.querySelectorAll('#board .paint').length > 0")
            page.press("#score")
            page.until("document.querySelectorAll('#board .paint').length === 0")
            page.press("#keep")
            page.until("document.getElementById('said').textContent.startsWith('Saved to My games')")
            stones = page.value(self.STONES)
            page.send("Page.reload")
            page.until("document.querySelector('#board svg') && " + self.number(10))
            self.assertEqual(page.value(self.STONES), stones)
            # It is still the player's turn, and the engine still responds.
            self.play(page, *page.value(self.FREE), number=12)
            self.begin(page, seat="both")
            page.until(self.number(0))
            page.press("#games")
            page.until("document.querySelectorAll('#games-list tr').length === 1")
            page.press("#games-list .open")
            page.until("!document.querySelector('dialog[open]') && " + self.number(10))
            self.assertEqual(page.value(self.STONES), stones)

    def test_keys_variations_editing_and_illegal_moves(self):
        with self.open(width=400, height=800) as page:
            self.begin(page, seat="both", handicap=2)
            page.until(self.STONES + " === 2")
            page.value("document.querySelector('#board svg').focus()")
            for key in ("ArrowUp", "ArrowLeft", "Enter"):
                page.key(key)
            page.until(self.number(1))
            self.play(page, 4, 4, number=2)
            # A click on a stone plays nothing.
            self.play(page, 4, 4)
            page.until(f"{self.SAID} === 'There is a stone on this point.' && {self.number(2)}")
            page.value("document.activeElement.blur()")
            page.key("ArrowLeft")
            page.until(self.number(1))
            self.play(page, 5, 5)
            self.tab(page, "tree")
            page.until(self.number(2) + " && document.querySelectorAll('#variations button').length === 2")
            page.press("#edit")
            self.play(page, 0, 0)
            page.press("#edit-done")
            page.until("document.getElementById('said').textContent.startsWith('Position ready')")
            page.until(self.STONES + " === 5")
            # The board announces the point under the cursor.
            page.value("document.querySelector('#board svg').focus()")
            page.key("ArrowUp")
            page.until("/^[A-J][1-9], (empty|Black|White)$/.test(document.getElementById('said').textContent)")
            # A phone's screen does not scroll sideways.
            self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 400)
            self.picture(page, "phone.webp")

    def test_rectangular_board(self):
        said = self.SAID
        with self.open(width=400, height=800) as page:
            self.begin(page, columns=9, rows=13, seat="both")
            # Opposite corners, announced by their names.
            for at, told in (((0, 0), "Black A13."), ((8, 12), "White J1."), ((2, 9), "Black C4.")):
                self.play(page, *at)
                page.until(f"{said} === '{told}'")
            page.key("b")
            for key, told in (("ArrowUp", "E7, empty"), ("ArrowUp", "E8, empty"), ("ArrowLeft", "D8, empty")):
                page.key(key)
                page.until(f"{said} === '{told}'")
            page.key("Enter")
            page.until(self.number(4))
            # The whole board is on the screen, in its proportions.
            width, height, right = page.value("(() => { const at = document.querySelector('#board svg').getBoundingClientRect();"
                                              " return [at.width, at.height, at.right]; })()")
            self.assertAlmostEqual(width / height, 10.2 / 14.2, delta=0.02)
            self.assertLess(max(width, right), 401)
            page.press("#analyse")
            page.until("[...document.querySelectorAll('#board .paint')].some((at) => at.getAttribute('y') > 9)")
            page.until("document.querySelectorAll('#moves tr').length > 1")
            # A finger's first touch shows the predicted moves, the second plays.
            page.touch("#moves tr")
            page.until("document.querySelectorAll('#board .ghost').length > 1")
            page.until(self.number(4))
            # The running analysis changes the order of the rows, so a touch may meet another row, which it shows.
            for _ in range(20):
                page.touch(f"#moves tr[data-vertex={self.inside(page, 'state.hovered')}]")
                page.settle()
                if page.value(self.number(5)):
                    break
            page.until(self.number(5))
            page.press("#analyse")
            page.press("#score")
            page.until(f"{said}.startsWith('Estimate: ')")
            page.press("#score")
            page.press("#keep")
            page.until(f"{said}.startsWith('Saved')")
            self.assertIn("SZ[9:13]", self.kept(page))
            self.begin(page, columns=8, rows=7, seat="both", handicap=9)
            # Only four handicap stones fit, so none are placed.
            page.until(self.STONES + " === 0")
            page.press("#games")
            page.until("document.querySelectorAll('#games-list tr').length === 1")
            page.press("#games-list .open")
            page.until("!document.querySelector('dialog[open]') && " + self.number(5) + " && " + self.STONES + " === 5")
            self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 400)

    def test_engine_resigns(self):
        # The threshold makes every position lost. The engine waits for three turns, so it does not resign immediately.
        with self.open("--resign", "100", "--time", "0.1") as page:
            self.begin(page, level=10)
            for turn in range(20):
                if "resigns" in page.value("document.getElementById('said').textContent"):
                    break
                self.play(page, *page.value(self.FREE))
                page.until(f"document.getElementById('said').textContent.includes('resigns') || {self.number(2 * turn + 2)}")
            page.until("document.getElementById('said').textContent === 'White resigns.'")
            page.until("document.getElementById('facts').textContent.includes('Black wins by resignation')")
            self.assertGreater(turn, 2)

    def test_actions_wait_for_the_engines_move(self):
        with self.open() as page:
            self.begin(page, level=10)
            able = "!document.getElementById('score').disabled && !document.getElementById('edit').disabled"
            page.until(able)
            self.play(page, 4, 4)
            page.until("document.getElementById('said').textContent.startsWith('White is thinking')")
            self.assertFalse(page.value(able))
            page.until(self.number(2) + " && " + able)

    def test_interrupted_engine_and_clock_continue(self):
        with self.open() as page:
            self.begin(page, level=10, minutes=5)
            self.play(page, 4, 4)
            page.until("document.getElementById('said').textContent.startsWith('White is thinking')")
            self.go(page, "#back", 0)
            clock = "document.querySelector('#white-player .clock').textContent"
            stopped = page.value(clock)
            self.assertGreater(stopped, "4:50")
            self.go(page, "#forward", 2)
            # Analysis started and left in the same moment: nothing continues in the background, and the engine still
            # responds.
            page.value("['analyse', 'first'].forEach((id) => document.getElementById(id).click())")
            page.until(self.number(0))
            page.press("#analyse")
            self.go(page, "#last", 2)
            self.play(page, *page.value(self.FREE), number=4)

    def test_undone_moves_leave_the_game(self):
        with self.open() as page:
            self.begin(page, seat="both")
            for at, number in (((4, 4), 1), ((2, 2), 2)):
                self.play(page, *at, number=number)
            self.go(page, "#undo", 1)
            self.play(page, 6, 6, number=2)
            self.assertIn(";B[ee];W[gg])", self.kept(page))
            # A move that was only left, not undone, remains as a variation.
            self.go(page, "#back", 1)
            self.play(page, 2, 6, number=2)
            self.assertIn(";B[ee](;W[cg])(;W[gg])", self.kept(page))
            self.go(page, "#undo", 1)
            self.go(page, "#undo", 0)
            self.play(page, 7, 7, number=1)
            self.assertIn(";B[hh])(;B[ee](;W[cg])(;W[gg]))", self.kept(page))
            # The engine's first move is undone, and it plays another.
            self.begin(page, seat="white", minutes=5)
            page.until(self.number(1))
            page.press("#undo")
            page.until("document.getElementById('said').textContent.startsWith('Black ') && " + self.number(1))
            self.play(page, *page.value(self.FREE), number=3)

    def test_resignation_before_first_move_can_be_undone(self):
        with self.open() as page:
            self.begin(page, seat="both")
            result = "document.getElementById('facts').textContent.includes('wins')"
            self.assertTrue(page.value("document.getElementById('undo').disabled"))
            page.press("#resign")
            page.until(result + " && document.getElementById('said').textContent === 'Black resigns.'")
            page.press("#undo")
            page.until("!" + result)
            self.play(page, 4, 4, number=1)

    def test_unsuitable_input_is_reported(self):
        with self.open() as page:
            page.press("#new")
            for name, value in (("size", "other"), ("columns", 25), ("size", 13)):
                self.fill(page, "new", name, value)
            # Hidden fields are not checked.
            page.press("#new-dialog button.main")
            page.until("document.getElementById('facts').textContent.includes('13×13')")
            self.choose(page, "(;SZ[9]C[' + 'x'.repeat(1200000) + '])")
            page.until("document.getElementById('facts').textContent.includes('9×9')")
            # Random text is too long even if it is compressed.
            digits = "Array.from({ length: 300000 }, () => Math.random().toString(36)).join('')"
            self.choose(page, f"(;SZ[9]C[' + {digits} + '])")
            page.until("document.getElementById('said').textContent.startsWith('This game is too large')")
            self.choose(page, "(;SZ[9];B[ee])")
            page.until("document.getElementById('facts').textContent.includes('9×9')")

    def test_user_passes_and_resigns_for_own_side(self):
        able = "!document.getElementById('{}').disabled".format
        with self.open() as page:
            self.begin(page)
            self.play(page, 4, 4, number=2)
            self.show_engines_turn(page)
            self.assertFalse(page.value(able("pass")))
            page.key("p")
            page.press("#resign")
            page.until(f"{self.SAID} === 'Black resigns.' && document.getElementById('facts').textContent.includes('White wins by resignation')")
            self.assertTrue(page.value(self.number(1)))
            page.until("document.getElementById('move').disabled && document.getElementById('pass').disabled")
            self.play(page, 0, 0)
            page.until(f"{self.SAID}.startsWith('The game is over')")
            # The result in a game file is preserved.
            self.open_file(page, "(;SZ[9]PB[Ada]RE[B+5.5];B[ee];W[ec])")
            self.assertTrue(page.value(able("pass")))
            self.assertFalse(page.value(able("resign")))
            page.press("#resign")
            page.press("#pass")
            page.until(f"{self.number(1)} && document.getElementById('facts').textContent.includes('Black wins by 5.5 points')")
            self.assertIn("RE[B+5.5]", self.kept(page))

    def test_clocks_continue_after_reload(self):
        with self.open() as page:
            self.begin(page, minutes=1)
            clock = "document.querySelector('#black-player .clock').textContent"
            page.until(clock + " < '1:00' && " + clock + " > '0:40'")
            page.send("Page.reload")
            page.until(self.READY + " && " + clock + " < '1:00' && " + clock + " > '0:40'")
            # One second on a clock is soon over.
            self.begin(page, seat="black", minutes=0, periods=1, seconds=1)
            page.until("document.getElementById('said').textContent === 'Black has run out of time.'")
            page.until("document.getElementById('facts').textContent.includes('White wins on time')")
            # After an undo, the game continues without a clock.
            page.press("#undo")
            page.until(clock + " === ''")
            self.play(page, 4, 4, number=2)

    def test_each_tab_keeps_its_game(self):
        with self.open() as page:
            self.begin(page, seat="both", minutes=10)
            self.play(page, 4, 4, number=1)
            with page.tab(self.address):
                page.until(f"{self.READY} && {self.number(0)}")
                self.begin(page, columns=13, rows=13, seat="both")
                for number, at in enumerate(((2, 2), (3, 3)), 1):
                    self.play(page, *at, number=number)
                self.reload(page)
                page.until(f"{self.number(2)} && document.getElementById('facts').textContent.includes('13×13')")
            self.play(page, 2, 2, number=2)
            self.reload(page)
            page.until(f"{self.number(2)} && document.getElementById('facts').textContent.includes('9×9')")
            # The game of the closed tab can be recovered; the current one is saved in exchange.
            page.until("document.querySelector('#games .badge')?.textContent === '1'")
            page.press("#games")
            page.until("document.querySelectorAll('#games-lost li').length === 1")
            page.press("#games-lost .recover")
            page.until(f"{self.SAID} === 'Game recovered.' && document.getElementById('facts').textContent.includes('13×13')")
            page.until(f"{self.number(2)} && document.querySelector('#games .badge')?.textContent === '1'")
            page.press("#games")
            page.until("document.querySelectorAll('#games-lost li').length === 1")
            page.press("#games-lost .delete")
            page.until("document.querySelectorAll('#games-lost li').length === 0")
            page.press("#toast-undo")
            page.until("document.querySelectorAll('#games-lost li').length === 1")

    def test_set_up_once_and_clock_follows_turn(self):
        clock = "document.querySelector('#{}-player .clock').textContent".format
        with self.open() as page:
            self.begin(page, seat="both", minutes=5)
            page.press("#edit")
            self.select(page, "#edit-turn", "white")
            page.press("#edit-done")
            page.until(f"{self.SAID} === 'Position ready. White to play.'")
            page.until(f"{clock('white')} < '5:00'")
            black = page.value(clock("black"))
            page.until(f"{clock('white')} < '4:58'")
            self.assertEqual(page.value(clock("black")), black)
            self.play(page, 4, 4, number=1)
            # Pressed twice as fast as possible, and again immediately after the set-up.
            page.press("#edit")
            self.play(page, 0, 0)
            page.value("(() => { const [said, done] = ['said', 'edit-done'].map((id) => document.getElementById(id));"
                       " const seen = new MutationObserver(() => { seen.disconnect(); done.click(); });"
                       " seen.observe(said, { childList: true }); done.click(); done.click(); })()")
            page.until(f"{self.SAID} === 'Position ready. Black to play.' && {self.STONES} === 2")
            self.assertEqual(self.inside(page, "service.ask('version').then(() => state.game.path().length)"), 3)
            # Cancelled.
            page.press("#edit")
            self.play(page, 1, 1)
            page.press("#edit-cancel")
            self.assertEqual(self.inside(page, "state.game.path().length"), 3)
            page.until(self.STONES + " === 2")
            # An illegal set-up can be corrected.
            page.press("#edit")
            for at in ((0, 1), (1, 0)):
                page.press("#edit-white")
                self.play(page, *at)
            page.press("#edit-done")
            page.until(f"{self.SAID} !== '' && !{self.SAID}.startsWith('Place stones')")
            self.play(page, 1, 0)
            page.press("#edit-done")
            page.until(f"{self.SAID} === 'Position ready. Black to play.' && {self.STONES} === 3")

    def test_repetition_follows_the_ko_rule(self):
        # Four moves capture two stones of each colour and lead back to the position.
        setup = "SZ[4]AB[da][ab][bb]AW[aa][ba][cb][db]PL[B]"
        cycle = ((2, 0), (1, 0), (3, 0), (0, 0))
        reason = "repeats an earlier position (superko)"
        with self.open() as page:
            self.open_file(page, f"(;{setup})")
            for number, at in enumerate(cycle[:3], 1):
                self.play(page, *at, number=number)
            self.play(page, *cycle[3])
            page.until(f"{self.SAID}.includes('{reason}') && {self.number(3)}")
            # A move in a file is shown with a warning.
            self.open_file(page, f"(;{setup};B[ca];W[ba];B[da];W[aa])")
            self.go(page, "#last", 4)
            page.until(f"{self.SAID}.startsWith('Illegal under these rules: ') && {self.SAID}.includes('{reason}')")
            self.go(page, "#back", 3)
            # Under simple ko, the third occurrence ends the game.
            self.begin(page, columns=5, rows=4, seat="both", rules="chinese")
            page.press("#edit")
            for stone, points in (("black", ((3, 0), (0, 1), (1, 1))), ("white", ((0, 0), (1, 0), (4, 0), (2, 1), (3, 1)))):
                page.press(f"#edit-{stone}")
                for at in points:
                    self.play(page, *at)
            page.press("#edit-done")
            page.until(f"{self.SAID}.startsWith('Position ready')")
            for number, at in enumerate(2 * cycle, 1):
                self.play(page, *at, number=number)
            page.until(f"{self.SAID} === 'No result: a position has occurred three times.'")
            page.until("document.getElementById('facts').textContent.endsWith('No result')")
            self.play(page, *cycle[0])
            page.until(f"{self.SAID}.startsWith('The game is over: No result.')")
            self.go(page, "#undo", 7)
            page.until("!document.getElementById('facts').textContent.includes('Void')")

    def test_game_between_engines_is_paused(self):
        with self.open() as page:
            self.begin(page, seat="none")
            page.until("Number(document.getElementById('slider').max) > 2")
            self.assertTrue(page.value("document.getElementById('resign').hidden"))
            page.press("#pause")
            page.until("document.getElementById('pause').getAttribute('aria-pressed') === 'true'")
            before = self.inside(page, "state.game.number")
            self.assertIsNone(self.inside(page, "service.ask('version').then(() => state.thinking)"))
            self.go(page, "#back", before - 1)
            self.go(page, "#last", before)
            page.press("#pause")
            page.until(f"Number(document.getElementById('slider').max) > {before}")

    def test_no_stone_is_offered_where_the_ko_forbids_it(self):
        aims = "document.querySelectorAll('#board .aim').length"
        with self.open() as page:
            self.open_file(page, "(;SZ[9];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[ii];W[bb];B[cb])")
            self.go(page, "#last", 9)
            for column, count in ((4, 1), (1, 0), (4, 1)):
                x, y = page.value("(() => { const at = document.querySelector('#board svg').getScreenCTM();"
                                  f" const {{x, y}} = new DOMPoint({column}, 1).matrixTransform(at); return [x, y]; }})()")
                page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
                page.until(f"{aims} === {count}")

    def test_living_stones_count_only_under_area_rules(self):
        walls = ["".join(f"[{column}{row}]" for row in "abcdefghi") for column in "df"]
        with self.open() as page:
            for rules, count in (("Japanese", 54), ("Chinese", 72)):
                self.open_file(page, "(;SZ[9]RU[{}]AB{}AW{}PL[B])".format(rules, *walls))
                page.press("#score")
                page.until(f"document.querySelectorAll('#board .owner').length === {count}")

    def test_pass_is_shown_on_the_card(self):
        with self.open() as page:
            self.begin(page)
            page.press("#pass")
            page.until(f"{self.number(2)} && document.querySelector('#black-player .turn-text').textContent === 'to play'")
            self.go(page, "#undo", 0)
            self.begin(page, seat="both")
            self.go(page, "#pass", 1)
            page.until("document.querySelector('#black-player .turn-text').textContent === 'passed'")

    def test_loss_on_time_remains_after_scoring(self):
        with self.open() as page:
            self.begin(page, seat="both", minutes=0, periods=1, seconds=2)
            self.play(page, 4, 4, number=1)
            self.pass_twice(page, 2)
            page.until(f"{self.SAID}.includes('Choose stones')")
            page.press("#undo")
            page.until(f"{self.number(2)} && {self.SAID} === 'Black has run out of time.'")
            self.go(page, "#forward", 3)
            page.press("#score")
            page.until(f"{self.SAID}.includes('Choose stones')")
            page.until("document.getElementById('facts').textContent.includes('White wins on time')")

    def test_move_list_plays_only_for_user(self):
        with self.open() as page:
            self.begin(page)
            self.play(page, 4, 4, number=2)
            self.show_engines_turn(page)
            page.press("#analyse")
            page.until("document.querySelectorAll('#moves tr').length > 1")
            self.play(page, 0, 0)
            page.until(f"{self.SAID}.startsWith('It is Honinbo’s turn')")
            page.press("#moves tr")
            page.press("#moves tr:nth-child(2)")
            # All earlier requests have been answered by now.
            self.assertEqual(self.inside(page, "service.ask('version').then(() => state.game.here.children.length)"), 1)
            self.assertTrue(page.value(self.number(1)))
            page.press("#forward")
            page.until(f"{self.number(2)} && document.querySelectorAll('#moves tr').length > 1")
            self.go(page, "#moves tr", 4)
