// Signs in to a running Pauta with MCP Inspector's command line and calls it; this script plays the person's browser.
//
//     node inspector_client.mjs [URL]
//
// URL (or PAUTA_URL) is the base address of a demo. MCP Inspector fetches the metadata documents, registers itself,
// receives the code and stores the tokens.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Browser, EMAIL } from "./browser.mjs";
import { run } from "./tool.mjs";

const base = process.argv[2] ?? process.env.PAUTA_URL;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pauta-inspector-"));
const browser = new Browser(base);
// Without a terminal, the tool asks for a sign-in only if it may open a browser. Here the browser is the command
// `true`, which does nothing.
const env = { HOME: folder, MCP_AUTO_OPEN_ENABLED: "true", BROWSER: "true", MCP_INSPECTOR_SECRET_STORE: "file" };

/** Runs one method; returns the result. `signsIn` says whether the tool must ask for a sign-in. */
async function inspect(signsIn, method, ...args) {
  let visited;
  const said = (text) => {
    const found = /https?:\/\/\S+\/authorize\?\S+/.exec(text);
    if (!found || !text.slice(found.index + found[0].length) || visited) return;
    visited = browser.allows(found[0], "MCP Inspector").then((to) => browser.visit(to));
  };
  const common = ["--cli", "--server-url", `${base}/api/mcp`, "--transport", "http", "--format", "json"];
  const all = [...common, "--protocol-era", "modern", "--method", method, ...args];
  const { code, stdout, stderr } = await run("mcp-inspector", all, { env, cwd: folder, said });
  await visited;
  assert.equal(code, 0, `${method}: ${stdout}${stderr}`);
  assert.equal(visited !== undefined, signsIn, `${method}: sign-in expected: ${signsIn}: ${stderr}`);
  return JSON.parse(stdout);
}

try {
  const me = await inspect(true, "tools/call", "--tool-name", "get_me");
  assert.ok(JSON.stringify(me).includes(EMAIL), JSON.stringify(me));
  // The stored tokens are valid, so the person is not asked again.
  const listed = await inspect(false, "tools/list");
  const tools = (listed.result ?? listed).tools;
  assert.ok(tools.some(({ name }) => name === "list_events"), JSON.stringify(listed).slice(0, 500));
  const { code, stdout, stderr } = await run("mcp-inspector", [
    "--cli", "--server-url", `${base}/api/mcp`, "--transport", "http", "--protocol-era", "modern",
    "--method", "skills/list", "--verify", "--require-digests",
  ], { env, cwd: folder });
  assert.equal(code, 0, `skills/list --verify: ${stdout}${stderr}`);
  assert.ok(stdout.includes("skill://"), `no skill was verified: ${stdout}`);
  console.log(`inspector: ${tools.length} tools as ${EMAIL}, skills verified`);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
