"""Drives a running Pauta with the official Python MCP client (PyPI `mcp`), once with each protocol version.

    PAUTA_TOKEN=… PAUTA_READER_TOKEN=… [PAUTA_SESSION=…] python_client.py [URL]

URL (or PAUTA_URL) is the service's base address. The client library itself negotiates the version, sends the headers
and validates every structured result against the tool's output schema. The same steps are in typescript_client.mjs.
"""

import asyncio
import json
import os
import re
import sys
import uuid
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from importlib.metadata import version

import httpx2
from jsonschema.validators import validator_for
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

URL = (sys.argv[1] if len(sys.argv) > 1 else os.environ["PAUTA_URL"]).rstrip("/") + "/api/mcp"
TOKEN, READER_TOKEN = os.environ["PAUTA_TOKEN"], os.environ["PAUTA_READER_TOKEN"]
SESSION = os.environ.get("PAUTA_SESSION")
NAME = f"python mcp {version('mcp')}"
ERAS = {"2025-11-25": "legacy", "2026-07-28": "auto"}  # protocol version: the client's `mode`
INVALID_PARAMS = -32602


def check(condition, message):
    if not condition:
        raise AssertionError(message)


@asynccontextmanager
async def connect(era, token, statuses=None):
    async def note(response):
        if statuses is not None:
            statuses.append(response.status_code)

    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30, event_hooks={"response": [note]}) as http:
        async with Client(streamable_http_client(URL, http_client=http), mode=ERAS[era]) as client:
            check(client.protocol_version == era, f"negotiated {client.protocol_version} instead of {era}")
            yield client


async def list_all_tools(client):
    tools, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor, cache_mode="refresh")
        tools, cursor = tools + page.tools, page.next_cursor
        if cursor is None:
            return tools


async def call(client, name, /, **arguments):
    """Calls a tool, asserts that it succeeds, and returns the structured result."""
    result = await client.call_tool(name, arguments)
    text = "".join(part.text for part in result.content if part.type == "text")
    check(not result.is_error, f"{name} failed: {text}")
    check(json.loads(text) == result.structured_content, f"{name}: the text is not a copy of the structured content")
    return result.structured_content


async def expect_refusal(client, name, code, /, **arguments):
    """Calls a tool, asserts the tool error `code`, and returns its message."""
    result = await client.call_tool(name, arguments)
    text = "".join(part.text for part in result.content if part.type == "text")
    check(result.is_error, f"{name} was accepted, expected {code}")
    check(text.startswith(f"{code}: "), f"{name} answered {text!r}, expected {code}")
    check(result.structured_content is None, f"{name}: an error with structured content")
    return text


async def expect_unknown_tool(client, name):
    """Calls a tool, asserts the protocol error for an unknown tool, and returns its message."""
    try:
        await client.call_tool(name, {})
    except MCPError as error:
        check(error.code == INVALID_PARAMS, f"{name}: error {error.code} instead of {INVALID_PARAMS}")
        return error.message.replace(name, "…")
    raise AssertionError(f"{name} can be called")


def check_tool(tool):
    check(tool.title and tool.description, f"{tool.name}: no title or no description")
    check(tool.input_schema.get("type") == "object", f"{tool.name}: the input is not an object")
    check('"$ref"' not in json.dumps(tool.input_schema), f"{tool.name}: $ref in the input schema")
    check(tool.output_schema, f"{tool.name}: no output schema")
    for schema in (tool.input_schema, tool.output_schema):
        validator_for(schema).check_schema(schema)
    hints = ("read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint")
    missing = [hint for hint in hints if getattr(tool.annotations, hint, None) is None]
    check(not missing, f"{tool.name}: {missing} not stated")


async def check_tools(client):
    tools = await list_all_tools(client)
    names = [tool.name for tool in tools]
    check(len(set(names)) == len(names), "two tools have the same name")
    check(names == [tool.name for tool in await list_all_tools(client)], "the order of the tools changed between two calls")
    for tool in tools:
        check_tool(tool)
    return tools


