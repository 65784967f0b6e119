"""Tests with Python and curl that a client gets a refusal sent before its body is read: python refusals.py [TRIES]

http.client reads the response only after it has sent the whole body. curl reads while it sends, and waits for
`100 Continue` before it sends a body over a megabyte.
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

TRIES = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
URL = os.environ["PAUTA_URL"]
TOKEN, READER = os.environ["PAUTA_TOKEN"], os.environ["PAUTA_READER_TOKEN"]
HOST = urlsplit(URL).netloc
JSON, FORM = "application/json", "multipart/form-data; boundary=xx"
SMALL, LARGE, HUGE = b"x" * 2_000, b"x" * 1_500_000, b"x" * 8_000_000

# Method, path, credential, type, status.
REFUSALS = [
    ("POST", "/api/demanda", "x", JSON, 401),
    ("POST", "/api/mcp", "x", JSON, 401),
    ("POST", "/api/upload", "x", FORM, 401),
    ("POST", "/api/demanda", READER, JSON, 403),
    ("POST", "/api/nada", TOKEN, JSON, 404),
    ("DELETE", "/api/demanda", TOKEN, JSON, 405),
    ("POST", "/api/mcp", TOKEN, "text/plain", 415),
    ("POST", "/api/upload", TOKEN, JSON, 415),
]
OVER = ("POST", "/api/demanda", TOKEN, JSON, 413)


def send_request(connection, refusal, body, chunked):
    """Sends a request over the connection and asserts its status; returns the error code."""
    method, path, credential, media_type, status = refusal
    headers = {"Authorization": f"Bearer {credential}", "Content-Type": media_type}
    if chunked:
        headers["Transfer-Encoding"] = "chunked"
        body = [body[at : at + 65_536] for at in range(0, len(body), 65_536)]
    else:
        headers["Content-Length"] = str(len(body))
    connection.request(method, path, body=body, headers=headers, encode_chunked=chunked)
    response = connection.getresponse()
    text = response.read()
    assert response.status == status, (response.status, text)
    return json.loads(text)["code"]


def expect_success(connection):
    connection.request("GET", "/api/health")
    response = connection.getresponse()
    response.read()
    assert response.status == 200, response.status


def try_small_body(n):
    connection = http.client.HTTPConnection(HOST, timeout=60)
    send_request(connection, REFUSALS[n % len(REFUSALS)], SMALL, n % 2 == 0)
    socket = connection.sock
    assert socket is not None, "the connection was not kept"
    expect_success(connection)
    assert connection.sock is socket, "the connection was not kept"
    connection.close()


def try_large_body(n):
    connection = http.client.HTTPConnection(HOST, timeout=60)
    send_request(connection, REFUSALS[n % len(REFUSALS)], LARGE, n % 2 == 0)
    expect_success(connection)
    connection.close()


def try_oversized_body(n):
    connection = http.client.HTTPConnection(HOST, timeout=60)
    assert send_request(connection, OVER, LARGE, n % 2 == 0) == "PAYLOAD_TOO_LARGE"
    expect_success(connection)
    connection.close()


def make_curl_try(refusals, body, chunked, kept):
    """Runs curl once for each kind of refusal; each try is a refused request, then a valid one."""

    def run_kind(kind):
        method, path, credential, media_type, status = refusals[kind]
        count = len(range(kind, TRIES, len(refusals)))
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/body", "wb") as file:
                file.write(body)
            refused = [
                f'url = "{URL}{path}"',
                f'request = "{method}"',
                f'header = "Authorization: Bearer {credential}"',
                f'header = "Content-Type: {media_type}"',
                f'data-binary = "@{folder}/body"',
                'write-out = "%{http_code} %{num_connects} %{stderr}%{errormsg}\\n"',
                'header = "Transfer-Encoding: chunked"' if chunked else "",
                'header = "Expect:"' if body is HUGE else "",
            ]
            good = [f'url = "{URL}/api/health"', 'write-out = "%{http_code} %{num_connects}\\n"']
            # curl needs an output for each request; the test reads only the text of `write-out`.
            quiet = ["silent", f'output = "{folder}/answer"', "max-time = 60"]
            requests = ["\n".join(refused + quiet), "\n".join(good + quiet)] * count
            with open(f"{folder}/config", "w") as file:
                file.write("\nnext\n".join(requests))
            ran = subprocess.run(["curl", "-q", "-K", f"{folder}/config"], capture_output=True, text=True)
        told = ran.stdout.split()
        expected = [str(status), "0" if kept else "1", "200", "0" if kept else "1"] * count
        if kept and expected:
            expected[1] = "1"  # The first request opens the connection.
        pairs = [told[at : at + 4] for at in range(0, len(told), 4)]
        wanted = [expected[at : at + 4] for at in range(0, len(expected), 4)]
        if not kept:  # The number of connections matters only if a connection should be kept.
            pairs, wanted = ([[p[0], p[2]] for p in each if len(p) == 4] for each in (pairs, wanted))
        good = sum(pair == want for pair, want in zip(pairs, wanted))
        return count - good, f"{refusals[kind][:2]}: {ran.stderr.strip()[:300]}"

    return run_kind


def report(name, began, failed, why):
    print(f"{name}: {TRIES - failed} of {TRIES} ({(time.monotonic() - began) * 1000:.0f} ms)", flush=True)
    assert failed == 0, why[:5]


def attempt(one, n):
    try:
        return one(n)
    except (OSError, http.client.HTTPException, AssertionError) as error:
        return error


with ThreadPoolExecutor(8) as pool:
    for name, one in [
        ("the next request after a small refused body", try_small_body),
        ("the answer to a large refused body", try_large_body),
        ("413 for a body that is too long", try_oversized_body),
    ]:
        began = time.monotonic()
        errors = [e for e in pool.map(lambda n, one=one: attempt(one, n), range(TRIES)) if e is not None]
        report(f"Python, {name}", began, len(errors), [repr(e) for e in errors])
    for name, refusals, body, chunked, kept in [
        ("the next request after a small refused body", REFUSALS, SMALL, False, True),
        ("the next request after a small refused body in chunks", REFUSALS, SMALL, True, True),
        ("the answer to a large refused body", REFUSALS, LARGE, False, False),
        ("the answer to a large refused body that is sent without Expect", REFUSALS, HUGE, False, False),
        ("the answer to a large refused body in chunks", REFUSALS, HUGE, True, False),
        ("413 for a body that is too long", [OVER], HUGE, False, False),
        ("413 for a body that is too long, in chunks", [OVER], HUGE, True, False),
    ]:
        began = time.monotonic()
        found = list(pool.map(make_curl_try(refusals, body, chunked, kept), range(len(refusals))))
        report(f"curl, {name}", began, sum(f for f, _ in found), [why for f, why in found if f])
