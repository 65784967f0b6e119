// Drives a running Pauta with the official TypeScript MCP client (npm `@modelcontextprotocol/client`), once with each
// protocol version.
//
//     PAUTA_TOKEN=… PAUTA_READER_TOKEN=… [PAUTA_SESSION=…] node typescript_client.mjs [URL]
//
// URL (or PAUTA_URL) is the service's base address. The client library itself negotiates the version, sends the headers
// and validates every structured result against the tool's output schema. The same steps are in python_client.py.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";

// `.ci/install` installs the npm packages in this folder.
const require = createRequire(new URL("../../.tools/node/", import.meta.url));
const { Client, ProtocolError, SdkHttpError, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { AjvJsonSchemaValidator } = require("@modelcontextprotocol/client/validators/ajv");
const NAME = `typescript client ${require("./package.json").dependencies["@modelcontextprotocol/client"]}`;

const { PAUTA_URL, PAUTA_TOKEN, PAUTA_READER_TOKEN, PAUTA_SESSION } = process.env;
const endpoint = new URL("/api/mcp", process.argv[2] ?? PAUTA_URL);
const ERAS = { "2025-11-25": "legacy", "2026-07-28": "auto" }; // protocol version: the client's negotiation mode
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
const INVALID_PARAMS = -32602;
const fresh = { cacheMode: "refresh" };

/** Runs `steps` with a client of this protocol version and with this token. */
async function withClient(era, token, steps) {
  const client = new Client(
    { name: "pauta-typescript-client", version: "1.0.0" },
    { versionNegotiation: { mode: ERAS[era] } },
  );
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit: { headers } }));
  try {
    assert.equal(client.getNegotiatedProtocolVersion(), era, "the client negotiated another version");
    return await steps(client);
  } finally {
    await client.close();
  }
}

const invoke = (client, name, args = {}) =>
  client.callTool({ name, arguments: args }).catch((error) => {
    error.message = `${name}: ${error.message}`;
    throw error;
  });

const textOf = (result) => result.content.map((part) => part.text ?? "").join("");

/** Calls a tool, asserts that it succeeds, and returns the structured result. */
async function call(client, name, args) {
  const result = await invoke(client, name, args);
  assert.ok(!result.isError, `${name} failed: ${textOf(result)}`);
  assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent, `${name}: the text is not a copy`);
  return result.structuredContent;
}

/** Calls a tool, asserts the tool error `code`, and returns its message. */
async function expectRefusal(client, name, code, args) {
  const result = await invoke(client, name, args);
  assert.ok(result.isError, `${name} was accepted, expected ${code}`);
  assert.ok(textOf(result).startsWith(`${code}: `), `${name} answered "${textOf(result)}", expected ${code}`);
  assert.equal(result.structuredContent, undefined, `${name}: an error with structured content`);
  return textOf(result);
}

/** Calls a tool, asserts the protocol error for an unknown tool, and returns its message. */
async function expectUnknownTool(client, name) {
  const error = await invoke(client, name).then(
    () => assert.fail(`${name} can be called`),
    (error) => error,
  );
  assert.ok(error instanceof ProtocolError, `${name}: ${error}`);
  assert.equal(error.code, INVALID_PARAMS, `${name}: another error code`);
  return error.message.replaceAll(name, "…");
}

function checkTool(tool) {
  assert.ok(tool.title && tool.description, `${tool.name}: no title or no description`);
  assert.equal(tool.inputSchema.type, "object", `${tool.name}: the input is not an object`);
  assert.ok(!JSON.stringify(tool.inputSchema).includes('"$ref"'), `${tool.name}: $ref in the input schema`);
  assert.ok(tool.outputSchema, `${tool.name}: no output schema`);
  const validator = new AjvJsonSchemaValidator(); // the library's default on Node; throws on a schema it cannot compile
  validator.getValidator(tool.inputSchema);
  validator.getValidator(tool.outputSchema);
  const missing = HINTS.filter((hint) => typeof tool.annotations?.[hint] !== "boolean");
  assert.deepEqual(missing, [], `${tool.name}: hints not stated`);
}

async function checkTools(client) {
  const { tools } = await client.listTools(undefined, fresh);
  const names = tools.map((tool) => tool.name);
  assert.equal(new Set(names).size, names.length, "two tools have the same name");
  const again = (await client.listTools(undefined, fresh)).tools.map((tool) => tool.name);
  assert.deepEqual(again, names, "the order of the tools changed between two calls");
  tools.forEach(checkTool);
  return tools;
}

