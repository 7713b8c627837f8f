"""Tests of the page without the service."""

from tests.clients.page import PageTest


class OfflineTest(PageTest):
    def stop(self, page):
        """Stops the service and waits until the page knows it."""
        self.service.terminate()
        page.until("document.getElementById('connection').textContent.startsWith('Connection lost')")

    def test_games_are_viewed_and_continued_without_the_service(self):
        game = "(;SZ[9];B[ba];W[da];B[bb];W[ea];B[cb];W[ca];B[ee]"
        with self.open() as page:
            self.open_file(page, f"{game};W[gg](;B[gc])(;B[cg]))")
            self.stop(page)
            for number, stones in ((1, 1), (2, 2), (3, 3)):
                self.go(page, "#forward", number)
                self.assertEqual(page.value(self.STONES), stones)
            self.go(page, "#last", 9)
            self.assertEqual(page.value(self.STONES), 9)
            # What needs the service cannot be pressed.
            for name in ("analyse", "score", "move"):
                page.until(f"document.getElementById('{name}').disabled")
            self.play(page, 8, 8, number=10)
            page.until(f"{self.STONES} === 10")
            # The browser logs failed attempts to connect.
            page.errors.clear()

    def test_captures_ko_and_suicide_without_the_service(self):
        code = """Promise.all(['/game/local_position.js', '/game/tree.js'].map((name) => import(name))).then(([{ localPosition }, { Game }]) => {
          const game = new Game({ size: [5, 5], komi: 0, rules: 'chinese' });
          const play = (...moves) => moves.map(([color, vertex]) => {
            const node = game.after(color, vertex);
            try {
              node.position = localPosition(game, node, game.here.position);
              game.take(node);
              const { board, prisoners } = node.position;
              return [board.flat().filter(Boolean).length, prisoners.black, prisoners.white].join();
            } catch ({ code }) {
              return code;
            }
          });
          return play(['black', 'B5'], ['white', 'C5'], ['black', 'A4'], ['white', 'D4'], ['black', 'B3'], ['white', 'C3'], ['black', 'E1'],
            ['white', 'B4'], ['black', 'C4'], ['white', 'B4'], ['white', 'A5'], ['white', 'E1']);
        })"""
        with self.open() as page:
            found = page.value(code)
            self.assertEqual(found, [*(f"{number},0,0" for number in range(1, 9)), "8,0,1", "ko", "suicide", "occupied"])

    def test_last_game_is_shown_without_the_service(self):
        with self.open() as page:
            page.until("navigator.serviceWorker.ready.then(() => true)")
            self.open_file(page, "(;SZ[9]PB[Ada]PW[Ben];B[ee];W[cc](;B[gg])(;B[gc]C[here]))")
            self.go(page, "#forward", 1)
            self.kept(page)
            self.stop(page)
            self.reload(page)
            page.until(f"{self.number(1)} && {self.STONES} === 1 && document.querySelector('#cards .name').textContent === 'Ada'")
            self.go(page, "#forward", 2)
            # The browser logs failed attempts to connect.
            page.errors.clear()
