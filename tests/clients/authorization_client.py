"""Signs in to a running Pauta with the official Python MCP client (PyPI `mcp`), as a person with a browser would.

    authorization_client.py [URL]

URL (or PAUTA_URL) is the base address of a demo. The client library fetches the metadata documents, registers itself,
creates the challenge and exchanges the code. This script only submits the forms of the pages. The same steps are in
authorization_client.mjs.
"""

import asyncio
import html
import os
import re
import sys
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

BASE = (sys.argv[1] if len(sys.argv) > 1 else os.environ["PAUTA_URL"]).rstrip("/")
NAME, CALLBACK = "pauta-python-client", "http://127.0.0.1:8978/callback"
EMAIL, PASSWORD = "sofia.campos@demo.pauta.test", "goiabada-com-queijo-1987"


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Storage:
    """The storage in which the library keeps its tokens and its registration."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


class Browser:
    """Signs in at the authorization URL and allows the client; counts the authorization requests."""

    asked = 0
    returned = None

    async def allow(self, address):
        self.asked += 1
        query = parse_qs(urlsplit(address).query)
        check(query["resource"] == [f"{BASE}/api/mcp"] and query["code_challenge_method"] == ["S256"], address)
        async with httpx2.AsyncClient(headers={"Origin": BASE}, timeout=30) as http:
            entrance = await http.get(address)
            check(entrance.status_code == 200, entrance.text)
            form = {"pedido": self.signed_request(entrance), "email": EMAIL, "password": PASSWORD}
            entered = await http.post(f"{BASE}/authorize/entrar", data=form)
            check(entered.status_code == 303, entered.text)
            page = await http.get(entered.headers["location"])
            check(f"Permitir “{NAME}”" in page.text, page.text)
            form = {"pedido": self.signed_request(page), "decisao": "permitir", "dias": "7"}
            for tag in re.findall(r"<input ([^>]* checked)>", page.text):
                [name], [value] = re.findall(r'name="([^"]*)"', tag), re.findall(r'value="([^"]*)"', tag)
                form.setdefault(name, []).append(value)
            sent = await http.post(f"{BASE}/authorize", data=form)
            check(sent.status_code == 302, sent.text)
            self.returned = parse_qs(urlsplit(sent.headers["location"]).query)

    @staticmethod
    def signed_request(page):
        return html.unescape(re.search(r'name="pedido" value="([^"]*)"', page.text)[1])

    async def answer(self):
        one = {name: values[0] for name, values in self.returned.items()}
        return AuthorizationCodeResult(code=one["code"], state=one.get("state"), iss=one.get("iss"))


@asynccontextmanager
async def connected(storage, browser):
    metadata = OAuthClientMetadata(
        client_name=NAME,
        redirect_uris=[CALLBACK],
        grant_types=["authorization_code", "refresh_token"],
        token_endpoint_auth_method="none",
    )
    provider = OAuthClientProvider(f"{BASE}/api/mcp", metadata, storage, browser.allow, browser.answer)
    async with httpx2.AsyncClient(auth=provider, timeout=30) as http:
        async with Client(streamable_http_client(f"{BASE}/api/mcp", http_client=http), mode="auto") as client:
            yield client


async def read_caller(client):
    me = (await client.call_tool("get_me", {})).structured_content
    check(me["auth"]["kind"] == "connected_agent" and me["member"]["email"] == EMAIL, me)


async def main():
    storage, browser = Storage(), Browser()
    async with connected(storage, browser) as client:
        await read_caller(client)
        names = {tool.name for tool in (await client.list_tools()).tools}
        check("list_events" in names and "save_draft" not in names, names)
    check(browser.asked == 1 and storage.tokens.refresh_token, "the person must be asked exactly once")
    # The stored tokens are valid, so the person is not asked again.
    async with connected(storage, browser) as client:
        await read_caller(client)
    check(browser.asked == 1, "the person must not be asked again")
    print(f"authorization, Python: {len(names)} tools as {EMAIL}, scope {storage.tokens.scope}")


asyncio.run(main())
