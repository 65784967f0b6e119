// Signs in to a running Pauta with the official TypeScript MCP client; this script plays the person's browser.
//
//     node authorization_client.mjs [URL]
//
// URL (or PAUTA_URL) is the base address of a demo. The client library fetches the metadata documents, registers
// itself, creates the challenge and exchanges the code. This script only submits the forms of the pages.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { Browser, EMAIL } from "./browser.mjs";

// `.ci/install` installs the npm packages in this folder.
const require = createRequire(new URL("../../.tools/node/", import.meta.url));
const { Client, StreamableHTTPClientTransport, UnauthorizedError } = require("@modelcontextprotocol/client");

const base = process.argv[2] ?? process.env.PAUTA_URL;
const endpoint = new URL("/api/mcp", base);
const redirectUrl = "http://127.0.0.1:8976/callback";

/** The state of the library: client, tokens, verifier, and the URL of the authorization request. */
const held = {};
const provider = {
  redirectUrl,
  clientMetadata: {
    client_name: "pauta-typescript-client",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
  },
  state: () => "estado-1",
  clientInformation: () => held.client,
  saveClientInformation: (client) => (held.client = client),
  tokens: () => held.tokens,
  saveTokens: (tokens) => (held.tokens = tokens),
  redirectToAuthorization: (url) => (held.url = url),
  saveCodeVerifier: (verifier) => (held.verifier = verifier),
  codeVerifier: () => held.verifier,
  discoveryState: () => held.discovery,
  saveDiscoveryState: (state) => (held.discovery = state),
};

const transport = () => new StreamableHTTPClientTransport(endpoint, { authProvider: provider });
const client = () =>
  new Client({ name: "pauta-typescript-client", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });

const first = transport();
await assert.rejects(client().connect(first), UnauthorizedError);
assert.equal(held.url.searchParams.get("resource"), endpoint.href);
assert.equal(held.url.searchParams.get("code_challenge_method"), "S256");
const returned = await new Browser(base).allows(held.url, "pauta-typescript-client");
assert.equal(returned.searchParams.get("state"), "estado-1");
await first.finishAuth(returned.searchParams);
assert.ok(held.tokens.refresh_token);

const connected = client();
await connected.connect(transport());
const me = (await connected.callTool({ name: "get_me", arguments: {} })).structuredContent;
assert.equal(me.auth.kind, "connected_agent");
assert.equal(me.member.email, EMAIL);
const { tools } = await connected.listTools();
assert.ok(tools.some(({ name }) => name === "list_events") && !tools.some(({ name }) => name === "save_draft"));
await connected.close();

// An invalid access token is renewed without asking the person.
const before = held.tokens;
held.tokens = { ...before, access_token: "svc_agent_invalid" };
const again = client();
await again.connect(transport());
assert.equal((await again.callTool({ name: "get_me", arguments: {} })).structuredContent.member.email, EMAIL);
assert.notEqual(held.tokens.refresh_token, before.refresh_token);
await again.close();
console.log(`authorization: ${tools.length} tools as ${EMAIL}, scope ${held.tokens.scope}`);
