// The same read and write as the server written by hand (`benches/by-hand`), with the TypeScript SDK
// of MCP and better-sqlite3. It is stateless: it creates a server for each request, as the SDK's
// documentation describes.
//
// node typescript.mjs PORT DATABASE

import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

// The packages are installed in the working directory.
const require = createRequire(pathToFileURL(path.join(process.cwd(), "package.json")));
const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StreamableHTTPServerTransport } = require("@modelcontextprotocol/sdk/server/streamableHttp.js");
const Database = require("better-sqlite3");
const { z } = require("zod");

const [port, database] = process.argv.slice(2);
const db = new Database(database);
db.pragma("journal_mode = wal");
db.pragma("synchronous = full");
db.pragma("foreign_keys = on");

const LEVELS = ["nenhum", "leitor", "criador", "lider", "admin"];
const presented = db.prepare(`
  SELECT t.id, t.secret_sha256, t.scopes, t.expires_at, t.revoked_at,
         m.id AS member_id, m.user_id, m.role, m.api_access_level, m.active
  FROM personal_tokens t JOIN members m ON m.id = t.member_id WHERE t.prefix = ?`);
const events = db.prepare(`
  SELECT e.*, c.name AS created_by_name FROM events e JOIN members c ON c.id = e.created_by
  WHERE e.status = 'em aprovação' ORDER BY e.agenda_at, e.id LIMIT ?`);
const assignees = db.prepare(`
  SELECT a.event_id, m.id, m.name FROM event_assignees a JOIN members m ON m.id = a.member_id
  WHERE a.event_id IN (SELECT value FROM json_each(?)) ORDER BY a.event_id, a.position`);
const media = db.prepare(`
  SELECT * FROM event_media WHERE event_id IN (SELECT value FROM json_each(?))
  ORDER BY event_id, slide_index`);
const before = db.prepare("SELECT * FROM events WHERE id = ?");
const update = db.prepare(`
  UPDATE events SET api_revision = api_revision + 1, status = ?, description = ?, updated_at = ?
  WHERE id = ? AND api_revision = ?`);
const searched = db.prepare("UPDATE event_texts SET searched = ? WHERE event_id = ?");
const history = db.prepare(`
  INSERT INTO event_history (id, event_id, api_revision, actor_member_id, action, changes, occurred_at)
  VALUES (?, ?, ?, ?, 'save_draft', ?, ?)`);
const audit = db.prepare(`
  INSERT INTO audit_events (id, occurred_at, request_id, actor_member_id, actor_user_id, token_id,
    auth_method, capability, action, resource_type, resource_id, outcome, status_code, metadata)
  VALUES (?, ?, ?, ?, ?, ?, 'personal_token', 'draft_save', 'save_draft', 'event', ?, 'succeeded',
    200, '{}')`);

function authorize(header, capability, least) {
  const token = header?.startsWith("Bearer ") ? header.slice(7) : "";
  const row = presented.get(token.slice(0, 25));
  const digest = createHash("sha256").update(token).digest("hex");
  const level = row && Math.min(LEVELS.indexOf(row.role), LEVELS.indexOf(row.api_access_level));
  if (!row || row.secret_sha256 !== digest || row.revoked_at || !row.active ||
      row.expires_at <= Date.now() || level < LEVELS.indexOf(least) ||
      !JSON.parse(row.scopes).includes(capability)) {
    throw new Error("refused");
  }
  return row;
}

function link(id, now) {
  const until = Math.floor(now / 3_600_000) * 3_600 + 7 * 86_400;
  const signature = createHmac("sha256", "a key of this benchmark and no other")
    .update(`${id}\n${until}`).digest("base64url");
  return `http://127.0.0.1:${port}/media/${id}?exp=${until}&sig=1.${signature}`;
}

const local = new Intl.DateTimeFormat("en-GB", {
  timeZone: "America/Sao_Paulo", year: "numeric", month: "numeric", day: "numeric",
  hour: "2-digit", minute: "2-digit", hourCycle: "h23",
});

function view(row, now) {
  const due = row.due_at === null ? null : new Date(row.due_at);
  const at = due && Object.fromEntries(local.formatToParts(due).map((p) => [p.type, p.value]));
  return {
    id: row.id, api_revision: row.api_revision, clickup_id: row.clickup_id, title: row.title,
    channel: row.channel, status: row.status, description: row.description,
    day: at && Number(at.day), month: at && Number(at.month), year: at && Number(at.year),
    hour: at && `${at.hour}:${at.minute}`, due_at: due && due.toISOString(),
    editorial_tag: row.editorial_tag, assignee_member_ids: [], assignees_names: [], media: [],
    created_by: row.created_by, created_by_name: row.created_by_name,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

function list(limit) {
  const now = Date.now();
  const rows = events.all(limit + 1);
  const more = rows.length > limit;
  rows.length = Math.min(rows.length, limit);
  const views = rows.map((row) => view(row, now));
  const byId = new Map(views.map((event) => [event.id, event]));
  const ids = JSON.stringify([...byId.keys()]);
  for (const row of assignees.all(ids)) {
    byId.get(row.event_id).assignee_member_ids.push(row.id);
    byId.get(row.event_id).assignees_names.push(row.name);
  }
  for (const row of media.all(ids)) {
    byId.get(row.event_id).media.push({
      id: row.media_id, url: link(row.media_id, now), slide_index: row.slide_index,
      kind: row.kind, alt: row.alt, media_type: row.media_type,
    });
  }
  const last = rows.at(-1);
  const cursor = more ? JSON.stringify([last.agenda_at, last.id]) : null;
  return { pendentes: views, next_cursor: cursor && Buffer.from(cursor).toString("base64url") };
}

const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

const save = db.transaction((caller, { event_id, expected_revision, caption }) => {
  const row = before.get(event_id);
  const now = Date.now();
  const status = "em progresso";
  const { changes } = update.run(status, caption, now, event_id, expected_revision);
  if (changes === 0) throw new Error("stale");
  if (row.description !== caption) {
    searched.run(fold([row.title, caption, row.editorial_tag].filter(Boolean).join("\n")), event_id);
  }
  const changed = JSON.stringify({ description: { before: row.description, after: caption } });
  const revision = expected_revision + 1;
  history.run(randomUUID(), event_id, revision, caller.member_id, changed, now);
  audit.run(randomUUID(), now, randomUUID(), caller.member_id, caller.user_id, caller.id, event_id);
  return { ok: true, status, api_revision: revision };
}).immediate;

const answer = (structuredContent) => ({
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent,
});

function server(authorization) {
  const mcp = new McpServer({ name: "peer", version: "1.0.0" });
  mcp.registerTool("list_pending_approvals",
    { description: "Pending approvals", inputSchema: { limit: z.number().int().min(1).max(200) } },
    ({ limit }) => {
      authorize(authorization, "approve", "lider");
      return answer(list(limit));
    });
  mcp.registerTool("save_draft",
    {
      description: "Saves a draft",
      inputSchema: {
        event_id: z.string().uuid(),
        expected_revision: z.number().int().min(0),
        caption: z.string().max(20_000),
      },
    },
    (input) => answer(save(authorize(authorization, "draft_save", "criador"), input)));
  return mcp;
}

createServer(async (request, response) => {
  if (request.url === "/readyz") return response.end("ok");
  const mcp = server(request.headers.authorization);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  response.on("close", () => { transport.close(); mcp.close(); });
  await mcp.connect(transport);
  await transport.handleRequest(request, response);
}).listen(Number(port), "127.0.0.1");
