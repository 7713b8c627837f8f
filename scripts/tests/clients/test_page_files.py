"""Tests of opening, saving and exploring game files on the page."""

import gzip

from tests.clients import chromium
from tests.clients.page import PageTest


class FilesTest(PageTest):
    def test_token_game_file_and_review(self):
        self.serve("--token", "open sesame, please")
        with chromium.Page(self.address) as page:
            for token, said in (("wrong", ""), ("open sesame, please", "Wrong key, try again.")):
                page.until("document.querySelector('#token-dialog[open]')"
                           f" && document.getElementById('token-said').textContent === '{said}'")
                page.value(f"document.querySelector('#token-dialog input').value = '{token}'")
                page.press("#token-dialog button.main")
            page.until(self.READY)
            self.choose(page, "(;SZ[9]PB[Ada]PW[Ben]RE[B+R];B[ee];W[ec](;B[cc]C[so])(;B[gc]))")
            page.until("document.getElementById('facts').textContent.includes('Black wins by resignation')")
            page.press("#last")
            page.until(self.number(3) + " && document.getElementById('comment').value === 'so'")
            page.press("#keep")
            page.until("document.getElementById('said').textContent.startsWith('Saved')")
            page.press("#games")
            page.until("document.querySelectorAll('#games-list tr').length === 1")
            page.press("#games-list button:nth-of-type(2)")
            page.until("document.querySelector('#games-list button:nth-of-type(2)').textContent === 'Reviewed'")
            page.press("#games-list button")
            page.until("document.getElementById('value').textContent.includes(' wins ')")
            self.assertEqual(page.value("document.querySelector('#graph .curve').getAttribute('d').match(/[ML]/g).join('')"), "MLLL")
            self.assertEqual(page.errors, [])

    def test_later_set_up_stones_are_preserved(self):
        with self.open() as page:
            self.choose(page, "(;SZ[9]PB[Ada];B[ee];W[ec];AB[cc]AW[dd]AE[ee])")
            page.until("document.querySelector('#black-player .name').textContent === 'Ada'")
            page.send("Page.reload")
            page.until(self.READY)
            page.press("#last")
            page.until(self.STONES + " === 3")

    def test_exploring_a_game_file_preserves_it(self):
        with self.open() as page:
            page.press("#analyse")
            self.choose(page, "(;SZ[9]GN[g]RE[B+R]AB[cc][gg];W[ee]LB[aa:1];B[ec])")
            # The analysis includes the set-up stones.
            page.until("Number(document.getElementById('value').textContent.match(/[0-9]+(?=%)/)) > 70")
            page.press("#analyse")
            self.go(page, "#forward", 1)
            self.play(page, 2, 6)
            page.until(self.number(2) + " && document.getElementById('facts').textContent.includes('Black wins by resignation')")
            kept = page.value("localStorage.getItem('honinbo-game')")
            for told in ("GN[g]", "LB[aa:1]", "RE[B+R]", ";B[ec]", ";B[cg]"):
                self.assertIn(told, kept)
            self.assertNotIn("RU[", kept)

    def test_files_in_any_character_set_are_opened(self):
        names = {
            "古力": b"(;SZ[9]PB[\xb9\xc5\xc1\xa6];B[ee])",
            "表": b"(;SZ[9]PB[\x95\x5c]CA[Shift_JIS];B[ee])",
            "Jörg": b"(;SZ[9]PB[J\xf6rg];B[ee])",
            "申真谞": gzip.compress("(;SZ[9]PB[申真谞];B[ee])".encode()),
        }
        with self.open() as page:
            for name, read in names.items():
                self.choose_bytes(page, read)
                page.until(f"document.querySelector('#black-player .name').textContent === '{name}'")
            self.assertEqual(page.errors, [])

    def test_large_files_are_opened(self):
        with self.open() as page:
            self.choose(page, "(;SZ[9]PB[Ada]C[' + 'long comment '.repeat(150000) + '];B[ee])")
            page.until("document.querySelector('#black-player .name').textContent === 'Ada'")

    def test_unknown_values_are_reported(self):
        with self.open() as page:
            self.choose(page, "(;SZ[9]RU[Chess];B[ee])")
            page.until(f"{self.SAID}.startsWith('game.sgf opened. Note: ') && {self.SAID}.includes('Chess')")

    def test_turn_after_set_up_follows_next_move(self):
        label = "document.querySelector('#board svg').getAttribute('aria-label')"
        with self.open() as page:
            # Set-ups that change nothing, such as those with comments in lessons, must be cheap.
            self.open_file(page, f"(;SZ[9];B[ee]{';AB[ee]C[so]' * 40};AW[gg];W[dd])")
            page.press("#last")
            page.until(f"{self.number(2)} && {self.STONES} === 3")
            page.press("#back")
            page.until(f"{self.number(1)} && {self.STONES} === 2 && {label}.includes('White to play')")
            self.choose(page, "(;SZ[9];AB[cc]AW[gg];W[dd])")
            page.until(f"{self.SAID} === 'game.sgf opened.' && {self.STONES} === 0")
            page.press("#forward")
            page.until(f"{self.STONES} === 2 && {label}.includes('White to play')")

    def test_turn_properties_and_set_up_without_handicap(self):
        with self.open() as page:
            self.choose(page, "(;SZ[9]HA[0]AB[cc][gg]PL[W];W[ee]PL[W];B[ec])")
            page.until("document.querySelector('#board svg').getAttribute('aria-label').includes('White to play')")
            self.go(page, "#forward", 1)
            page.until("document.querySelector('#board svg').getAttribute('aria-label').includes('Black to play')")
            self.assertIn("HA[0]", page.value("localStorage.getItem('honinbo-game')"))

    def test_set_up_with_first_move_is_no_handicap(self):
        with self.open() as page:
            self.begin(page, seat="both")
            self.play(page, 4, 4, number=1)
            self.go(page, "#back", 0)
            page.press("#edit")
            for at in ((2, 2), (6, 6)):
                self.play(page, *at)
            self.select(page, "#edit-turn", "white")
            page.press("#edit-done")
            page.until(f"{self.SAID}.startsWith('Position ready')")
            for number in (1, 2):
                self.go(page, "#pass", number)
            page.until(f"{self.SAID}.includes('Click stones')")
            counted = page.value(self.SAID)
            self.reload(page)
            page.until(self.STONES + " === 2")
            page.press("#score")
            page.until(f"{self.SAID} === {counted!r}")
            self.assertNotIn("handicap", page.value("document.getElementById('facts').textContent"))
            # Black's first consecutive moves are a handicap if the file does not specify one.
            self.open_file(page, "(;SZ[9];B[cg];B[gc];W[ee])")
            self.assertNotIn("HA[", page.value("localStorage.getItem('honinbo-game')"))

    def test_comments_survive_engine_moves(self):
        with self.open() as page:
            self.begin(page, level=10)
            self.play(page, 4, 4)
            page.until(f"{self.SAID}.startsWith('White is thinking')")
            page.press("#comment")
            self.write(page, "mid")
            page.until(self.number(2))
            self.write(page, "dle")
            self.assertEqual(page.value(self.COMMENT), "middle")
            # It belongs to Black's move, where it was started.
            page.press("#back")
            page.until(f"{self.number(1)} && {self.COMMENT} === 'middle'")
            self.reload(page)
            page.until(f"{self.number(1)} && {self.COMMENT} === 'middle'")
            page.press("#forward")
            page.until(f"{self.number(2)} && {self.COMMENT} === ''")
            # Another game is not modified.
            page.press("#comment")
            self.open_file(page, "(;SZ[9]PB[Ada]C[theirs];B[ee])")
            self.assertEqual(page.value(self.COMMENT), "theirs")

    def test_engine_does_not_move_while_browsing_history(self):
        with self.open() as page:
            self.begin(page, minutes=5)
            self.play(page, 4, 4, number=2)
            self.show_engines_turn(page)
            kept = "JSON.parse(localStorage.getItem('honinbo-game')).goban"
            goban = page.value(kept)
            page.send("Page.addScriptToEvaluateOnNewDocument", source="window.asked = []; const { send } = WebSocket.prototype;"
                      " WebSocket.prototype.send = function (text) { asked.push(text); return send.call(this, text); };")
            self.reload(page)
            page.until(self.number(1))
            # Requests are answered in order, so a later response shows that nothing else was requested before.
            page.press("#games")
            page.until("document.querySelector('#games-dialog[open]') && asked.some((text) => text.includes('listGoban'))")
            page.value("document.querySelector('#games-dialog').close()")
            self.assertFalse(page.value("asked.some((text) => text.includes('genmove'))"))
            self.assertEqual(page.value(kept), goban)
            # At the end of the line it is the engine's turn, and it plays.
            self.go(page, "#forward", 2)
            self.play(page, *page.value(self.FREE), number=4)

    def test_file_is_shown_up_to_illegal_move(self):
        with self.open() as page:
            self.open_file(page, "(;SZ[9]PB[Ada];B[ee];W[ec];B[ee];W[cc])")
            for number in (1, 2):
                self.go(page, "#forward", number)
            page.press("#forward")
            page.until(f"/occupied|a stone on this point/.test({self.SAID})")
            self.play(page, 8, 8)
            page.until(f"{self.number(3)} && {self.STONES} === 3 && {self.SAID} === 'Black J1.'")
            self.go(page, "#back", 2)
            page.press("#variations button")
            page.until(f"/occupied|a stone on this point/.test({self.SAID})")
            page.press("#back")
            page.until(f"{self.number(1)} && {self.STONES} === 1")

    def test_first_of_several_games_is_opened(self):
        with self.open() as page:
            self.choose(page, "(;SZ[9];B[ee])(;SZ[13])(;SZ[19])")
            page.until(f"{self.SAID} === 'game.sgf opened: the first of 3 games.'")

    def test_page_works_without_browser_storage(self):
        self.serve()
        with chromium.Page("about:blank") as page:
            page.send("Page.addScriptToEvaluateOnNewDocument", source="for (const kind of ['localStorage', 'sessionStorage'])"
                      " Object.defineProperty(window, kind, { get() { throw new Error('not here'); } });")
            page.send("Page.navigate", url=self.address)
            page.until(self.READY)
            self.begin(page)
            self.play(page, 4, 4, number=2)
            self.assertEqual(page.errors, [])

    def test_unusable_stored_state_is_ignored(self):
        with self.open() as page:
            for text in ("{", "7", '{"goban":"x","way":[]}'):
                page.value(f"localStorage.setItem('honinbo-game', '{text}')")
                self.reload(page)
                page.until(f"{self.SAID}.startsWith('You are Black')")

    def test_review_values_belong_to_their_positions(self):
        value = "value ? value.winrate.toFixed(4) : null"
        with self.open() as page:
            for number, (goban, of) in enumerate([
                # A move in the root node has no position before it.
                ("(;SZ[9]B[ee];W[aa];B[cc];W[ba])", [1, 2, 3, 4]),
                ("(;SZ[9];B[ee];W[aa];B[cc])", [0, 1, 2, 3]),
                # A position set up in the middle is not reviewed, but the moves before it are.
                ("(;SZ[9];B[ee];W[ab];AB[gg][cc][gc]AW[hh]PL[W];W[cb];B[bb])", [0, 1, 2, None, 3, 4]),
                ("(;SZ[9];AB[cc][gg]PL[W];C[nothing is played])", [None, None, 0]),
            ], 1):
                self.open_file(page, goban)
                page.press("#keep")
                page.until(f"{self.SAID} === 'Saved to My games.'")
                self.inside(page, f"service.ask('reviewGoban', {{ gobanId: {number}, visits: 4 }})")
                positions = self.inside(page, f"service.ask('loadGoban', {{ gobanId: {number} }})"
                                        ".then(({ review }) => review.positions.map(({ winrate }) => winrate.toFixed(4)))")
                page.press("#games")
                page.until(f"document.querySelectorAll('#games-list tr').length === {number}")
                page.press("#games-list button")
                page.until(f"!document.querySelector('dialog[open]') && {self.SAID} === 'Game opened.'")
                self.assertEqual(self.inside(page, f"state.game.line().map(({{ value }}) => {value})"),
                                 [None if at is None else positions[at] for at in of], goban)

    def test_dialogs_report_errors_and_progress(self):
        said = "document.getElementById('games-said').textContent"
        rows = "document.querySelectorAll('#games-list tr').length"
        review = "document.querySelector('#games-list button:nth-of-type(2)')"
        with self.open() as page:
            page.press("#new")
            page.value("document.querySelector('#new-dialog form').komi.value = ''")
            page.press("#new-dialog button.main")
            self.assertTrue(page.value("Boolean(document.querySelector('#new-dialog[open]'))"))
            page.press("#new-dialog button[value=cancel]")
            page.until("!document.querySelector('dialog[open]')")
            self.open_file(page, "(;SZ[9]PB[Ada]PW[Ben];B[ee];W[ec])")
            page.press("#keep")
            page.until(f"{self.SAID}.startsWith('Saved')")
            page.press("#games")
            page.until(f"{rows} === 1")
            for size, shown in (("nineteen", 0), ("9", 1), ("9 × 9", 1), ("9x13", 0), ("9x", 0), ("", 1)):
                page.value(f"document.querySelector('#games-dialog form').size.value = '{size}'")
                page.press("#games-search")
                page.until(f"{rows} === {shown} && ({said} !== '') === {str(not shown).lower()}")
                self.assertEqual(page.value(said).endswith("Enter a size such as 19 or 9×13."), size in ("nineteen", "9x"))
            # The label of the button follows its text.
            page.value("window.told = []; new MutationObserver(() => told.push(document.getElementById('games-said').textContent))"
                       ".observe(document.getElementById('games-said'), { childList: true });")
            page.press("#games-list button:nth-of-type(2)")
            page.until(f"{review}.textContent === 'Reviewed' && {review}.ariaLabel === 'Reviewed: Ada – Ben'")
            page.until(f"{said} === 'Reviewed: Ada – Ben'")
            self.assertIn("Reviewing, 1 of 3: Ada – Ben", page.value("told"))
