"""The faults of the soak, one at a time."""

import itertools
import os
import pathlib
import pwd
import signal
import socket
import struct
import subprocess
import threading
import time

from instances import wait_for

BIN = os.environ.get("PGBIN", "/usr/lib/postgresql/15/bin")
# The seconds after a fault in which a new call may still fail because of it: the balancer checks the instances twice a
# second, and the service waits between its attempts to reach the database.
GRACE = 6
CLIENTS = 16


class Server:
    """The PostgreSQL server, started by `.ci/pg-up`."""

    def __init__(self, folder, root):
        self.folder, self.root = pathlib.Path(folder), root
        self.url = subprocess.run([root / ".ci/pg-up", folder], check=True, text=True, capture_output=True).stdout.strip()

    def control(self, *arguments):
        owner = pwd.getpwuid((self.folder / "data").stat().st_uid)
        user = [] if owner.pw_uid == os.geteuid() else ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]
        command = [*user, f"{BIN}/pg_ctl", "-D", self.folder / "data", "-l", self.folder / "server.log", "-w", "-t", "60", *arguments]
        subprocess.run(command, check=True, cwd=self.folder, stdout=subprocess.DEVNULL)

    def query(self, sql):
        """Returns the rows of a query, each as a list of texts."""
        command = [f"{BIN}/psql", self.url, "-XqAt", "-F", "\t", "-c", sql]
        text = subprocess.run(command, check=True, text=True, capture_output=True).stdout
        return [line.split("\t") for line in text.splitlines()]

    def remove(self):
        subprocess.run([self.root / ".ci/pg-down", self.folder], check=False)


class Faults(threading.Thread):
    """Causes a fault every `every` seconds. `covers` says whether a fault may have affected a call."""

    def __init__(self, every, server, balancer, instances, port, token):
        super().__init__(daemon=True, name="faults")
        self.every, self.server, self.balancer, self.port, self.token = every, server, balancer, port, token
        # The second instance is never restarted, so that its memory can be compared over the whole run.
        self.restarted, self.steady = instances
        self.windows, self.made = [], []
        self.ended, self.error = threading.Event(), None

    def covers(self, began, ended):
        return any(start <= ended and (end is None or began <= end + GRACE) for start, end in self.windows)

    def run(self):
        faults = itertools.cycle((self.kill, self.end_sessions, self.hang_up, self.stop_database, self.restart, self.send_slowly))
        while not self.ended.wait(self.every):
            fault = next(faults)
            try:
                fault()
            except Exception as error:
                self.error = self.error or f"{fault.__name__}: {error!r}"
                self.ended.set()
            self.made.append(fault.__name__.replace("_", " "))

    def losses(self):
        """Returns the times at which collected reads may have been lost."""
        return [start for start, _ in self.windows]

    def finish(self):
        self.ended.set()
        self.join()
        if self.error:
            raise AssertionError(f"the fault could not be made: {self.error}")

    def open_window(self):
        self.windows.append((time.monotonic(), None))

    def close_window(self):
        self.windows[-1] = (self.windows[-1][0], time.monotonic())

    # Faults that may make calls fail.

    def kill(self):
        self.open_window()
        self.restarted.stop(signal.SIGKILL)
        time.sleep(1)
        self.restarted.start()
        self.balancer.wait_until_up()
        self.close_window()

    def end_sessions(self):
        self.open_window()
        self.server.query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'pauta'")
        self.close_window()

    def stop_database(self):
        self.open_window()
        self.server.control("-m", "fast", "stop")
        time.sleep(3)
        self.server.control("start")
        self.balancer.wait_until_up()
        self.close_window()

    # Faults that must not make other calls fail.

    def restart(self):
        self.restarted.stop(signal.SIGTERM)
        self.restarted.start()
        self.balancer.wait_until_up()

    def begin_body(self, port, promised, sent):
        client = socket.create_connection(("127.0.0.1", port), timeout=30)
        head = (
            f"POST /api/demanda HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {self.token}\r\n"
            f"content-type: application/json\r\ncontent-length: {promised}\r\n\r\n"
        )
        client.sendall(head.encode() + b'{"title":"' + b"x" * sent)
        return client

    def hang_up(self):
        """Opens clients that disconnect in the middle of a body, half of them with a reset."""
        for port in (self.port, self.steady.port):
            clients = [self.begin_body(port, 500_000, 100_000) for _ in range(CLIENTS)]
            time.sleep(0.5)
            for number, client in enumerate(clients):
                if number % 2:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.close()

    def send_slowly(self):
        """Opens clients that send one byte per second, and asserts that the service refuses them with 408."""
        clients = [self.begin_body(self.steady.port, 50_000, 10) for _ in range(CLIENTS)]
        answers = {}

        def is_over():
            for client in clients:
                if client in answers:
                    continue
                client.settimeout(0.01)
                try:
                    answers[client] = client.recv(4096)
                except TimeoutError:
                    client.sendall(b"x")
            time.sleep(1)
            return len(answers) == len(clients)

        try:
            wait_for(is_over, "slow clients are refused", 60)
        finally:
            for client in clients:
                client.close()
        for answer in answers.values():
            assert b" 408 " in answer, f"a slow client got {answer[:200]!r}"