/** Calls each read tool without required arguments; the client validates the results by their output schemas. */
async function callReadTools(client, tools) {
  const reads = tools.filter((tool) => tool.annotations.readOnlyHint && !tool.inputSchema.required?.length);
  for (const { name } of reads) {
    const result = await invoke(client, name);
    if (result.isError) assert.match(textOf(result), /^[A-Z_]+: /, `${name}: no "CODE: message"`);
  }
  return reads.length;
}

/** Listens to the progress of a call; asserts that each step is further than the one before it. */
async function checkProgress(client) {
  const steps = [];
  const cards = ["Um", "Dois", "Três"].map((text) => ({ text }));
  const asked = { name: "generate_carousel", arguments: { cards } };
  const result = await client.callTool(asked, { onprogress: (step) => steps.push(step) });
  assert.ok(!result.isError, `generate_carousel failed: ${textOf(result)}`);
  assert.equal(result.structuredContent.cards.length, cards.length, "generate_carousel: cards");
  assert.ok(steps.length > 0, "no step of the carousel was heard");
  steps.forEach(({ progress, total, message }, place) => {
    assert.ok(total === cards.length + 1 && progress <= total && message, `step ${JSON.stringify(steps[place])}`);
    assert.ok(place === 0 || progress > steps[place - 1].progress, `steps ${JSON.stringify(steps)}`);
  });
}

async function findPending(client, eventId) {
  for (let page = { next_cursor: undefined }; page.next_cursor !== null; ) {
    const cursor = page.next_cursor && { cursor: page.next_cursor };
    page = await call(client, "list_pending_approvals", { limit: 20, ...cursor });
    if (page.pendentes.some((event) => event.id === eventId)) return;
  }
  assert.fail("the submitted event is not among the pending approvals");
}

async function approveAnEvent(client) {
  const title = `Pauta ${randomUUID().slice(0, 8)}`;
  const caption = "Legenda de teste: ação, pão e café.";
  const year = new Date().getFullYear() + 1;
  const demand = { title, channel: "instagram", day: 15, month: 6, year, hour: "09:30", description: "Briefing" };
  const idempotency_key = `client:${randomUUID()}`;

  const created = await call(client, "create_demand", { ...demand, idempotency_key });
  const { event_id } = created;
  assert.ok(created.ok && created.event.id === event_id, "create_demand: not the event it names");
  assert.equal(Date.parse(created.due_at), Date.UTC(year, 5, 15, 12, 30), "09:30 in Brasilia became another time");
  const again = await call(client, "create_demand", { ...demand, idempotency_key });
  assert.equal(again.event_id, event_id, "the same idempotency key made a second event");
  const other = { ...demand, title: `${title} (outra)`, idempotency_key };
  await expectRefusal(client, "create_demand", "IDEMPOTENCY_KEY_REUSED", other);

  const { evento } = await call(client, "get_event", { eventId: event_id });
  assert.deepEqual([evento.title, evento.status], [title, "a fazer"], "get_event: title or status");
  const expected_revision = evento.api_revision;

  const draft = await call(client, "save_draft", { event_id, expected_revision, caption });
  assert.ok(draft.ok && draft.api_revision > expected_revision, "save_draft did not raise the revision");
  assert.equal(draft.status, "em progresso", "save_draft: status");
  await expectRefusal(client, "save_draft", "STALE_REVISION", { event_id, expected_revision, caption: "Tarde" });

  const sent = await call(client, "submit_for_approval", { event_id, expected_revision: draft.api_revision });
  assert.equal(sent.status, "em aprovação", "submit_for_approval: status");
  assert.equal(sent.due_at, sent.proposto, "submit_for_approval: proposto is not due_at");
  await findPending(client, event_id);
  const decided = await call(client, "decide_approval", { event_id, action: "aprovar" });
  assert.ok(decided.ok && decided.status === "aprovado", `decide_approval: status ${decided.status}`);

  const final = await call(client, "get_event", { eventId: event_id });
  assert.equal(final.evento.status, "aprovado", "get_event: status");
  assert.equal(final.evento.description, caption, "get_event: the saved caption is lost");
  assert.ok(final.historico.length >= 3, "get_event: the history lacks steps");
}

