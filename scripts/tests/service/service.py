"""A running `honinbo serve` and its clients over TCP."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess

# The program under test.
HONINBO = os.path.abspath(os.environ.get("HONINBO", "target/release/honinbo"))


class Client:
    """A connection to the service. `source` is the client's own address."""

    def __init__(self, port, source="127.0.0.1"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(source, 0))
        self.lines = self.socket.makefile("rb")

    def send(self, **request):
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def receive(self):
        """Returns the next response. Raises ConnectionError if the service has closed the connection."""
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the connection is closed")
        return json.loads(line)

    def request(self, **request):
        self.send(**request)
        return self.receive()

    def close(self):
        self.lines.close()
        self.socket.close()


class Service:
    """A service with a database in `folder`, ended with its `with` block.

    `prepare` is a shell command that runs before the service, in mount namespaces of their own: it can mount file systems
    in which only the service sees the database. If `restarts` is set, the service starts once more after it has ended.
    """

    def __init__(self, folder, *options, prepare=None, restarts=False):
        database = os.path.join(folder, "games.db")
        serve = [HONINBO, "serve", "--listen", "127.0.0.1:0", "--db", database, *options]
        self.clients = []
        command = serve
        if prepare is not None:
            # The shell stays the parent of the service, so that the file systems outlive it.
            script = f'{prepare} || exit 9; "$@"; [ {int(restarts)} = 0 ] || "$@"'
            command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", *serve]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.wait_until_ready()

    def wait_until_ready(self):
        """Reads messages until the service accepts connections."""
        self.messages = []
        for line in self.process.stderr:
            self.messages.append(line)
            if found := re.search(r"listening on 127\.0\.0\.1:(\d+)", line):
                self.port = int(found.group(1))
                return
        raise RuntimeError(f"the service does not start: {self.messages}")

    def client(self, source="127.0.0.1"):
        """Returns a new client, which is closed with the service."""
        client = Client(self.port, source)
        self.clients.append(client)
        return client

    def kill(self):
        """Kills the service, but not a shell around it."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(children, encoding="ascii") as file:
            services = file.read().split()
        os.kill(int(services[0]) if services else self.process.pid, signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for client in self.clients:
            client.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()
