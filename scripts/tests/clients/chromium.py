"""Headless Chromium, driven through its pipe by the DevTools protocol. Needs only Python's standard library."""

import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time

# Time limit of waiting, in seconds.
PATIENCE = float(os.environ.get("HONINBO_PATIENCE", 60))


def program():
    """Returns the path of Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Page:
    """A page in a separate browser; `errors` are the errors logged since it was opened."""

    def __init__(self, address, width=1200, height=850):
        self.folder = tempfile.mkdtemp()
        to_read, self.output = os.pipe()
        self.input, to_write = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--remote-debugging-pipe", f"--user-data-dir={self.folder}"]
        # Not sh, which may accept only descriptors of a single digit.
        shell = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        self.process = subprocess.Popen(["bash", "-c", shell, program(), *options], pass_fds=(to_read, to_write),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.waiting = b""
        self.count = 0
        self.session = None
        self.errors = []
        self.size = {"width": width, "height": height}
        self.attach(address)

    def attach(self, address):
        """Opens an address in a new tab, which becomes the current one."""
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        self.send("Emulation.setDeviceMetricsOverride", **self.size, deviceScaleFactor=1, mobile=self.size["width"] < 600)
        self.send("Page.navigate", url=address)

    @contextlib.contextmanager
    def tab(self, address):
        """Context in which another tab with a page of the same service is current; it is closed at the end."""
        before = self.session
        self.attach(address)
        yield
        # The page's handlers for leaving may run after the response to this command.
        self.value("addEventListener('pagehide', () => localStorage.setItem('left', 'yes'))")
        self.send("Page.navigate", url="about:blank")
        self.session = before
        self.send("Page.bringToFront")
        self.until("localStorage.getItem('left') === 'yes'")
        self.value("localStorage.removeItem('left')")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.input)
        os.close(self.output)
        # The browser's child processes may still write there for a moment.
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(self, method, **parameters):
        """Sends a command and returns its result."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.hear()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def hear(self):
        while b"\0" not in self.waiting:
            piece = os.read(self.input, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has exited")
            self.waiting += piece
        message, self.waiting = self.waiting.split(b"\0", 1)
        message = json.loads(message)
        method, parameters = message.get("method"), message.get("params")
        if method == "Runtime.exceptionThrown":
            self.errors.append(parameters["exceptionDetails"])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            self.errors.append(parameters["args"])
        return message

    def value(self, expression):
        """Returns the value of a JavaScript expression."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression):
        """Waits until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.value(f"Promise.resolve({expression}).then(Boolean)"):
            if time.monotonic() > end:
                said = self.value("document.getElementById('said')?.textContent")
                raise AssertionError(f"never true: {expression}; the page says {said!r}, errors {self.errors}")
            time.sleep(0.05)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def settle(self):
        """Waits until the page has been laid out after its latest changes. Hidden pages draw no frames."""
        self.value("new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); setTimeout(done, 200); })")

    def middle(self, selector):
        """Waits until an element is shown, scrolls it into view and returns its centre."""
        self.until("document.querySelector(%s)?.getBoundingClientRect().width > 0" % json.dumps(selector))
        self.settle()
        return self.value("(() => { const at = document.querySelector(%s); at.scrollIntoView({block: 'nearest'});"
                          " const {x, y, width, height} = at.getBoundingClientRect();"
                          " return [x + width / 2, y + height / 2]; })()" % json.dumps(selector))

    def press(self, selector):
        """Clicks on the centre of an element."""
        self.click(*self.middle(selector))

    def touch(self, selector):
        """Touches the centre of an element with a finger."""
        x, y = self.middle(selector)
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, **({"text": key} if len(key) == 1 else {}))

    def screenshot(self, path):
        """Returns a screenshot as WebP."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("Page.captureScreenshot", format="webp", quality=60)["data"]))