/** Asserts that every published skill is a resource and a prompt, each with its whole text. */
async function checkSkills(client) {
  const { skills } = await call(client, "list_skills");
  assert.ok(skills.length >= 2, `only ${skills.length} skills are published`);
  const resources = (await client.listResources(undefined, fresh)).resources.map((resource) => resource.uri);
  const prompts = (await client.listPrompts(undefined, fresh)).prompts.map((prompt) => prompt.name);
  const { resourceTemplates } = await client.listResourceTemplates(undefined, fresh);
  assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), ["skill://{name}/SKILL.md"], "there must be one resource template");
  for (const { name, content } of skills) {
    const uri = `skill://${name}/SKILL.md`;
    assert.ok(resources.includes(uri) && prompts.includes(name), `${name} is no resource or no prompt`);
    const { contents } = await client.readResource({ uri });
    assert.deepEqual([contents.length, contents[0].mimeType], [1, "text/markdown"], uri);
    assert.ok(contents[0].text.startsWith(`---\nname: "${name}"\n`) && contents[0].text.endsWith(`\n---\n\n${content}`), uri);
    const { messages } = await client.getPrompt({ name, arguments: { pedido: "Comece." } });
    assert.deepEqual(messages.map((message) => message.content.text), [content, "Comece."], `the prompt ${name}`);
  }
  await assert.rejects(client.readResource({ uri: "skill://no-such-skill" }), ProtocolError);
  await assert.rejects(client.getPrompt({ name: "no-such-skill" }), ProtocolError);
  return skills.length;
}

const checkReaderTools = (era, names) =>
  withClient(era, PAUTA_READER_TOKEN, async (reader) => {
    const seen = (await checkTools(reader)).map((tool) => tool.name);
    const strict = seen.length < names.size && seen.every((name) => names.has(name));
    assert.ok(strict, "the reader must see fewer tools");
    assert.ok(!seen.includes("create_demand"), "the reader sees create_demand");
    const [withheld, unknown] = [await expectUnknownTool(reader, "create_demand"), await expectUnknownTool(reader, "no_such_tool")];
    assert.equal(withheld, unknown, "a withheld tool must get the same response as an unknown one");
    return seen.length;
  });

const checkWrongToken = (era) =>
  withClient(era, `svc_live_${"x".repeat(16)}.${"y".repeat(43)}`, () => {}).then(
    () => assert.fail("a wrong token was accepted"),
    (error) => {
      assert.ok(error instanceof SdkHttpError, `a wrong token: ${error}`);
      assert.equal(error.status, 401, "a wrong token: status");
    },
  );

async function run(era) {
  const [tools, reads, skills] = await withClient(era, PAUTA_TOKEN, async (client) => {
    const tools = await checkTools(client);
    const me = await call(client, "get_me");
    assert.ok(me.auth.kind === "personal_token" && me.caps.length, "get_me: not a personal token with capabilities");
    const reads = await callReadTools(client, tools);
    await approveAnEvent(client);
    await checkProgress(client);
    const skills = await checkSkills(client);
    const text = await expectRefusal(client, "create_demand", "INVALID_INPUT", { title: "Pauta", no_such_argument: 1 });
    assert.match(text, /no_such_argument/, "the unknown argument is not named");
    await expectUnknownTool(client, "no_such_tool");
    return [tools, reads, skills];
  });
  if (PAUTA_SESSION) {
    const me = await withClient(era, PAUTA_SESSION, (client) => call(client, "get_me"));
    assert.equal(me.auth.kind, "session", "get_me: not a session");
  }
  const fewer = await checkReaderTools(era, new Set(tools.map((tool) => tool.name)));
  await checkWrongToken(era);
  const counts = `${tools.length} tools (${fewer} for a reader), ${reads} read, ${skills} skills`;
  console.log(`${NAME}, ${era}: ${counts}, an event approved: ok`);
}

for (const era of Object.keys(ERAS)) {
  const late = new Promise((_, reject) => setTimeout(reject, 120_000, new Error("not done after 120 s")).unref());
  try {
    await Promise.race([run(era), late]);
  } catch (error) {
    console.error(`${NAME}, ${era}: FAILED: ${error.name}: ${error.message}`);
    process.exitCode = 1;
  }
}
process.exit();
