"""Receives the messages of a webhook of a demo, and verifies them with the official libraries of Standard Webhooks from
PyPI and npm, also after rotations of the secret.

    webhook_client.py PAUTA
"""

import http.server
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from standardwebhooks import Webhook, WebhookVerificationError

OTHER_LIBRARY = pathlib.Path(__file__).with_name("verify_webhook.mjs")
NAMES = ("webhook-id", "webhook-timestamp", "webhook-signature")


class Receiver(http.server.BaseHTTPRequestHandler):
    received = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.received.put(({name: self.headers[name] for name in NAMES}, body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def verified_in_python(secret, headers, body):
    try:
        return Webhook(secret).verify(body, headers) == json.loads(body)
    except WebhookVerificationError:
        return False


def verified_in_node(secret, headers, body):
    question = json.dumps({"secret": secret, "headers": headers, "body": body})
    answer = subprocess.run(["node", OTHER_LIBRARY], input=question, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(answer.stdout)


def is_verified(secret, headers, body):
    answers = [verify(secret, headers, body) for verify in (verified_in_python, verified_in_node)]
    assert answers[0] == answers[1], "the libraries disagree"
    return answers[0]


def main():
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{receiver.server_port}"
    with tempfile.TemporaryDirectory() as folder:
        ready = pathlib.Path(folder, "ready.json")
        server = subprocess.Popen(
            [pathlib.Path(sys.argv[1]).resolve(), "demo", "--listen", "127.0.0.1:0", "--ready-file", ready,
             "--webhook-origins", origin],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
        )
        try:
            deadline = time.monotonic() + 60
            while not ready.exists():
                assert server.poll() is None and time.monotonic() < deadline, "the demo was not ready in time"
                time.sleep(0.1)
            check(json.loads(ready.read_text()), origin)
        finally:
            server.terminate()
            assert server.wait(10) == 0, "the demo did not exit with 0"


def check(access, origin):
    def call(path, fields):
        headers = {"authorization": f"Bearer {access['session']}", "content-type": "application/json"}
        request = urllib.request.Request(access["url"] + path, json.dumps(fields).encode(), headers)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{path}: {refused.status} {refused.read().decode()}") from refused

    kinds = ["piece_created", "piece_updated"]
    created = call("/api/webhooks", {"url": f"{origin}/pauta", "tipos": kinds, "descricao": "Painel: bolo, café 🍞"})
    path, secrets = f"/api/webhooks/{created['webhook']['id']}", [created["segredo"]]
    for rotations in range(3):
        call(f"{path}/teste", {})
        headers, body = Receiver.received.get(timeout=60)
        assert json.loads(body)["type"] == "test", body
        for secret in secrets:
            assert is_verified(secret, headers, body), f"not verified after {rotations} rotations"
        assert len(headers["webhook-signature"].split(" ")) == len(secrets)
        assert not is_verified("whsec_" + "A" * 43 + "=", headers, body), "any secret verifies"
        assert not is_verified(secrets[-1], headers, body + " "), "another body is verified"
        late = {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 600)}
        assert not is_verified(secrets[-1], late, body), "another time is verified"
        secrets.append(call(f"{path}/segredo", {})["segredo"])
    piece = call("/api/demanda", {"title": "Bolo de fubá, com café", "assignee_id": me(access)})["event"]
    headers, body = Receiver.received.get(timeout=90)
    assert is_verified(secrets[-1], headers, body)
    told = json.loads(body)
    assert (told["type"], told["data"]["resource"]["id"]) == ("piece_created", piece["id"]), body
    print("webhooks: tests and a change verified by two libraries, with up to four secrets: ok")


def me(access):
    request = urllib.request.Request(access["url"] + "/api/me", headers={"authorization": f"Bearer {access['session']}"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["member"]["id"]


if __name__ == "__main__":
    main()
