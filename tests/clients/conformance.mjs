// Runs the MCP conformance suite against a running Pauta: the authorization scenarios, in which a simulated person
// signs in and allows the client, and the server scenarios that each revision of the protocol requires.
//
//     node conformance.mjs [URL]
//
// URL (or PAUTA_URL) is the base address of a demo, and PAUTA_TOKEN a personal token of it. Many scenarios call tools,
// prompts and resources that only the suite's own test server has. They are listed here, so that every other failure
// counts.
import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { Browser } from "./browser.mjs";
import { run } from "./tool.mjs";

const base = process.argv[2] ?? process.env.PAUTA_URL;
const CALLBACK_PORT = 8977;

/** Scenarios that need the suite's own test server, or a feature that Pauta does not offer. */
const NOT_OFFERED = new RegExp(
  "^(completion-complete|tools-call-.*|resources-read-(text|binary)|resources-templates-read" +
    "|prompts-get-.*|elicitation-sep.*|input-required-result-.*|tasks-.*|json-schema-2020-12" +
    "|http-custom-header-server-validation|logging-set-level|resources-(un)?subscribe)$",
);
/** Checks within other scenarios that need a tool of the suite's test server. */
const UNTESTABLE = new Set([
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
  "sep-2575-http-server-no-independent-requests-on-stream",
  "sep-2575-server-no-log-without-loglevel",
]);
/** The revisions, each with scenarios that must have run. */
const REVISIONS = {
  "2025-11-25": ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"],
  "2026-07-28": ["server-stateless", "tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found", "caching", "http-header-validation", "dns-rebinding-protection"],
};

async function runAuthorization() {
  const callback = `http://127.0.0.1:${CALLBACK_PORT}/callback`;
  const registered = await fetch(new URL("/register", base), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "conformance", redirect_uris: [callback] }),
  });
  assert.equal(registered.status, 201);
  const { client_id: clientId } = await registered.json();
  let visited;
  const said = (text) => {
    const found = /https?:\/\/\S+\/authorize\?\S+(?=\n)/.exec(text);
    if (!found || visited || !text.includes("Callback server started")) return;
    const browser = new Browser(base);
    visited = browser.allows(found[0], "conformance").then((to) => browser.visit(to));
  };
  const args = ["authorization", "--url", base, "--client-id", clientId, "--resource", `${base}/api/mcp`];
  const { code, stdout, stderr } = await run("conformance", [...args, "--port", String(CALLBACK_PORT)], { said });
  await visited;
  assert.equal(code, 0, stdout + stderr);
  assert.ok(visited, "the authorization page was not opened");
  const total = /Total: (\d+) passed, 0 failed/.exec(stdout);
  assert.ok(total, stdout);
  return Number(total[1]);
}

/** Starts a proxy that adds the token to every request, because the suite sends no credential. */
async function withToken() {
  const upstream = new URL(base);
  const proxy = http.createServer((request, response) => {
    const own = `127.0.0.1:${proxy.address().port}`;
    const headers = { ...request.headers, authorization: `Bearer ${process.env.PAUTA_TOKEN}` };
    for (const name of ["host", "origin"]) headers[name] &&= headers[name].replace(own, upstream.host);
    const { hostname: host, port } = upstream;
    const passed = http.request({ host, port, path: request.url, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
}

async function runServer(revision, required) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pauta-conformance-"));
  const ran = new Set();
  let passed = 0;
  const failed = [];
  try {
    const proxy = await withToken();
    const url = `http://127.0.0.1:${proxy.address().port}/api/mcp`;
    await run("conformance", ["server", "--url", url, "--requirements", revision, "-o", folder], { seconds: 240 });
    proxy.close();
    proxy.closeAllConnections();
    for (const name of fs.readdirSync(folder)) {
      const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name)?.[1];
      if (!scenario) continue;
      ran.add(scenario);
      const checks = JSON.parse(fs.readFileSync(path.join(folder, name, "checks.json"), "utf8"));
      for (const { id, status, errorMessage } of checks) {
        passed += status === "SUCCESS";
        const counts = status === "FAILURE" && !UNTESTABLE.has(id) && !NOT_OFFERED.test(scenario);
        if (counts) failed.push(`${scenario}: ${id}: ${errorMessage}`);
      }
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  assert.deepEqual(failed, [], revision);
  for (const scenario of required) assert.ok(ran.has(scenario), `${scenario} did not run: ${[...ran]}`);
  return passed;
}

console.log(`conformance: authorization, ${await runAuthorization()} checks passed`);
for (const [revision, required] of Object.entries(REVISIONS)) {
  console.log(`conformance: server ${revision}, ${await runServer(revision, required)} checks passed`);
}
