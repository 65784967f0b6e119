// Runs the service with an OpenID Connect issuer (npm `oauth2-mock-server`): its tokens are valid over REST and MCP, a
// browser signs in at its page, a rotated key is found, and a token for another audience or person is refused.
//
//     node hosted_issuer.mjs path/to/pauta
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

// `.ci/install` installs the npm packages in this folder.
const require = createRequire(new URL("../../.tools/node/", import.meta.url));
const { OAuth2Server } = await import(pathToFileURL(require.resolve("oauth2-mock-server")).href);
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");

const AUDIENCE = "pauta";
const CLIENT_ID = "pauta-web";
const EMAIL = "ana@redacao.test";
const binary = path.resolve(process.argv[2]);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pauta-issuer-"));
const issuer = new OAuth2Server();
let service;
let port;

/** Finds a free port. The public URL must be known before the start, because the issuer redirects to it. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

/** A token that the issuer signs, with these claims added or replaced. */
function issueToken(claims = {}) {
  return issuer.issuer.buildToken({
    scopesOrTransform: (_, payload) =>
      Object.assign(payload, { aud: AUDIENCE, sub: "ana", email: EMAIL, email_verified: true, ...claims }),
  });
}

/** The environment of `pauta` with the issuer's settings. */
function settings() {
  const { PATH } = process.env;
  return {
    PATH, PAUTA_IDENTITY_ISSUER: issuer.issuer.url, PAUTA_IDENTITY_AUDIENCE: AUDIENCE,
    PAUTA_IDENTITY_CLIENT_ID: CLIENT_ID, PAUTA_LISTEN: `127.0.0.1:${port}`,
    PAUTA_LOG_FORMAT: "json",
  };
}

/** Runs a command without blocking, because the issuer runs in this process; returns its output. */
async function runPauta(...args) {
  const { stdout } = await promisify(execFile)(binary, args, { cwd: folder, env: settings() });
  return stdout;
}

/** Starts the service; returns its URL. */
async function serve() {
  service = spawn(binary, ["serve"], { cwd: folder, env: settings(), stdio: ["ignore", "ignore", "pipe"] });
  const lines = createInterface({ input: service.stderr });
  const seen = [];
  for await (const line of lines) {
    seen.push(line);
    const { message, address } = JSON.parse(line);
    if (message !== "no ar") continue;
    service.stderr.resume();
    return `http://${address}`;
  }
  throw new Error(`the service ended: ${seen.join("\n")}`);
}

/** Signs in like a browser: from the console's sign-in page to the issuer and back, without input at the issuer. */
async function signIn(url) {
  const visit = async (at, cookie = "") => {
    const answer = await fetch(at, { headers: { cookie }, redirect: "manual" });
    const cookies = answer.headers.getSetCookie().map((set) => set.split(";")[0]);
    return { status: answer.status, to: answer.headers.get("location"), cookies, text: await answer.text() };
  };
  const page = await visit(`${url}/entrar?volta=/api/health`);
  const link = /href="([^"]*\/entrar\/provedor[^"]*)"/.exec(page.text)?.[1];
  assert.ok(link, page.text);
  const left = await visit(new URL(link.replaceAll("&#x2f;", "/").replaceAll("&amp;", "&"), url));
  assert.equal(left.status, 303, left.text);
  const asked = new URL(left.to).searchParams;
  assert.deepEqual([asked.get("client_id"), asked.get("code_challenge_method")], [CLIENT_ID, "S256"]);
  const recognised = await visit(left.to);
  const returned = await visit(recognised.to, left.cookies.join("; "));
  assert.equal(returned.status, 303, returned.text);
  assert.equal(new URL(returned.to, url).pathname, "/api/health");
  assert.equal((await visit(`${url}/entrar`, returned.cookies.join("; "))).status, 303, "the session is not accepted");
}

async function main() {
  port = await freePort();
  await issuer.issuer.keys.generate("RS256");
  await issuer.start(0, "127.0.0.1");
  const made = await runPauta("admin", "create", "--name", "Ana", "--email", EMAIL);
  assert.match(made, /provedor de identidade/);
  const told = await runPauta("doctor");
  assert.match(told, /ok {5}provedor de identidade: chaves/);

  const url = await serve();
  const me = async (bearer) => {
    const answer = await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${bearer}` } });
    return { status: answer.status, body: await answer.json() };
  };
  const refused = async (what, bearer, status, code) => {
    const { status: found, body } = await me(bearer);
    assert.deepEqual([found, body.code], [status, code], what);
  };
  await refused("an e-mail that is not verified", await issueToken({ email_verified: false }), 403, "NOT_A_MEMBER");
  const session = await issueToken();
  const { status, body } = await me(session);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.member.email, EMAIL);
  await refused("another audience", await issueToken({ aud: "outra" }), 401, "UNAUTHENTICATED");
  await refused("no audience", await issueToken({ aud: undefined }), 401, "UNAUTHENTICATED");
  await refused("another issuer", await issueToken({ iss: "https://outro.test" }), 401, "UNAUTHENTICATED");
  await refused("another person", await issueToken({ sub: "ze" }), 403, "NOT_A_MEMBER");
  const past = Math.floor(Date.now() / 1000) - 3600;
  await refused("an old one", await issueToken({ iat: past - 60, nbf: past - 60, exp: past }), 401, "TOKEN_EXPIRED");
  console.log("REST: a session is accepted, and invalid tokens are refused");

  const client = new Client({ name: "pauta-hosted-issuer", version: "1.0.0" });
  const headers = { Authorization: `Bearer ${session}` };
  await client.connect(new StreamableHTTPClientTransport(new URL("/api/mcp", url), { requestInit: { headers } }));
  const called = await client.callTool({ name: "get_me", arguments: {} });
  assert.equal(called.structuredContent.member.email, EMAIL);
  await client.close();
  console.log("MCP: get_me in the same session");

  issuer.service.on("beforeTokenSigning", (made) => Object.assign(made.payload, { sub: "ana", email: EMAIL, email_verified: true }));
  await signIn(url);
  console.log("browser: signed in at the issuer's page");

  // Rotates the key: adds an ES256 key and signs a token with it.
  const es = await issuer.issuer.keys.generate("ES256");
  const rotated = await issuer.issuer.buildToken({
    kid: es.kid,
    scopesOrTransform: (_, payload) => Object.assign(payload, { aud: AUDIENCE, sub: "ana" }),
  });
  // The service waits at least ten seconds between two fetches of the keys.
  const deadline = Date.now() + 60_000;
  while ((await me(rotated)).status !== 200) {
    assert.ok(Date.now() < deadline, "the rotated key was not found");
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  assert.equal((await me(session)).status, 200);
  console.log("a rotated key is found");

  const off = await fetch(`${url}/auth/v1/token?grant_type=password`, { method: "POST" });
  assert.equal(off.status, 404);
  assert.ok((await off.json()).details.next.includes(issuer.issuer.url));

  // While the issuer is unavailable, the service uses the cached keys.
  await issuer.stop();
  assert.equal((await me(session)).status, 200);
  service.kill("SIGTERM");
  const [code] = await once(service, "exit");
  assert.equal(code, 0, "the service did not exit with 0");
  console.log("hosted issuer: ok");
}

try {
  await main();
} finally {
  service?.kill("SIGKILL");
  if (issuer.listening) await issuer.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}
