"""Restarts two instances in turn, behind HAProxy and under load, and counts what clients lose: nothing.

    rolling_restart.py PAUTA POSTGRES_URL [--rounds N] [--drain SECONDS] [--no-retries] [--kill]

Two `pauta serve` share a PostgreSQL database; HAProxy runs deploy/haproxy.cfg with the addresses replaced. Clients keep
their connections: readers, writers over REST and MCP, uploads that last longer than the drain time, pages that listen
for changes, and videos, whose jobs ask a double of the provider. None of them repeats a request. At the end:

- no request failed: no broken connection, no 5xx, no stream that was cut;
- each acknowledged write is there, once, and no write is there that nobody sent;
- the provider was asked once for each video, whichever instance ran the job.

`--no-retries` takes the retries out of HAProxy, so that the service alone has to lose nothing. `--drain 0` and `--kill`
show that the check fails when it should.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time
import urllib.parse
import uuid

from instances import (
    Balancer, Instance, Provider, ProviderServer, balanced_environment, find_id, free_ports, picture, prepare, sign_in, wait_for,
)

EMAIL, PASSWORD = "rodizio@pauta.test", "uma senha longa para o rodizio"


class Load:
    """The clients, and what happened to their requests."""

    def __init__(self, port, token, cookie):
        self.port, self.token, self.cookie = port, token, cookie
        self.ended = threading.Event()
        self.lock = threading.Lock()
        self.requests, self.failures = collections.Counter(), []
        self.sent, self.acknowledged, self.videos, self.uploads = set(), {}, {}, {}
        self.threads = []

    def fail(self, kind, what):
        with self.lock:
            self.failures.append(f"{kind}: {what}")

    def start(self, work, *arguments):
        thread = threading.Thread(target=self.repeat, args=(work, *arguments), daemon=True)
        thread.start()
        self.threads.append(thread)

    def repeat(self, work, *arguments):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
        while not self.ended.is_set():
            try:
                work(connection, *arguments)
            except (OSError, http.client.HTTPException) as error:
                self.fail(work.__name__, repr(error))
                connection.close()
                time.sleep(0.02)
        connection.close()

    def request(self, kind, connection, method, path, body=None, headers=None, expect=(200, 201)):
        headers = {"authorization": f"Bearer {self.token}", **(headers or {})}
        if isinstance(body, (dict, list)):
            body, headers["content-type"] = json.dumps(body), "application/json"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        with self.lock:
            self.requests[kind] += 1
        if answer.status not in expect:
            self.fail(kind, f"{answer.status} {text[:200]!r}")
            return None
        return json.loads(text) if text else None

    def read(self, connection):
        for path in ("/api/me", "/api/eventos?limit=5", "/api/health"):
            self.request("read", connection, "GET", path)
        time.sleep(0.005)

    def demand(self, title):
        return {
            "title": title, "channel": "instagram", "tipo": "reels",
            "year": 2027, "month": 6, "day": 20, "hour": "12:00",
        }

    def write(self, connection):
        title = f"peça {uuid.uuid4().hex}"
        self.sent.add(title)
        made = self.request("write", connection, "POST", "/api/demanda", self.demand(title))
        if made:
            with self.lock:
                self.acknowledged[title] = find_id(made)
        time.sleep(0.01)

    def write_over_mcp(self, connection):
        title = f"peça {uuid.uuid4().hex}"
        self.sent.add(title)
        call = {"name": "create_demand", "arguments": {**self.demand(title), "idempotency_key": uuid.uuid4().hex}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers = {"accept": "application/json, text/event-stream"}
        answer = self.request("mcp", connection, "POST", "/api/mcp", message, headers)
        if answer:
            result = answer.get("result", {})
            if result.get("isError", True):
                self.fail("mcp", json.dumps(answer)[:300])
            else:
                with self.lock:
                    self.acknowledged[title] = find_id(result["structuredContent"])
        time.sleep(0.01)

    def upload(self, connection):
        """Sends a file in pieces for about four seconds, which is longer than the drain time."""
        name, boundary = uuid.uuid4().hex, uuid.uuid4().hex
        parts = [
            f'--{boundary}\r\ncontent-disposition: form-data; name="alt"\r\n\r\nfoto {name}\r\n'.encode(),
            f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{name}.png"\r\n'
            f"content-type: image/png\r\n\r\n".encode(),
            picture(400_000),
            f"\r\n--{boundary}--\r\n".encode(),
        ]
        body = b"".join(parts)

        def pieces():
            for start in range(0, len(body), 10_000):
                yield body[start : start + 10_000]
                time.sleep(0.1)

        headers = {"content-type": f"multipart/form-data; boundary={boundary}", "content-length": str(len(body))}
        made = self.request("upload", connection, "POST", "/api/upload", pieces(), headers)
        if made:
            with self.lock:
                self.uploads[name] = made

    def listen(self, connection):
        """Reads a stream to its end. A stream that is cut raises IncompleteRead."""
        connection.request("GET", "/vivo", headers={"cookie": self.cookie, "accept": "text/event-stream"})
        answer = connection.getresponse()
        if answer.status != 200:
            self.fail("stream", f"{answer.status} {answer.read()[:200]!r}")
        while answer.read(1):
            if self.ended.is_set():
                connection.close()
                return
        with self.lock:
            self.requests["stream"] += 1

    def make_video(self, connection):
        made = self.request("write", connection, "POST", "/api/demanda", self.demand(title := f"vídeo {uuid.uuid4().hex}"))
        self.sent.add(title)
        if not made:
            return
        with self.lock:
            self.acknowledged[title] = find_id(made)
        prompt = f"Curau na panela, {uuid.uuid4().hex}"
        body = {"event_id": find_id(made), "prompt": prompt, "aspect": "9:16", "duration_s": 8}
        started = self.request("video", connection, "POST", "/api/reels", body, expect=(200, 201, 202))
        if started:
            with self.lock:
                self.videos[prompt] = find_id(started)
        time.sleep(0.4)

    def finish(self):
        self.ended.set()
        for thread in self.threads:
            thread.join(timeout=90)
            assert not thread.is_alive(), "a client hangs"


def all_titles(load, connection):
    """The titles of all events, each as often as it is there."""
    titles, cursor = collections.Counter(), None
    while True:
        query = urllib.parse.urlencode({"limit": 100, **({"cursor": cursor} if cursor else {})})
        page = load.request("check", connection, "GET", f"/api/eventos?{query}")
        rows = next(value for value in page.values() if isinstance(value, list))
        titles.update(row["title"] for row in rows)
        cursor = page.get("next_cursor")
        if not cursor:
            return titles


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("database")
    parser.add_argument("--rounds", type=int, default=2, help="how often each instance is restarted")
    parser.add_argument("--drain", type=int, default=2, help="PAUTA_DRAIN_TIME")
    parser.add_argument("--no-retries", action="store_true", help="HAProxy repeats nothing")
    parser.add_argument("--kill", action="store_true", help="kill the instances instead of asking them to stop")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pauta-rolling-"))
    binary = str(pathlib.Path(options.binary).resolve())
    public, one, two, provider_port = free_ports(4)
    environment = balanced_environment(options.database, folder, public, provider_port)
    environment["PAUTA_DRAIN_TIME"] = str(options.drain)
    _, token = prepare(binary, environment, folder, EMAIL, PASSWORD, "Ana do Rodízio")

    provider = ProviderServer(provider_port)
    instances = [Instance(binary, port, environment, folder) for port in (one, two)]
    balancer = None
    try:
        for instance in instances:
            instance.start()
        balancer = Balancer(folder, public, (one, two), not options.no_retries)
        balancer.wait_until_up()
        cookie = sign_in(public, EMAIL, PASSWORD)
        load = Load(public, token, cookie)
        for work, clients in (("read", 4), ("write", 2), ("write_over_mcp", 2), ("upload", 2), ("listen", 2), ("make_video", 1)):
            for _ in range(clients):
                load.start(getattr(load, work))
        time.sleep(2)
        for round in range(options.rounds):
            for instance in instances:
                instance.stop(signal.SIGKILL if options.kill else signal.SIGTERM)
                instance.start()
                balancer.wait_until_up()
                time.sleep(1)
        load.finish()
        verify(load, public)
        if load.failures:
            raise AssertionError(f"{len(load.failures)} requests failed, first: {load.failures[:10]}")
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(load.requests.items()))
        print(f"{2 * options.rounds} restarts, 0 failed requests of: {counts}")
        print(f"{len(load.acknowledged)} writes there once; {len(load.videos)} videos asked for once")
    except BaseException:
        for instance in instances:
            lines = pathlib.Path(instance.log.name).read_text(errors="replace").splitlines()[-15:]
            print(f"-- the last lines of {instance.port}:", *lines, sep="\n", file=sys.stderr)
        raise
    finally:
        for process in [*(each.process for each in instances), balancer and balancer.process]:
            if process and process.poll() is None:
                process.terminate()
                process.wait(timeout=60)
        provider.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def verify(load, port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    titles = all_titles(load, connection)
    lost = [title for title in load.acknowledged if titles[title] == 0]
    twice = [title for title, count in titles.items() if count > 1]
    unknown = [title for title in titles if title not in load.sent]
    assert not lost, f"{len(lost)} acknowledged writes are not there: {lost[:5]}"
    assert not twice, f"{len(twice)} writes are there twice: {twice[:5]}"
    assert not unknown, f"{len(unknown)} events that nobody wrote: {unknown[:5]}"
    for media in load.uploads.values():
        found = load.request("check", connection, "GET", "/api/media?limit=100")
        assert find_id(media) in json.dumps(found), f"the upload {media} is not there"

    def ended():
        states = {prompt: load.request("check", connection, "GET", f"/api/reels/{id}") for prompt, id in load.videos.items()}
        load.states = states
        return all(state["status"] == "failed" for state in states.values())

    wait_for(ended, "all videos have ended", 120)
    for prompt, state in load.states.items():
        assert Provider.asked[prompt] == 1, f"the provider was asked {Provider.asked[prompt]} times for {state}"
        assert "OUTCOME_UNKNOWN" not in json.dumps(state), f"a job lost its outcome: {state}"


if __name__ == "__main__":
    main()