async def call_read_tools(client, tools):
    """Calls each read tool without required arguments; the client validates the results by their output schemas."""
    reads = [t for t in tools if t.annotations.read_only_hint and not t.input_schema.get("required")]
    for tool in reads:
        result = await client.call_tool(tool.name, {})
        text = result.content[0].text
        check(not result.is_error or re.match("[A-Z_]+: ", text), f"{tool.name}: {text!r} is no `CODE: message`")
    return len(reads)


async def find_pending(client, event_id):
    cursor = {}
    while True:
        page = await call(client, "list_pending_approvals", limit=20, **cursor)
        if any(event["id"] == event_id for event in page["pendentes"]):
            return
        check(page["next_cursor"], "the submitted event is not among the pending approvals")
        cursor = {"cursor": page["next_cursor"]}


async def check_progress(client):
    """Listens to the progress of a call, and asserts that each step is further than the one before it."""
    steps = []

    async def note(progress, total, message):
        steps.append((progress, total, message))

    cards = [{"text": text} for text in ("Um", "Dois", "Três")]
    result = await client.call_tool("generate_carousel", {"cards": cards}, progress_callback=note)
    check(not result.is_error, f"generate_carousel failed: {result.content}")
    check(len(result.structured_content["cards"]) == len(cards), "generate_carousel: cards")
    check(steps, "no step of the carousel was heard")
    check(all(total == len(cards) + 1 and done <= total and message for done, total, message in steps), f"steps {steps}")
    check(all(before[0] < after[0] for before, after in zip(steps, steps[1:])), f"steps {steps}")


async def approve_an_event(client):
    title, caption = f"Pauta {uuid.uuid4().hex[:8]}", "Legenda de teste: ação, pão e café."
    year = datetime.now().year + 1
    demand = dict(title=title, channel="instagram", day=15, month=6, year=year, hour="09:30", description="Briefing")
    key = f"client:{uuid.uuid4()}"

    created = await call(client, "create_demand", **demand, idempotency_key=key)
    event_id = created["event_id"]
    check(created["ok"] and created["event"]["id"] == event_id, "create_demand: not the event it names")
    due = datetime.fromisoformat(created["due_at"])
    check(due == datetime(year, 6, 15, 12, 30, tzinfo=timezone.utc), f"09:30 in Brasilia became {created['due_at']}")
    again = await call(client, "create_demand", **demand, idempotency_key=key)
    check(again["event_id"] == event_id, "the same idempotency key made a second event")
    other = demand | {"title": title + " (outra)"}
    await expect_refusal(client, "create_demand", "IDEMPOTENCY_KEY_REUSED", **other, idempotency_key=key)

    event = (await call(client, "get_event", eventId=event_id))["evento"]
    check(event["title"] == title and event["status"] == "a fazer", f"get_event: {event['title']}, {event['status']}")
    revision = event["api_revision"]

    draft = await call(client, "save_draft", event_id=event_id, expected_revision=revision, caption=caption)
    check(draft["ok"] and draft["status"] == "em progresso", f"save_draft: status {draft['status']}")
    check(draft["api_revision"] > revision, "save_draft did not raise the revision")
    late = dict(event_id=event_id, expected_revision=revision, caption="Tarde")
    await expect_refusal(client, "save_draft", "STALE_REVISION", **late)

    sent = await call(client, "submit_for_approval", event_id=event_id, expected_revision=draft["api_revision"])
    check(sent["status"] == "em aprovação", f"submit_for_approval: status {sent['status']}")
    check(sent["due_at"] == sent["proposto"], "submit_for_approval: proposto is not due_at")
    await find_pending(client, event_id)
    decided = await call(client, "decide_approval", event_id=event_id, action="aprovar")
    check(decided["ok"] and decided["status"] == "aprovado", f"decide_approval: status {decided['status']}")

    final = await call(client, "get_event", eventId=event_id)
    check(final["evento"]["status"] == "aprovado", f"get_event: status {final['evento']['status']}")
    check(final["evento"]["description"] == caption, "get_event: the saved caption is lost")
    check(len(final["historico"]) >= 3, "get_event: the history lacks steps")


