"""Instances of `pauta serve` over one database, HAProxy in front of them, and what their clients need.

For rolling_restart.py and patroni.py, and for benches/soak.py.
"""

import collections
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
import urllib.parse
import uuid
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = b"\x89PNG\r\n\x1a\n"


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def picture(size):
    """A PNG of 16 by 16 pixels with this many bytes after its end, which differ in each file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + os.urandom(16 * 3) for _ in range(16))
    header = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    text = chunk(b"tEXt", b"c\0" + os.urandom(size).hex().encode()[:size])
    return HEAD + chunk(b"IHDR", header) + text + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Provider(http.server.BaseHTTPRequestHandler):
    """A double of `/v1/videos`. Each video fails at once, so that no result has to be copied."""

    protocol_version = "HTTP/1.1"
    asked = collections.Counter()
    lock = threading.Lock()

    def answer(self, body):
        body = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.lock:
            self.asked[request["prompt"]] += 1
        time.sleep(0.3)
        self.answer({"id": f"video_{uuid.uuid4().hex}", "status": "queued"})

    def do_GET(self):
        self.answer({"id": self.path.rsplit("/", 1)[1], "status": "failed", "error": {"code": "moderation_blocked"}})

    def log_message(self, *_):
        pass


class ProviderServer(http.server.ThreadingHTTPServer):
    def __init__(self, port):
        super().__init__(("127.0.0.1", port), Provider)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """A process that is killed breaks its connections."""


class Instance:
    def __init__(self, binary, port, environment, folder):
        self.binary, self.port, self.environment, self.folder = binary, port, environment, folder
        self.log = open(folder / f"instance-{port}.log", "ab")
        self.process = None

    def start(self):
        command = [self.binary, "serve", "--listen", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=self.log, stderr=self.log)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(timeout=60)
        if how == signal.SIGTERM and code != 0:
            raise AssertionError(f"the instance ended with {code}")


class Balancer:
    def __init__(self, folder, port, servers, retries):
        self.socket = folder / "haproxy.sock"
        text = (ROOT / "deploy/haproxy.cfg").read_text()
        text = text.replace("global\n", f"global\n    stats socket {self.socket} mode 600 level user\n")
        text = text.replace("bind 127.0.0.1:8000", f"bind 127.0.0.1:{port}")
        for shipped, used in zip((8081, 8082), servers):
            text = text.replace(f"127.0.0.1:{shipped}", f"127.0.0.1:{used}")
        if not retries:
            text = re.sub(r"retries 3\n.*retry-on conn-failure\n.*option redispatch 1\n", "retries 0\n", text)
            assert "redispatch" not in text, "the retries are still there"
        configuration = folder / "haproxy.cfg"
        configuration.write_text(text)
        program = shutil.which("haproxy") or "/usr/sbin/haproxy"
        self.process = subprocess.Popen([program, "-db", "-f", configuration], stderr=open(folder / "haproxy.log", "ab"))

    def states(self):
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(self.socket))
            control.sendall(b"show stat\n")
            text = b"".join(iter(lambda: control.recv(65536), b"")).decode()
        rows = [line.split(",") for line in text.splitlines() if line.startswith("instances,")]
        return {row[1]: row[17] for row in rows if row[1] not in ("BACKEND", "FRONTEND")}

    def wait_until_up(self):
        wait_for(lambda: set(self.states().values()) == {"UP"}, "both instances are up")


def wait_for(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except OSError:
            pass
        if time.monotonic() > deadline:
            raise AssertionError(f"it took more than {seconds} s until {what}")
        time.sleep(0.05)


def balanced_environment(database, folder, public, provider_port):
    """The settings of instances behind a balancer on the port `public`, with a double of the provider of videos."""
    return {
        "PATH": os.environ["PATH"],
        "PAUTA_DATABASE_URL": database,
        "PAUTA_SECRET": "a secret that only this run knows, long enough",
        "PAUTA_STORAGE": str(folder / "media"),
        "PAUTA_PUBLIC_URL": f"http://127.0.0.1:{public}",
        "PAUTA_TRUSTED_PROXIES": "127.0.0.1",
        "PAUTA_VIDEO_PROVIDER": "openai_videos",
        "PAUTA_OPENAI_VIDEOS_BASE_URL": f"http://127.0.0.1:{provider_port}",
        "PAUTA_OPENAI_VIDEOS_API_KEY": "sk-instances",
        "RUST_LOG": "warn,tools::video=off,gateway::jobs=off,pauta::cli=info",
    }


def prepare(binary, environment, folder, email, password, name):
    """Migrates the database and makes an admin. Returns the function that runs a command, and the admin's token."""

    def command(*arguments, **more):
        return subprocess.run(
            [binary, *arguments], env=environment, cwd=folder, check=True, text=True, capture_output=True, **more
        ).stdout

    (folder / "media").mkdir()
    command("migrate")
    command("admin", "create", "--name", name, "--email", email, "--password-stdin", input=password)
    return command, create_token(command, email)


def create_token(command, email):
    return re.search(r"svc_live_\S+", command("token", "create", "--email", email)).group()


def sign_in(port, email, password):
    """Signs in as a browser does; returns the cookie."""
    form = urllib.parse.urlencode({"email": email, "password": password})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://127.0.0.1:{port}"}
    connection.request("POST", "/entrar", form, headers)
    answer = connection.getresponse()
    cookie = answer.getheader("set-cookie")
    assert answer.status == 303 and cookie, f"the sign-in answered {answer.status}"
    connection.close()
    return cookie.split(";")[0]


def find_id(answer):
    """The first id of an answer."""
    if "id" in answer:
        return answer["id"]
    for value in answer.values():
        if isinstance(value, dict) and (found := find_id(value)):
            return found
    raise AssertionError(f"no id in {answer}")
