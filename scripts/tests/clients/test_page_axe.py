"""Accessibility of the page, checked by axe-core, which npm installs."""

import json
import subprocess
import tempfile
from pathlib import Path

from tests.clients.page import PageTest

PACKAGE = "axe-core@4.10.2"
GAME = "(;SZ[9]PB[Ada]BR[3d]PW[Ben]EV[Cup]C[A comment.];B[ee]C[Here.]TR[ee];W[cc](;B[gg];W[gc])(;B[gc]))"
DIALOGS = {"new": "#new-dialog", "games": "#games-dialog", "settings": "#settings-dialog", "shortcuts": "#shortcuts-dialog",
           "info": "#info-dialog", "share": "#share-dialog", "collection": "#collection-dialog"}


class AxeTest(PageTest):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", folder, PACKAGE], check=True, timeout=300)
            cls.source = (Path(folder) / "node_modules" / "axe-core" / "axe.min.js").read_text()

    def check(self, page, what):
        """Fails if axe finds violations in the page as it is, in a light or a dark scheme."""
        for scheme in ("light", "dark"):
            page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
            page.settle()
            found = page.value("axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) =>"
                               " [id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))])))")
            self.assertEqual(json.loads(found), [], f"{what}, {scheme}")

    def act(self, page, name):
        page.value(f"import('/core/actions.js').then(({{ run }}) => {{ run('{name}'); }})")

    def check_dialogs(self, page):
        for name, dialog in DIALOGS.items():
            self.act(page, name)
            page.until(f"document.querySelector('{dialog}[open]')")
            if name == "games":
                page.until("document.querySelector('#games-list tr')")
            self.check(page, name)
            page.value(f"document.querySelector('{dialog}').close()")
        # The clipboard may not be read here, so that the dialog for text opens.
        page.value("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        self.act(page, "paste")
        page.until("document.querySelector('#paste-dialog[open]')")
        self.check(page, "paste")
        page.value("document.querySelector('#paste-dialog').close()")

    def check_exercises(self, page):
        self.tab(page, "review")
        for name in ("moves", "problem"):
            page.press(f"#practice-{name}")
            panel = "guess" if name == "moves" else "problem"
            page.until(f"!document.getElementById('{panel}').hidden")
            self.check(page, name)
            for _ in range(2):
                page.value(f"document.getElementById('{panel}').hidden || document.getElementById('{panel}-end').click()")
            page.until(f"document.getElementById('{panel}').hidden")

    def test_page_has_no_violations(self):
        self.serve()
        for width, height in ((1366, 768), (390, 844)):
            with self.subTest(width=width), self.page(width, height) as page:
                page.value(self.source)
                self.check(page, "start")
                self.begin(page, seat="both")
                self.play(page, 4, 4, number=1)
                self.check(page, "toast")
                page.press("#resign")
                self.check(page, "result")
                self.choose(page, f"{GAME}(;SZ[9];B[aa])")
                page.until("document.querySelector('#collection-dialog[open]')")
                page.value("document.querySelector('#collection-dialog').close()")
                self.go(page, "#forward", 1)
                self.inside(page, "service.ask('saveGoban', { goban: '(;SZ[9]PB[Ada]PW[Ben];B[ee];W[cc])' })")
                for tab in ("game", "analysis", "review", "tree"):
                    self.tab(page, tab)
                    self.check(page, tab)
                page.press("#edit")
                self.check(page, "edit")
                page.press("#edit")
                self.check_dialogs(page)
                self.check_exercises(page)

    def test_review_and_analysis_have_no_violations(self):
        self.serve()
        for width, height in ((1366, 768), (390, 844)):
            with self.subTest(width=width), self.page(width, height) as page:
                page.value(self.source)
                self.open_file(page, "(;SZ[5];B[cc];W[aa];B[cb];W[ee];B[dd])")
                self.tab(page, "review")
                page.press("#review-start")
                page.until(f"{self.SAID}.startsWith('Review complete')")
                self.go(page, "#first", 0)
                self.act(page, "next-mistake")
                self.check(page, "review")
                page.press("#analyse")
                page.until("document.querySelectorAll('#moves tr').length > 1")
                self.check(page, "analysis")