async def check_skills(client):
    """Asserts that every published skill is a resource and a prompt, each with its whole text."""
    skills = (await call(client, "list_skills"))["skills"]
    check(len(skills) >= 2, f"only {len(skills)} skills are published")
    resources = {resource.uri for resource in (await client.list_resources(cache_mode="refresh")).resources}
    prompts = {prompt.name for prompt in (await client.list_prompts(cache_mode="refresh")).prompts}
    templates = (await client.list_resource_templates(cache_mode="refresh")).resource_templates
    check([template.uri_template for template in templates] == ["skill://{name}/SKILL.md"], "another resource template")
    for skill in skills:
        name, uri = skill["name"], f"skill://{skill['name']}/SKILL.md"
        check(uri in resources and name in prompts, f"{name} is no resource or no prompt")
        [content] = (await client.read_resource(uri)).contents
        whole = content.text.startswith("---\n") and content.text.endswith("\n---\n\n" + skill["content"])
        check(whole and content.mime_type == "text/markdown", f"{uri}: another text")
        prompt = await client.get_prompt(name, {"pedido": "Comece."})
        texts = [message.content.text for message in prompt.messages]
        check(texts == [skill["content"], "Comece."], f"the prompt {name} says something else")
    for ask in [client.read_resource("skill://no-such-skill"), client.get_prompt("no-such-skill")]:
        try:
            await ask
        except MCPError:
            continue
        raise AssertionError("a skill that is not there was given")
    return len(skills)


async def check_reader_tools(era, names):
    async with connect(era, READER_TOKEN) as reader:
        seen = {tool.name for tool in await check_tools(reader)}
        check(seen < names, f"the reader's {len(seen)} tools are no strict subset, beyond: {sorted(seen - names)}")
        check("create_demand" not in seen, "the reader sees create_demand")
        withheld, unknown = await expect_unknown_tool(reader, "create_demand"), await expect_unknown_tool(reader, "no_such_tool")
        check(withheld == unknown, f"a withheld tool is not like an unknown one: {withheld!r}, {unknown!r}")
        return len(seen)


async def check_wrong_token(era):
    statuses = []
    try:
        async with connect(era, "svc_live_" + "x" * 16 + "." + "y" * 43, statuses):
            pass
    except Exception:
        check(set(statuses) == {401}, f"a wrong token was answered {statuses}, expected 401")
    else:
        raise AssertionError("a wrong token was accepted")


async def run(era):
    async with connect(era, TOKEN) as client:
        tools = await check_tools(client)
        me = await call(client, "get_me")
        check(me["auth"]["kind"] == "personal_token" and me["caps"], "get_me: not a personal token with capabilities")
        reads = await call_read_tools(client, tools)
        await approve_an_event(client)
        await check_progress(client)
        skills = await check_skills(client)
        text = await expect_refusal(client, "create_demand", "INVALID_INPUT", title="Pauta", no_such_argument=1)
        check("no_such_argument" in text, f"the unknown argument is not named: {text!r}")
        await expect_unknown_tool(client, "no_such_tool")
    if SESSION:
        async with connect(era, SESSION) as client:
            check((await call(client, "get_me"))["auth"]["kind"] == "session", "get_me: not a session")
    fewer = await check_reader_tools(era, {tool.name for tool in tools})
    await check_wrong_token(era)
    print(f"{NAME}, {era}: {len(tools)} tools ({fewer} for a reader), {reads} read, {skills} skills, an event approved: ok")


def first_cause(error):
    """Returns the failure inside nested exception groups, because the library runs in task groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


failed = False
for era in ERAS:
    try:
        asyncio.run(asyncio.wait_for(run(era), 120))
    except Exception as group:
        error, failed = first_cause(group), True
        print(f"{NAME}, {era}: FAILED: {type(error).__name__}: {error}", file=sys.stderr)
sys.exit(failed)
