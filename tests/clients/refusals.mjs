// Tests with Node that a client gets a refusal sent before its body is read: node refusals.mjs [TRIES]
import assert from "node:assert/strict";
import http from "node:http";

const tries = Number(process.argv[2] ?? 1000);
const { PAUTA_URL: url, PAUTA_TOKEN: token, PAUTA_READER_TOKEN: reader } = process.env;
const base = new URL(url);
const JSON_TYPE = "application/json";
const FORM = "multipart/form-data; boundary=xx";

// Method, path, credential, type, status.
const refusals = [
  ["POST", "/api/demanda", "x", JSON_TYPE, 401],
  ["POST", "/api/mcp", "x", JSON_TYPE, 401],
  ["POST", "/api/upload", "x", FORM, 401],
  ["POST", "/api/demanda", reader, JSON_TYPE, 403],
  ["POST", "/api/nada", token, JSON_TYPE, 404],
  ["DELETE", "/api/demanda", token, JSON_TYPE, 405],
  ["POST", "/api/mcp", token, "text/plain", 415],
  ["POST", "/api/upload", token, JSON_TYPE, 415],
];

/** Sends a request over the agent's connection and asserts its status. A body of several pieces is sent chunked. */
function sendRequest(agent, [method, path, credential, type, status], pieces) {
  const headers = { "content-type": type };
  if (credential) headers.authorization = `Bearer ${credential}`;
  if (pieces.length === 1) headers["content-length"] = pieces[0].length;
  return new Promise((resolve, reject) => {
    const options = { agent, method, path, headers, host: base.hostname, port: base.port };
    const request = http.request(options, (response) => {
      const parts = [];
      response.on("error", reject).on("data", (part) => parts.push(part));
      response.on("end", () => {
        const text = Buffer.concat(parts).toString();
        if (response.statusCode !== status) reject(new Error(`${response.statusCode} ${text}`));
        resolve({ text, reused: request.reusedSocket });
      });
    });
    request.on("error", reject);
    for (const piece of pieces) request.write(piece);
    request.end();
  });
}

/** Runs `tries` tries of `one`, eight at a time; asserts that all succeed. */
async function runTries(name, one) {
  const began = Date.now();
  const failed = [];
  let next = 0;
  const worker = async () => {
    while (next < tries) {
      const n = next++;
      await one(n).catch((error) => failed.push(`${n}: ${error.code ?? ""} ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  console.log(`Node, ${name}: ${tries - failed.length} of ${tries} (${Date.now() - began} ms)`);
  assert.deepEqual(failed.slice(0, 5), []);
}

const health = ["GET", "/api/health", null, JSON_TYPE, 200];
const small = Buffer.alloc(2000, "x");
const large = Buffer.alloc(1_500_000, "x");
const parts = Array.from({ length: 24 }, () => large.subarray(0, 65_536));
const kindOf = (n) => refusals[n % refusals.length];
const newAgent = () => new http.Agent({ keepAlive: true, maxSockets: 1 });

await runTries("the next request after a small refused body", async (n) => {
  const agent = newAgent();
  await sendRequest(agent, kindOf(n), n % 2 ? [small] : [small, small]);
  const { reused } = await sendRequest(agent, health, []);
  agent.destroy();
  assert(reused, "the connection was not kept");
});
await runTries("the answer to a large refused body", async (n) => {
  const agent = newAgent();
  const { text } = await sendRequest(agent, kindOf(n), n % 2 ? [large] : parts);
  await sendRequest(agent, health, []);
  agent.destroy();
  assert(JSON.parse(text).code);
});
await runTries("413 for a body that is too long", async (n) => {
  const agent = newAgent();
  const over = ["POST", "/api/demanda", token, JSON_TYPE, 413];
  const { text } = await sendRequest(agent, over, n % 2 ? [large] : parts);
  await sendRequest(agent, health, []);
  agent.destroy();
  assert.equal(JSON.parse(text).code, "PAYLOAD_TOO_LARGE");
});
await runTries("fetch", async (n) => {
  const [method, path, credential, type, status] = kindOf(n);
  const headers = { authorization: `Bearer ${credential}`, "content-type": type };
  const body = n % 2 ? small : large;
  const response = await fetch(new URL(path, base), { method, headers, body });
  assert.equal(response.status, status);
  assert((await response.json()).code);
});
