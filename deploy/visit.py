"""visit.py BINARY: asks a demo for every page of its console and every list of its API."""

import json
import re
import subprocess
import sys
import tempfile
import time
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

ROUNDS = 10

browser = build_opener(HTTPCookieProcessor(CookieJar()))


def get(address, token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with browser.open(Request(address, headers=headers), timeout=30) as answer:
            return answer.read()
    except HTTPError as refusal:  # a list may need a parameter
        return refusal.read()


def sign_in(url, console_url):
    """Sends the form of the demo's address, and returns the page that follows it."""
    code = re.search(r'name="c" value="([^"]+)"', get(console_url).decode())[1]
    form = Request(url + "/entrar/codigo", data=urlencode({"c": code}).encode(), headers={"Origin": url})
    with browser.open(form, timeout=30) as answer:
        return answer.read().decode()


def visit(url, console_url, token):
    home = sign_in(url, console_url)
    pages = set(re.findall(r'href="(/[^"#/][^"#]*|/)"', home))
    paths = json.loads(get(url + "/api/ai/openapi.json"))["paths"]
    lists = [path for path, verbs in paths.items() if "get" in verbs and "{" not in path]
    for _ in range(ROUNDS):
        for page in pages:
            get(url + page)
        for path in lists:
            get(url + path, token)
    print(f"{len(pages)} pages and {len(lists)} lists, {ROUNDS} times")


with tempfile.TemporaryDirectory() as folder:
    ready = Path(folder, "ready.json")
    demo = subprocess.Popen([sys.argv[1], "demo", "--listen", "127.0.0.1:0", "--ready-file", ready], stdout=subprocess.DEVNULL)
    try:
        while not ready.exists() and demo.poll() is None:
            time.sleep(0.1)
        access = json.loads(ready.read_text())
        visit(access["url"], access["console_url"], access["token"])
    finally:
        demo.terminate()
        demo.wait()
