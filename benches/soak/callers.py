"""The callers of the soak: each repeats a mix of calls, and records the acknowledged ones.

A write has an idempotency key. If its answer is unclear, the caller repeats the write with the same key until the answer
is clear, as the contract requires. So the database must contain each acknowledged write once, and no other writes.
"""

import array
import collections
import http.client
import json
import random
import re
import threading
import time
import urllib.parse
import uuid

from instances import find_id, picture

CALLERS = 32
EVENTS_IN_BATCH = 10
FILE = 20_000
TIMELINE_TOKEN = "segredo-do-site-da-soak"
# The maximum time in seconds for which a caller repeats a write.
PATIENCE = 120
UNCLEAR = {"OUTCOME_UNKNOWN", "IDEMPOTENCY_IN_PROGRESS"}
# The number of calls of each kind, of 1,000 calls.
MIX = {
    "rest_read": 320, "search_common": 20, "rest_write": 150, "mcp_list": 40, "mcp_read": 150, "mcp_write": 80, "console_page": 130,
    "console_form": 20, "ingest": 60, "video": 10, "upload": 12, "preview": 4, "stream": 3, "session": 1,
}
PAGES = ("/", "/agenda?mes={month}", "/eventos/{event}", "/busca?q={rare}", "/projetos", "/videos", "/conta")
PAGES_OF_ADMINS = ("/aprovacoes", "/equipe", "/auditoria")
READS = (
    "/api/me", "/api/eventos?limit=20", "/api/eventos/{event}", "/api/eventos/{event}", "/api/meu-dia", "/api/tarefas?limit=20",
    "/api/busca?q={rare}", "/api/espera", "/api/media?limit=20",
)
WORDS = ("canjica", "pamonha", "curau", "arraial", "fubá", "goiabada", "tapioca", "rapadura")


class Unclear(Exception):
    """A call failed because of a fault, or its outcome is unknown."""


class Failed(Exception):
    """A call got an error that no fault explains."""


