"""The page of `honinbo serve` in a browser, and the actions of its users."""

import base64
import os
import re
import subprocess
import tempfile
import unittest

from tests.clients import chromium
from tests.clients.engines import HONINBO


class PageTest(unittest.TestCase):
    """Base of page tests. No test may cause an error to be logged."""

    def serve(self, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.options = ["--listen", "127.0.0.1:0", "--db", os.path.join(folder.name, "games.db"), "--threads", "2", *options]
        self.start("127.0.0.1:0")

    def start(self, address):
        """Starts the service at an address."""
        self.service = subprocess.Popen([HONINBO, "serve", "--http", address, *self.options], stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, self.service)
        address = None
        while not address:
            line = self.service.stderr.readline()
            self.assertTrue(line, "the service has exited")
            address = re.search(r"http://\S+", line)
        self.address = address[0]

    def end(self, service):
        """Ends a service unless it has ended already."""
        service.terminate()
        self.assertEqual(service.wait(), 0)
        service.stderr.close()

    def picture(self, page, name):
        if folder := os.environ.get("HONINBO_PICTURES"):
            page.screenshot(os.path.join(folder, name))

    # The page shows its game at once; the button for new games waits for the service.
    READY = ("document.querySelector('#board svg') && document.getElementById('facts')?.textContent"
             " && (!document.getElementById('new').disabled || document.querySelector('dialog[open]'))")

    def open(self, *options, **size):
        self.serve(*options)
        return self.page(**size)

    def page(self, width=1200, height=850):
        """Opens the page of the running service in another browser."""
        page = chromium.Page(self.address, width, height)
        self.addCleanup(lambda: self.assertEqual(page.errors, []))
        page.until(self.READY)
        return page

    def begin(self, page, columns=9, rows=9, **choices):
        """Starts a new game with these settings."""
        self.inside(page, "{ window.pageState = state; window.gameBefore = state.game; }")
        page.press("#new")
        size = columns if columns == rows else "other"
        for name, value in {"level": 1, **choices, "size": size, "columns": columns, "rows": rows}.items():
            self.fill(page, "new", name, value)
        page.press("#new-dialog button.main")
        page.until(f"pageState.game !== gameBefore && document.getElementById('facts').textContent.includes('{columns}×{rows}')")

    def fill(self, page, dialog, name, value):
        """Enters a value into a field of a dialog."""
        page.value(f"(() => {{ const field = document.querySelector('#{dialog}-dialog form').{name}; field.value = '{value}';"
                   " const control = field instanceof RadioNodeList ? [...field].find(({ checked }) => checked) : field;"
                   " for (const kind of ['input', 'change']) control.dispatchEvent(new Event(kind, { bubbles: true })); })()")

    def play(self, page, column, row, number=None):
        """Clicks on a point and waits until the game has reached move `number`, if given. Column and row count from 0 at
        the upper left."""
        page.settle()
        place = page.value("(() => { const at = document.querySelector('#board svg').getScreenCTM();"
                           f" const {{x, y}} = new DOMPoint({column}, {row}).matrixTransform(at); return [x, y]; }})()")
        page.click(*place)
        if number is not None:
            page.until(self.number(number))

    def undo(self, page, again=False):
        """Presses Ctrl+Z, or Ctrl+Y."""
        page.send("Input.dispatchKeyEvent", type="keyDown", key="y" if again else "z", modifiers=2)

    def select(self, page, selector, value):
        """Chooses a value of a select box."""
        page.value(f"(() => {{ const at = document.querySelector('{selector}'); at.value = '{value}';"
                   " at.dispatchEvent(new Event('change')); })()")

    def tab(self, page, name):
        """Opens a tab of the side panel."""
        page.press(f"#tab-button-{name}")
        page.until(f"!document.getElementById('tab-{name}').hidden")

    def go(self, page, button, number):
        """Presses a button and waits until the page shows move `number`."""
        page.press(button)
        page.until(self.number(number))

    def pass_twice(self, page, number):
        """Ends the game with two passes, which are moves `number` and `number + 1`."""
        for played in (number, number + 1):
            self.go(page, "#pass", played)

    def show_engines_turn(self, page):
        """Shows the position after the first move of a game in which the engine has answered it."""
        self.go(page, "#back", 0)
        self.tab(page, "tree")
        self.go(page, "#variations button", 1)
        self.tab(page, "game")

    def choose(self, page, goban):
        """Opens a game file as if the user had chosen it."""
        page.value("(() => { const files = new DataTransfer();"
                   f" files.items.add(new File(['{goban}'], 'game.sgf')); const at = document.getElementById('file');"
                   " at.files = files.files; at.dispatchEvent(new Event('change')); })()")

    def choose_bytes(self, page, read):
        """Opens a game file with these bytes as if the user had chosen it."""
        encoded = base64.b64encode(read).decode()
        page.value("(() => { const files = new DataTransfer();"
                   f" const read = Uint8Array.from(atob('{encoded}'), (letter) => letter.charCodeAt(0));"
                   " files.items.add(new File([read], 'game.sgf')); const at = document.getElementById('file');"
                   " at.files = files.files; at.dispatchEvent(new Event('change')); })()")

    def open_file(self, page, goban):
        """Opens a game file and waits until the page shows it."""
        # The message may be the one about a file with the same name.
        page.value("import('/core/message.js').then(({ say }) => say(''))")
        page.until(f"{self.SAID} === ''")
        self.choose(page, goban)
        page.until(f"{self.SAID} === 'game.sgf opened.'")

    def number(self, number):
        return f"document.getElementById('facts').textContent.startsWith('Move {number} ')"

    TOAST = "document.getElementById('toast')"
    STONES = "document.querySelectorAll('#board .stone').length"
    FREE = ("(() => { const taken = new Set([...document.querySelectorAll('#board .stone')]"
            ".map((stone) => stone.getAttribute('cx') + ',' + stone.getAttribute('cy')));"
            " for (const at of ['2,2', '6,6', '6,2', '2,6', '4,4', '4,2', '2,4', '6,4', '4,6', '3,3', '5,5', '1,1', '7,7', '1,7', '7,1'])"
            " if (!taken.has(at)) return at.split(',').map(Number); })()")
    SAID = "document.getElementById('said').textContent"
    COMMENT = "document.getElementById('comment').value"

    # The data of the game that this tab stores in the browser.
    KEPT = "(localStorage.getItem(sessionStorage.getItem('honinbo-tab')) ?? '')"

    def kept(self, page):
        """Returns the text of the game that this tab stores in the browser, with its latest changes."""
        page.value("import('/game/autosave.js').then(({ save }) => save())")
        return page.value(f"JSON.parse({self.KEPT}).goban")

    def reload(self, page):
        """Reloads the page."""
        page.value("window.before = true")
        page.send("Page.reload")
        page.until(f"!window.before && {self.READY}")

    def inside(self, page, expression):
        """Returns the value of an expression of the page's internal `state` and `service`."""
        return page.value("Promise.all(['/game/state.js', '/service/service.js'].map((name) => import(name)))"
                          f".then(([{{ state }}, {{ service }}]) => {expression})")

    def write(self, page, text):
        for letter in text:
            page.key(letter)
