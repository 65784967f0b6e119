"""Runs every shell block and every tool call of the published documents, unchanged.

    python documents.py PAUTA DIST

PAUTA is the binary and DIST the folder of rendered documents. The shell blocks of a document run in order against one
new demo, its tool calls against another. The fence of a block says what happens: ```sh runs, ```json with `name` and
`arguments` is called over MCP, and other ```json must be valid JSON. ```console (setup of other products) does not run.
A demo has no outside provider, so an operation that needs one may be refused as in the contract (`x-without-provider`).
"""
import base64
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile

DOCUMENTS = ["llms.txt", "llms-full.txt", "mcp-setup.md", "claude.md", "chatgpt.md", "cursor.mdc"]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@contextlib.contextmanager
def running_demo(pauta):
    with tempfile.TemporaryDirectory() as folder:
        ready = pathlib.Path(folder, "ready.json")
        server = subprocess.Popen(
            [pauta, "demo", "--listen", "127.0.0.1:0", "--ready-file", ready],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
        )
        try:
            deadline = time.monotonic() + 60
            while not ready.exists():
                assert server.poll() is None and time.monotonic() < deadline, "the demo was not ready in time"
                time.sleep(0.1)
            yield json.loads(ready.read_text())
        finally:
            server.terminate()
            assert server.wait(10) == 0, "the demo did not exit with 0"


def post(url, body, token=None):
    headers = {"Content-Type": "application/json", "MCP-Protocol-Version": "2025-11-25"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def session_ending_paths(contract):
    """The paths of the operations that end the session of their caller."""
    paths = contract["paths"].items()
    return [path for path, item in paths if any(operation.get("x-ends-session") for operation in item.values())]


def member_session(access, contract):
    """A session of the member in the sign-in example."""
    body = contract["paths"]["/auth/v1/token"]["post"]["requestBody"]["content"]["application/json"]["example"]
    return post(access["url"] + "/auth/v1/token?grant_type=password", body)["access_token"]


def refusal_without_provider(block, contract):
    """The refusal in the contract if the block calls an operation that needs an outside provider."""
    for path, item in contract["paths"].items():
        address = re.compile(r"\$PAUTA_URL" + re.sub(r"\\{\w+\\}", r"[^/?\"\\s]+", re.escape(path)) + r'(?=["?\s])')
        for verb, operation in item.items():
            verbs = re.findall(r"-X (\w+)", block) or ["GET"]
            if "x-without-provider" in operation and verb.upper() in verbs and address.search(block):
                return operation["x-without-provider"]
    return None


def run_shell(blocks, access, contract):
    ending = session_ending_paths(contract)
    assert ending, "the contract marks no operation that ends a session"
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "pao-de-queijo.png").write_bytes(PNG)
        for name in ("guia-de-legendas.md", "cardapio-de-setembro.md"):
            pathlib.Path(folder, name).write_text(f"# {name}\n\nUm documento de exemplo.\n")
        for block in blocks:
            session = access["session"]
            if any(path in block for path in ending):
                session = member_session(access, contract)
            names = {"PAUTA_URL": access["url"], "PAUTA_TOKEN": access["token"], "PAUTA_SESSION": session}
            # The links of guests that every demo has.
            guest = "svc_guest_convidada-de-exemplo-do-demo-da-Pauta-0000"
            names |= {"PAUTA_GUEST": guest + "1", "PAUTA_GUEST_WITH_CODE": guest + "2"}
            # A demo has no shared secrets with other services, so their variables get a placeholder.
            names |= dict.fromkeys(["PAUTA_JORNADA_TOKEN", "PAUTA_JORNADA_LEAD_TOKEN"], "nenhum")
            environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", **names}
            shell = ["bash", "-euo", "pipefail", "-c", block]
            done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
            refused = refusal_without_provider(block, contract)
            if done.returncode != 0 and refused and f"error: {refused['status']}" in done.stderr:
                continue
            assert done.returncode == 0, f"ended with {done.returncode}:\n{block}\n{done.stdout[-800:]}{done.stderr[-800:]}"


def run_tools(calls, access, contract):
    operations = [operation for item in contract["paths"].values() for operation in item.values()]
    refused = {o["x-mcp-tool"]: o["x-without-provider"]["code"] for o in operations if {"x-mcp-tool", "x-without-provider"} <= o.keys()}
    for number, call in enumerate(calls):
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
        answer = post(access["mcp_url"], message, access["token"])
        told = answer["result"]["content"][0].get("text", "") if "result" in answer else ""
        if call["name"] in refused and answer["result"].get("isError") and told.startswith(refused[call["name"]] + ":"):
            continue
        assert "result" in answer and not answer["result"].get("isError"), f"{call['name']}: {answer}"


def run(name, text, pauta, contract):
    text = text.replace("https://pauta.test", "")
    blocks = [(language, body) for language, body in FENCE.findall(text)]
    shell = [body for language, body in blocks if language == "sh"]
    data = [json.loads(body) for language, body in blocks if language == "json"]
    calls = [value for value in data if isinstance(value, dict) and set(value) == {"name", "arguments"}]
    if shell:
        with running_demo(pauta) as access:
            run_shell(shell, access, contract)
    if calls:
        with running_demo(pauta) as access:
            run_tools(calls, access, contract)
    print(f"{name}: {len(shell)} shell blocks, {len(calls)} tool calls, {len(data)} JSON blocks: ok")
    return len(shell), len(calls)


def main():
    pauta, dist = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    contract = json.loads((dist / "openapi.json").read_text())
    operations = [operation for item in contract["paths"].values() for operation in item.values()]
    # Hosts hide the tool of the views (tag `mcp`) from models, so the documents do not call it.
    tools = [operation for operation in operations if "x-mcp-tool" in operation and operation["tags"][0] != "mcp"]
    documents = {name: (dist / name).read_text() for name in DOCUMENTS}
    with zipfile.ZipFile(dist / "skill.zip") as package:
        documents |= {name: package.read(name).decode() for name in sorted(package.namelist())}
    counts = {name: run(name, text, pauta, contract) for name, text in documents.items()}
    assert counts["pauta/SKILL.md"][0] >= 5, "the skill shows no calls"
    shown, called = counts["llms-full.txt"]
    # authorization_client.mjs tests the operations with the tag `oauth`, so they are left out here.
    without = ("artifacts", "mcp", "oauth")
    # These operations return a file; the documents show their links instead of a call.
    files = ("getMedia", "getEventPackage", "getCalendarFeed")
    # Nor do they call the pages for people.
    is_page = lambda operation: "text/html" in operation["responses"].get("200", {}).get("content", {})
    with_example = [
        o for o in operations if o["tags"][0] not in without and o["operationId"] not in files and not is_page(o)
    ]
    assert shown >= len(with_example), f"llms-full.txt shows {shown} of {len(with_example)} operations"
    assert called == len(tools), f"llms-full.txt calls {called} of {len(tools)} tools"


main()