class Calls:
    """The calls of all callers, and their results."""

    def __init__(self, number, faults):
        self.number, self.faults = number, faults
        self.lock, self.begun, self.stopped = threading.Lock(), time.monotonic(), threading.Event()
        self.made = 0
        self.loads = collections.defaultdict(list)
        self.latencies = collections.defaultdict(lambda: array.array("f"))
        self.during_faults, self.failures = collections.Counter(), []
        # The contents that the database must have: titles of pieces, the number of drafts, sessions of the timeline, ids of
        # files, and prompts of videos.
        self.pieces, self.drafts, self.timeline_sessions = set(), 0, set()
        self.files, self.videos, self.sessions = set(), set(), 0
        # The number of acknowledged writes of each operation, and the times at which reads of `get_me` were answered.
        self.writes, self.me_reads = collections.Counter(), array.array("d")
        # The callers that gave up a write, because its answers stayed unclear.
        self.given_up = []

    def is_over(self):
        return self.made >= self.number or self.stopped.is_set()

    def during_faults_of(self, kind):
        return sum(count for (of, _), count in self.during_faults.items() if of == kind)

    def note_load(self, load):
        """Records the load of the machine in this minute."""
        self.loads[int((time.monotonic() - self.begun) // 60)].append(load)

    def record(self, kind, began, ended, is_quiet):
        with self.lock:
            self.made += 1
            if is_quiet:
                minute = int((began - self.begun) // 60)
                self.latencies[kind, minute].append((ended - began) * 1000)

    def judge(self, kind, began, what, may_be_fault):
        """Handles an unsuccessful answer: raises `Unclear` if a fault explains it, otherwise `Failed`."""
        with self.lock:
            if may_be_fault and self.faults.covers(began, time.monotonic()):
                self.during_faults[kind, what.split(":")[0]] += 1
                raise Unclear(what)
            self.failures.append(f"{time.monotonic() - self.begun:.1f} s, {kind}: {what}")
        raise Failed(what)


class Caller(threading.Thread):
    def __init__(self, number, calls, port, members):
        super().__init__(daemon=True, name=f"caller {number}")
        self.calls, self.port = calls, port
        # Each caller has the credentials of one member. Members with the role of a creator only read.
        self.member = members[number % len(members)]
        self.random = random.Random(number)
        self.connection = None
        self.mine, self.rare = collections.deque(maxlen=50), collections.deque(maxlen=50)
        self.media = collections.deque(maxlen=20)

    def run(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        kinds, weights = zip(*MIX.items())
        while not self.calls.is_over():
            kind = self.random.choices(kinds, weights)[0]
            if self.member["reads_only"] and kind not in ("rest_read", "search_common", "mcp_list", "mcp_read", "console_page", "stream"):
                continue
            try:
                getattr(self, kind)()
            except Unclear:
                time.sleep(0.2)
            except Failed:
                time.sleep(1)
            except Exception as error:
                with self.calls.lock:
                    self.calls.failures.append(f"{kind}: an answer that the caller does not understand: {error!r}")
        self.connection.close()

    # Functions that send one call.

    def send(self, kind, method, path, body=None, headers=None, credential=True):
        """Sends a request and returns the answer and its body. Passes an unsuccessful answer to `judge`."""
        headers = dict(headers or {})
        if credential:
            headers.setdefault("authorization", f"Bearer {self.member['token']}")
        if isinstance(body, (dict, list)):
            body, headers["content-type"] = json.dumps(body), "application/json"
        began = time.monotonic()
        try:
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            self.calls.record(kind, began, time.monotonic(), False)
            self.calls.judge(kind, began, f"no answer: {method} {path} {error!r}", True)
        ended = time.monotonic()
        succeeded = answer.status < 400
        self.calls.record(kind, began, ended, succeeded and not self.calls.faults.covers(began, ended))
        if not succeeded:
            code = error_code(text) or code_of_page(answer.status, text)
            # HAProxy answers 502 if the instance closed the connection without an answer.
            of_fault = answer.status == 503 or code in UNCLEAR or (answer.status == 502 and code is None)
            self.calls.judge(kind, began, f"{answer.status} {code or 'HAProxy'}: {method} {path} {text[:200]!r}", of_fault)
        return answer, text

    def rest(self, kind, method, path, body=None, headers=None, credential=True):
        answer, text = self.send(kind, method, path, body, headers, credential)
        return json.loads(text) if text else None

    def mcp(self, kind, method, parameters):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        began = time.monotonic()
        answer = self.rest(kind, "POST", "/api/mcp", message, {"accept": "application/json, text/event-stream"})
        result = answer.get("result")
        if result is None or result.get("isError"):
            code = find_code(answer)
            self.calls.judge(kind, began, f"MCP {code}: {json.dumps(answer)[:300]}", code == "UNAVAILABLE" or code in UNCLEAR)
        return result

    def until_clear(self, write):
        """Repeats a write with an idempotency key until its outcome is known."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return write()
            except Unclear:
                if time.monotonic() > deadline:
                    with self.calls.lock:
                        self.calls.given_up.append(threading.current_thread().name)
                    raise
                time.sleep(0.2)

    def acknowledge(self, operation):
        self.calls.writes[operation] += 1

    # The kinds of calls in `MIX`.

    def rest_read(self):
        path = self.random.choice(READS)
        event = self.random.choice(self.mine)[0] if self.mine else None
        if "{event}" in path and not event:
            path = READS[0]
        self.rest("rest_read", "GET", path.format(event=event, rare=self.rare_word()))
        if path == READS[0]:
            with self.calls.lock:
                self.calls.me_reads.append(time.monotonic())

    def rare_word(self):
        """Returns a word that only one piece contains, or that no piece contains."""
        return self.random.choice(self.rare) if self.rare else "canjicada"

    def search_common(self):
        """Searches for a word that an eighth of the pieces contain."""
        self.rest("search_common", "GET", f"/api/busca?q={urllib.parse.quote(self.random.choice(WORDS))}")

    def demand(self):
        """Returns a demand on a random day of many years, so that no month gets too many pieces in a long run."""
        title = f"{self.random.choice(WORDS)} {uuid.uuid4().hex}"
        day = {"year": self.random.randint(2027, 2099), "month": self.random.randint(1, 12), "day": self.random.randint(1, 28)}
        return {"title": title, "channel": "instagram", "description": "Oito ideias de forno, tom leve.", **day}

    def piece_was_made(self, title, event, revision):
        with self.calls.lock:
            self.calls.pieces.add(title)
            self.acknowledge("create_demand")
        self.mine.append((event, revision))
        self.rare.append(title.split()[-1])

    def draft_was_saved(self, event, revision):
        with self.calls.lock:
            self.calls.drafts += 1
            self.acknowledge("save_draft")
        self.mine.append((event, revision))

    def draft(self, event, revision):
        return {"event_id": event, "expected_revision": revision, "caption": f"Fubá, leite e paciência: {uuid.uuid4().hex}"}

    def rest_write(self):
        headers = {"idempotency-key": uuid.uuid4().hex}
        if not self.mine or self.random.random() < 0.5:
            demand = self.demand()
            made = self.until_clear(lambda: self.rest("rest_write", "POST", "/api/demanda", demand, headers))
            self.piece_was_made(demand["title"], made["event_id"], made["event"]["api_revision"])
        else:
            draft = self.draft(*self.mine.pop())
            saved = self.until_clear(lambda: self.rest("rest_write", "POST", "/api/draft", draft, headers))
            self.draft_was_saved(draft["event_id"], find_revision(saved))

    def mcp_list(self):
        self.mcp("mcp_list", "tools/list", {})

    def mcp_read(self):
        call = {"name": "list_events", "arguments": {"limit": 10}}
        if self.mine and self.random.random() < 0.4:
            call = {"name": "get_event", "arguments": {"eventId": self.random.choice(self.mine)[0]}}
        self.mcp("mcp_read", "tools/call", call)

    def mcp_write(self):
        if not self.mine or self.random.random() < 0.5:
            name, arguments = "create_demand", self.demand()
        else:
            name, arguments = "save_draft", self.draft(*self.mine.pop())
        call = {"name": name, "arguments": {**arguments, "idempotency_key": uuid.uuid4().hex}}
        answer = self.until_clear(lambda: self.mcp("mcp_write", "tools/call", call))["structuredContent"]
        if name == "create_demand":
            self.piece_was_made(arguments["title"], answer["event_id"], answer["event"]["api_revision"])
        else:
            self.draft_was_saved(arguments["event_id"], find_revision(answer))

    def console(self, kind, method, path, body=None, headers=None):
        answer, text = self.send(kind, method, path, body, {"cookie": self.member["cookie"], **(headers or {})}, False)
        if cookie := answer.getheader("set-cookie"):
            self.member["cookie"] = cookie.split(";")[0]
        if answer.status == 303 and "/entrar" in answer.getheader("location"):
            self.calls.judge(kind, time.monotonic(), "the session has ended", False)
        return answer, text

    def console_page(self):
        path = self.random.choice(PAGES if self.member["reads_only"] else PAGES + PAGES_OF_ADMINS)
        event = self.random.choice(self.mine)[0] if self.mine else None
        if "{event}" in path and not event:
            path = PAGES[0]
        month = f"{self.random.randint(2027, 2099)}-{self.random.randint(1, 12):02}"
        self.console("console_page", "GET", path.format(event=event, month=month, rare=self.rare_word()))

    def console_form(self):
        demand = self.demand()
        form = urllib.parse.urlencode({**demand, "idempotency_key": uuid.uuid4().hex, "_volta": "/agenda"})
        headers = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://127.0.0.1:{self.port}"}
        self.until_clear(lambda: self.console("console_form", "POST", "/acao/create_demand", form, headers))
        with self.calls.lock:
            self.calls.pieces.add(demand["title"])
            self.acknowledge("create_demand")

    def ingest(self):
        session = uuid.uuid4().hex
        detail = {"pagina": "/oferta", "utm_source": "instagram", "utm_campaign": "lote-1"}
        events = [
            {"evento": "visitou_pagina", "sessao": session, "id": f"v-{n}", "lancamento": "soak", "detalhe": detail}
            for n in range(EVENTS_IN_BATCH)
        ]
        headers = {"x-jornada-token": TIMELINE_TOKEN}
        body = {"eventos": events}
        self.until_clear(lambda: self.rest("ingest", "POST", "/api/jornada/eventos", body, headers, False))
        with self.calls.lock:
            self.calls.timeline_sessions.add(session)

    def video(self):
        prompt = f"Curau na panela, {uuid.uuid4().hex}"
        body, headers = {"prompt": prompt, "aspect": "9:16", "duration_s": 8}, {"idempotency-key": uuid.uuid4().hex}
        self.until_clear(lambda: self.rest("video", "POST", "/api/reels", body, headers))
        with self.calls.lock:
            self.calls.videos.add(prompt)
            self.acknowledge("start_video_generation")

    def upload(self):
        name, boundary = uuid.uuid4().hex, uuid.uuid4().hex
        body = b"".join((
            f'--{boundary}\r\ncontent-disposition: form-data; name="alt"\r\n\r\nfoto {name}\r\n'.encode(),
            f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{name}.png"\r\n'.encode(),
            b"content-type: image/png\r\n\r\n", picture(FILE), f"\r\n--{boundary}--\r\n".encode(),
        ))
        headers = {"content-type": f"multipart/form-data; boundary={boundary}", "idempotency-key": uuid.uuid4().hex}
        made = self.until_clear(lambda: self.rest("upload", "POST", "/api/upload", body, headers))
        with self.calls.lock:
            self.calls.files.add(find_id(made))
            self.acknowledge("upload_media")
        self.media.append(made)

    def preview(self):
        """Downloads a medium through its signed link."""
        if self.media:
            link = urllib.parse.urlsplit(find_link(self.random.choice(self.media)))
            self.send("preview", "GET", f"{link.path}?{link.query}", credential=False)

    def stream(self):
        """Opens the event stream of a page and disconnects after a while, like a browser whose page is closed."""
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/vivo", headers={"cookie": self.member["cookie"], "accept": "text/event-stream"})
            answer = connection.getresponse()
            # A session has at most four streams.
            if answer.status not in (200, 429):
                self.calls.judge("stream", began, f"{answer.status}: {answer.read()[:200]!r}", answer.status in (502, 503))
            answer.read(200)
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()
            self.calls.record("stream", began, time.monotonic(), False)

    def session(self):
        """Signs in, reads, and signs out."""
        sign_in = {"email": self.member["email"], "password": self.member["password"]}
        token = self.rest("session", "POST", "/auth/v1/token?grant_type=password", sign_in, credential=False)["access_token"]
        with self.calls.lock:
            self.calls.sessions += 1
        headers = {"authorization": f"Bearer {token}"}
        self.until_clear(lambda: self.rest("session", "GET", "/api/access/me", headers=headers))
        self.rest("session", "POST", "/auth/v1/logout?scope=local", headers=headers)


def error_code(text):
    try:
        return json.loads(text).get("code")
    except (ValueError, AttributeError):
        return None


def code_of_page(status, text):
    """Returns the error code of a page, which does not contain it: for these forms, 409 means an unknown outcome."""
    return "OUTCOME_UNKNOWN" if status == 409 and b"<!DOCTYPE html>" in text[:20] else None


def find_code(value):
    """Returns the first error code in an MCP answer; the text of an error begins with its code."""
    if isinstance(value, str):
        return code[1] if (code := re.match(r"([A-Z_]{4,}): ", value)) else error_code(value)
    if isinstance(value, dict) and isinstance(value.get("code"), str):
        return value["code"]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(find_code, parts)), None)


def find_revision(answer):
    return answer["api_revision"] if "api_revision" in answer else answer["event"]["api_revision"]


def find_link(media):
    """Returns the first link to the medium in an answer."""
    if isinstance(media, str):
        return media if "/media/" in media else None
    parts = media.values() if isinstance(media, dict) else media if isinstance(media, list) else ()
    return next(filter(None, map(find_link, parts)), None)
