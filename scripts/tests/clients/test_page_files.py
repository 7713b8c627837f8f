"""Tests of opening, saving and exploring game files on the page."""

import gzip
import json

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
            page.press("#games-list .review")
            page.until("document.querySelector('#games-list .review').textContent === 'Reviewed'")
            page.press("#games-list .open")
            page.until(r"/^(Black|White) \+\d+\.\d · \d+%$/.test(document.getElementById('value').textContent)")
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
            kept = self.kept(page)
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
            self.assertIn("HA[0]", self.kept(page))

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
            self.pass_twice(page, 1)
            page.until(f"{self.SAID}.includes('Choose stones')")
            counted = page.value(self.SAID)
            self.reload(page)
            page.until(self.STONES + " === 2")
            page.press("#score")
            page.until(f"{self.SAID} === {counted!r}")
            self.assertNotIn("handicap", page.value("document.getElementById('facts').textContent"))
            # Black's first consecutive moves are a handicap if the file does not specify one.
            self.open_file(page, "(;SZ[9];B[cg];B[gc];W[ee])")
            self.assertNotIn("HA[", self.kept(page))

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
            self.show_engines_turn(page)
            page.until(f"{self.COMMENT} === 'middle'")
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
            goban = self.kept(page)
            page.send("Page.addScriptToEvaluateOnNewDocument", source="window.asked = []; const { send } = WebSocket.prototype;"
                      " WebSocket.prototype.send = function (text) { asked.push(text); return send.call(this, text); };")
            self.reload(page)
            page.until(self.number(1))
            # Requests are answered in order, so a later response shows that nothing else was requested before.
            page.press("#games")
            page.until("document.querySelector('#games-dialog[open]') && asked.some((text) => text.includes('listGoban'))")
            page.value("document.querySelector('#games-dialog').close()")
            self.assertFalse(page.value("asked.some((text) => text.includes('genmove'))"))
            self.assertEqual(self.kept(page), goban)
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
            self.tab(page, "tree")
            page.press("#variations button")
            page.until(f"/occupied|a stone on this point/.test({self.SAID})")
            page.press("#back")
            page.until(f"{self.number(1)} && {self.STONES} === 1")

    def test_all_games_of_a_file_are_offered(self):
        rows = "[...document.querySelectorAll('#collection-list .collection-text > :first-child')].map((at) => at.textContent).join()"
        board = "document.getElementById('facts').textContent.includes('{0}×{0}')".format
        with self.open() as page:
            self.choose(page, "(;SZ[9];B[ee])(;SZ[13]PB[Ada]PW[Ben])(;SZ[19]GN[Corner];B[dd];W[pp])")
            page.until(f"{self.SAID} === 'game.sgf opened: the first of 3 games.' && {board(9)}")
            page.until(f"document.querySelector('#collection-dialog[open]') && {rows} === 'Game 1,Ada – Ben,Corner'")
            page.press("#collection-list li:nth-child(3) button")
            page.until(f"{self.SAID} === 'Game 3 of 3.' && {board(19)}")
            self.assertTrue(page.value("document.getElementById('next-game').disabled"))
            page.press("#previous-game")
            page.until(f"{self.SAID} === 'Game 2 of 3.' && {board(13)}")
            page.press("#collection")
            page.press("#collection-all")
            page.until(f"{self.SAID} === '3 games added to My games.'")
            # Files with several games are also imported together with others.
            page.value("import('/game/files.js').then(({ openFiles }) => openFiles([new File(['(;SZ[9];B[aa])(;SZ[9];B[bb])'], 'a.sgf'),"
                       " new File(['(;SZ[9];B[cc])'], 'b.sgf'), new File(['?'], 'c.sgf')]))")
            page.until(f"{self.SAID} === '3 games added to My games. 1 file could not be read.'")

    def test_territory_markup_is_shown_and_kept(self):
        with self.open() as page:
            self.open_file(page, "(;SZ[9]AB[dd]TB[aa][ab]TW[ii])")
            self.assertEqual(page.value("['black', 'white'].map((color) => document.querySelectorAll(`#board .owner.${color}`).length)"), [2, 1])
            self.assertIn("TB[aa][ab]TW[ii]", self.kept(page))
            page.press("#edit")
            page.press("#edit-erase")
            self.play(page, 0, 0)
            page.until("document.querySelectorAll('#board .owner').length === 2")
            self.assertIn("TB[ab]TW[ii]", self.kept(page))

    def test_annotations_are_shown_edited_and_kept(self):
        line = "[...document.querySelectorAll('.annotation-line:not([hidden])')].map((one) => one.textContent).join()"
        with self.open() as page:
            self.choose(page, r"(;SZ[9];B[ee]N[a \\\] b]TE[2]XX[N[no\\\]];W[ec]DO[]UC[1]HO[1];B[cc])")
            page.until("document.getElementById('said').textContent === 'game.sgf opened.'")
            page.press("#forward")
            page.until(line + " === 'a ] b · Very good move'")
            page.press("#forward")
            page.until(line + " === 'Doubtful move · Unclear position · Key position'")
            page.press("#edit")
            page.press("#annotation-move")
            page.value("(() => { const move = document.getElementById('annotation-move'); move.value = 'BM2';"
                       " move.dispatchEvent(new Event('change', { bubbles: true }));"
                       " const name = document.getElementById('annotation-name'); name.value = '[x]';"
                       " name.dispatchEvent(new Event('change', { bubbles: true })); })()")
            kept = self.kept(page)
            for told in (r"N[a \] b]TE[2]XX[N[no\]]", r";W[ec]N[[x\]]BM[2]UC[1]HO[1]"):
                self.assertIn(told, kept)
            page.press("#edit-done")
            page.until(line + " === '[x] · Very bad move · Unclear position · Key position'")
            for left in ("Very bad move · Unclear position · Key position", "Doubtful move · Unclear position · Key position"):
                page.key("Escape")
                page.send("Input.dispatchKeyEvent", type="keyDown", key="z", modifiers=2)
                page.until(line + f" === '{left}'")
            self.assertEqual(page.errors, [])

    def test_addresses_are_explained(self):
        with self.open() as page:
            page.value("import('/game/files.js').then(({ openText }) => openText('https://example.org/game/1'))")
            page.until("document.getElementById('said').textContent.startsWith('This is an address.')")

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
                page.value(f"sessionStorage.setItem('honinbo-tab', 'honinbo-game-1'); localStorage.setItem('honinbo-game-1', '{text}')")
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
                page.press("#games-list .open")
                page.until(f"!document.querySelector('dialog[open]') && {self.SAID} === 'Game opened.'")
                self.assertEqual(self.inside(page, f"state.game.line().map(({{ value }}) => {value})"),
                                 [None if at is None else positions[at] for at in of], goban)

    def test_dialogs_report_errors_and_progress(self):
        said = "document.getElementById('games-said').textContent"
        rows = "document.querySelectorAll('#games-list tr').length"
        review = "document.querySelector('#games-list .review')"
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
            # The label of the button follows its text.
            page.value("window.told = []; new MutationObserver(() => told.push(document.getElementById('games-said').textContent))"
                       ".observe(document.getElementById('games-said'), { childList: true });")
            page.press("#games-list .review")
            page.until(f"{review}.textContent === 'Reviewed' && {review}.ariaLabel === 'Reviewed: Ada – Ben'")
            page.until(f"{said} === 'Reviewed: Ada – Ben'")
            # The progress of the review at the first announcement depends on the machine.
            self.assertRegex(page.value("told[0]"), "^Reviewing, [123] of 3: Ada – Ben$")

    def paste(self, page, text):
        """Pastes a text into the page."""
        page.value("(() => { const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', %s);"
                   " document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })); })()" % json.dumps(text))

    def test_games_are_pasted_dropped_and_copied(self):
        name = "document.querySelector('#black-player .name').textContent"
        with self.open() as page:
            # The text is already decoded, so its property has no effect.
            self.paste(page, "(;SZ[9]CA[GB18030]PB[柯洁];B[ee])")
            page.until(f"{name} === '柯洁' && {self.SAID} === 'Game opened.'")
            page.value("(() => { const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File(['(;SZ[9]PB[Ben];B[cc])'], 'b.sgf'));"
                       " for (const kind of ['dragenter', 'drop']) document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true })); })()")
            page.until(f"{name} === 'Ben' && {self.SAID} === 'b.sgf opened.'")
            self.assertTrue(page.value("document.getElementById('drop').hidden"))
            copied = page.value("(() => { const clipboardData = new DataTransfer();"
                                " document.body.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));"
                                " return clipboardData.getData('text/plain'); })()")
            self.assertIn("PB[Ben]", copied)
            self.paste(page, "no game")
            page.until(f"{self.SAID} === 'This is not a game file (SGF).' || {self.SAID}.includes('(;')")
            self.assertEqual(page.value(name), "Ben")
            # In a field, text is only text.
            page.value("document.getElementById('comment').dispatchEvent(new ClipboardEvent('paste', { clipboardData: new DataTransfer(), bubbles: true }))")

    def test_links_contain_the_game(self):
        with self.open() as page:
            self.open_file(page, "(;SZ[9]PB[柯洁]C[a\\\\nb];B[ee](;W[ec])(;W[gc]))")
            goban = self.kept(page)
            # The link leads to the position that is shown, in a variation.
            self.go(page, "#last", 2)
            page.key("ArrowDown")
            page.until(f"{self.SAID} === 'Move 2: White G7.'")
            page.press("#share")
            page.until("document.getElementById('share-link')?.value.includes('#game=')")
            link = page.value("document.getElementById('share-link').value")
            page.value("document.getElementById('share-dialog').close()")
            # The replaced game is preserved.
            self.begin(page, seat="both")
            self.play(page, 4, 4, number=1)
            page.value(f"location.hash = new URL('{link}').hash")
            page.until("document.querySelector('#black-player .name').textContent === '柯洁' && location.hash === ''")
            self.assertEqual(self.kept(page), goban)
            self.assertEqual(self.inside(page, "state.game.path().slice(1).map(({ move }) => move[1]).join()"), "E5,G7")
            page.until("document.querySelector('#games .badge')?.textContent === '1'")
            page.value("location.hash = '#game=AAAA'")
            page.until(f"{self.SAID} === 'The game in this link is damaged or incomplete.'")
            self.assertEqual(self.kept(page), goban)

    def test_file_names_describe_the_game(self):
        name = "import('/game/files.js').then(({ fileName }) => fileName({ settings: { date: '2026-11-28', black: 'A/B', white: '柯洁' } }))"
        with self.open() as page:
            self.assertEqual(page.value(name), "2026-11-28 A_B–柯洁.sgf")

    def test_full_storage_is_reported(self):
        with self.open() as page:
            self.begin(page, seat="both")
            # Without the space of the game itself, which could be stored without its snapshot.
            page.value("(() => { localStorage.setItem(sessionStorage.getItem('honinbo-tab'), ''); let text = 'x'.repeat(1 << 22); for (let at = 0; text.length > 0; at += 1) {"
                       " try { localStorage.setItem(`fill${at}`, text); } catch { text = text.slice(0, text.length >> 1); } } })()")
            self.play(page, 4, 4)
            page.until(f"{self.SAID}.startsWith('The browser has no space left')")

    def test_finished_games_are_stored_once(self):
        rows = "document.querySelectorAll('#games-list tr').length"
        with self.open() as page:
            self.begin(page, seat="both")
            self.play(page, 4, 4, number=1)
            page.press("#resign")
            self.inside(page, "service.ask('version')")
            page.until("import('/game/state.js').then(({ state }) => state.game.gobanId === 1)")
            # The game goes on and ends in another way.
            page.press("#toast-undo")
            self.play(page, 2, 2, number=2)
            page.press("#resign")
            page.until(f"{self.SAID} === 'Black resigns.'")
            page.press("#keep")
            page.until(f"{self.SAID}.includes('saved')")
            page.press("#games")
            page.until(f"{rows} === 1 && document.querySelector('#games-list .col-moves').textContent === '2'")

    def test_stored_games_are_searched_sorted_and_restored(self):
        names = "[...document.querySelectorAll('#games-list .col-black')].map((at) => at.textContent).join()"
        with self.open() as page:
            for black, date, result, more in (("井山裕太", "2026-11-01", "B+R", "EV[Meijin]"), ("Jörg", "2025", "W+2.5", "PC[Köln]"), ("ÉMILE", "2026-02-03", "0", "C[A ladder]")):
                self.inside(page, f"service.ask('saveGoban', {{ goban: '(;SZ[9]PB[{black}]DT[{date}]RE[{result}]{more};B[ee])' }})")
            page.press("#games")
            page.until(f"{names} === 'ÉMILE,Jörg,井山裕太'")
            page.until("document.querySelector('#games-list .thumbnail-black').getAttribute('d') !== ''")
            for field, value, shown in (("text", "山", "井山裕太"), ("text", "emil", "ÉMILE"), ("text", "jorg", "Jörg"), ("text", "MEIJIN 井山", "井山裕太"), ("text", "koln", "Jörg"), ("text", "ladder", "ÉMILE"), ("text", "2025", "Jörg"), ("text", "", "ÉMILE,Jörg,井山裕太"),
                                        ("from", "2026-01-01", "ÉMILE,井山裕太"), ("to", "2026-02-28", "ÉMILE"), ("from", "", "ÉMILE,Jörg"), ("to", "", "ÉMILE,Jörg,井山裕太"),
                                        ("winner", "white", "Jörg"), ("winner", "none", "ÉMILE"), ("winner", "", "ÉMILE,Jörg,井山裕太")):
                page.value(f"(() => {{ const at = document.querySelector('#games-dialog form').{field}; at.value = '{value}';"
                           " at.dispatchEvent(new Event('input')); })()")
                page.until(f"{names} === '{shown}'")
            page.press("#games-dialog [data-order=event]")
            page.until(f"{names}.endsWith('井山裕太')")
            page.press("#games-dialog [data-order=date]")
            page.until(f"{names} === '井山裕太,ÉMILE,Jörg'")
            page.press("#games-dialog [data-order=date]")
            page.until(f"{names} === 'Jörg,ÉMILE,井山裕太'")
            page.press("#games-list .delete")
            page.until(f"{names} === 'ÉMILE,井山裕太'")
            page.press("#toast-undo")
            page.until(f"{names} === 'Jörg,ÉMILE,井山裕太'")
            # A tap anywhere on a row opens the game.
            page.press("#games-list .col-moves")
            page.until("!document.querySelector('dialog[open]') && document.getElementById('black-player').textContent.includes('Jörg')")

    def test_games_are_listed_compactly_on_phones(self):
        box = "document.querySelector('{}').getBoundingClientRect().{}".format
        with self.open(width=390, height=844) as page:
            for number in range(8):
                self.inside(page, f"service.ask('saveGoban', {{ goban: '(;SZ[9]PB[Ada {number}]PW[Ben]EV[Cup]DT[2026-02-03]RE[B+3.5];B[ee])' }})")
            page.press("#games")
            page.until("document.querySelectorAll('#games-list tr').length === 8")
            self.assertLess(page.value(box("#games-list tr", "height")), 105)
            self.assertFalse(page.value("document.querySelector('#games-dialog .search details').open"))
            page.press("#games-list .delete")
            page.until("document.getElementById('toast')")
            self.assertGreater(page.value(box("#toast", "width")), 360)
            self.assertLess(page.value(box("#toast", "height")), 75)
            # The buttons of the dialog stay free.
            self.assertLess(page.value(box("#toast", "bottom")), page.value(box("#games-export", "top")))
            page.value("document.getElementById('toast-undo').click()")
            page.until(f"{self.SAID} === 'Back in My games: Ada 7 – Ben, Feb 3, 2026'")

    def test_deleted_game_returns_with_its_review(self):
        row = "document.querySelector('#games-list tr')"
        with self.open() as page:
            self.inside(page, "service.ask('saveGoban', { goban: '(;SZ[5];B[cc];W[cd])' })"
                              ".then(({ gobanId }) => service.ask('reviewGoban', { gobanId, visits: 1 }))")
            page.press("#games")
            page.until(row)
            page.press("#games-list .delete")
            for again in (False, True, False):
                page.until(row if again else f"!{row}")
                page.value("document.querySelector('#games-dialog .scroll').focus()")
                self.undo(page, again)
            page.until(f"{row}?.dataset.id === '1' && {row}.querySelector('.review').textContent === 'Reviewed'")

    def test_unchanged_files_are_not_kept(self):
        badge = "document.querySelector('#games .badge')?.textContent ?? ''"
        with self.open() as page:
            # Values of positions are no changes by the user.
            self.open_file(page, "(;SZ[9]AB[gc][cg]HA[2];W[ee]SBKV[50.00];B[cc])")
            self.go(page, "#last", 2)
            self.inside(page, "state.game.here.value = { winrate: 0.5, lead: 0 }")
            self.open_file(page, "(;SZ[9];B[ee])")
            self.assertEqual(page.value(badge), "")
            self.play(page, 2, 2, number=1)
            self.open_file(page, "(;SZ[9];B[ee];W[cc])")
            page.until(f"({badge}) === '1'")
