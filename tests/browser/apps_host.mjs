// A host of MCP Apps for tests: the bridge of the extension's own package (`@modelcontextprotocol/ext-apps`), the
// sandbox proxy of the official Inspector, and the official MCP client in Node. As in a real host, the view runs in a
// frame without an origin, inside the frame of the proxy, which has another origin than the page.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { assertAccessible } from "./stage.mjs";

const PACKAGES = new URL("../../.tools/node/", import.meta.url);
const require = createRequire(PACKAGES);
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const MODULES = new URL("node_modules/", PACKAGES).pathname;
const SANDBOX = fs.readFileSync(
  path.join(MODULES, "@modelcontextprotocol/inspector/clients/web/static/sandbox_proxy.html"),
  "utf8",
);

// Nothing listens there: the test answers the requests.
const PAGE = "http://127.0.0.1:4998";
const PROXY = "http://localhost:4999";
const IMPORTS = {
  "@modelcontextprotocol/ext-apps/app-bridge": "@modelcontextprotocol/ext-apps/dist/src/app-bridge.js",
  "@modelcontextprotocol/client": "@modelcontextprotocol/client/dist/index.mjs",
  "@modelcontextprotocol/client/_shims": "@modelcontextprotocol/client/dist/shimsBrowser.mjs",
  "@modelcontextprotocol/core": "@modelcontextprotocol/core/dist/index.mjs",
  "@modelcontextprotocol/core/internal": "@modelcontextprotocol/core/dist/internal.mjs",
  eventsource: "eventsource/dist/index.js",
  "eventsource-parser": "eventsource-parser/dist/index.js",
  "eventsource-parser/stream": "eventsource-parser/dist/stream.js",
  "pkce-challenge": "pkce-challenge/dist/index.browser.js",
  "zod/v4": "zod/v4/index.js",
};
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript" };

/** Colours and fonts as a host passes them, for both themes in one value. */
export const STYLES = {
  "--color-background-primary": "light-dark(#ffffff, #30302e)",
  "--color-background-secondary": "light-dark(#f5f4ed, #262624)",
  "--color-background-inverse": "light-dark(#141413, #faf9f5)",
  "--color-background-danger": "light-dark(#fceaea, #4a1f1f)",
  "--color-text-primary": "light-dark(#141413, #faf9f5)",
  "--color-text-secondary": "light-dark(#3d3d3a, #c2c0b6)",
  "--color-text-inverse": "light-dark(#ffffff, #141413)",
  "--color-text-danger": "light-dark(#7f2c28, #f5b5b5)",
  "--color-border-primary": "light-dark(#8a897f, #8a897f)",
  "--color-border-secondary": "light-dark(#d1cfc5, #4a4a46)",
  "--border-radius-md": "8px",
  "--font-sans": "Arial, sans-serif",
};

const HOST = `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><title>Conversa</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body { margin: 0 } h1 { margin: 0; font-size: 1rem } iframe { display: block; width: 100%; height: 40px; border: 0 }</style>
<script type="importmap">${JSON.stringify({
  imports: Object.fromEntries(Object.entries(IMPORTS).map(([name, file]) => [name, `/npm/${file}`])),
})}</script></head>
<body><main><h1>Conversa</h1><iframe title="Visão"></iframe></main>
<script type="module">
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
const frame = document.querySelector("iframe");
const setup = await hostSetup();
const bridge = new AppBridge(null, { name: "host", version: "1" }, setup.capabilities, { hostContext: setup.context });
const ask = async (method, params) => {
  const { result, error } = await hostAsk(method, params);
  if (error) throw new Error(error);
  return result;
};
bridge.onsandboxready = () => bridge.sendSandboxResourceReady({ html: setup.html });
bridge.oncalltool = (params) => ask("callTool", params);
bridge.onreadresource = (params) => ask("readResource", params);
bridge.onopenlink = (params) => ask("openLink", params);
bridge.onmessage = (params) => ask("message", params);
bridge.onupdatemodelcontext = (params) => ask("updateModelContext", params);
bridge.onrequestdisplaymode = async ({ mode }) => {
  frame.style.height = "900px";
  await bridge.sendHostContextChange({ displayMode: mode });
  return { mode };
};
bridge.onsizechange = ({ height }) => {
  document.body.dataset.height = height;
  if (setup.context.displayMode !== "fullscreen") frame.style.height = height + "px";
};
bridge.oninitialized = async () => {
  document.body.dataset.initialized = "yes";
  await bridge.sendToolInput({ arguments: setup.given });
  if (setup.result) await bridge.sendToolResult(setup.result);
};
globalThis.bridge = bridge;
await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
// The proxy says that it is ready as soon as it is loaded, so the bridge has to listen before.
frame.src = "${PROXY}/sandbox";
</script></body></html>`;

/** The document with the policy that a host makes of `_meta.ui.csp`, as the extension prescribes it. */
function withPolicy({ text, _meta }) {
  const { resourceDomains = [], connectDomains = [] } = _meta.ui.csp;
  const files = ["data:", ...resourceDomains].join(" ");
  const policy = [
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    `img-src ${files}`,
    `media-src ${files}`,
    `connect-src ${connectDomains.join(" ") || "'none'"}`,
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
  ].join("; ");
  return text.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
}

async function connect(stage, token) {
  const client = new Client({ name: "apps-host", version: "1.0.0" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(stage.demo.mcp_url), { requestInit }));
  return client;
}

/**
 * Opens a conversation that has called the tool, and shows its view.
 *
 * - `token` is the credential with which the host reads the document of the view.
 * - `caller` is the credential of all calls. If it differs from `token`, the document was read by another member.
 * - `look` describes the page; `context` and `capabilities` add to what the host says of itself.
 * - `intercept(method, params, next)` may answer a request of the view in place of the host.
 * - `change(result)` may replace the result of the tool.
 */
export async function openApp(stage, tool, given = {}, options = {}) {
  const { token = stage.demo.token, caller = token, look = {}, context = {}, capabilities, intercept, change } = options;
  const owner = await connect(stage, token);
  const { tools } = await owner.listTools();
  const { contents } = await owner.readResource({ uri: tools.find(({ name }) => name === tool)._meta.ui.resourceUri });
  await owner.close();
  const client = await connect(stage, caller);
  const [document] = contents;
  assert.equal(document.mimeType, "text/html;profile=mcp-app");
  const failed = ({ message }) => ({ isError: true, content: [{ type: "text", text: message }] });
  const answered = await client.callTool({ name: tool, arguments: given }).catch(failed);
  const result = change ? change(answered) : answered;

  const asked = [];
  const answers = {
    openLink: async ({ url }) => asked.push({ opened: url }) && {},
    message: async ({ content }) => asked.push({ said: content[0].text }) && {},
    updateModelContext: async ({ content }) => asked.push({ informed: content[0].text }) && {},
    callTool: async (params) => {
      const called = tools.find(({ name }) => name === params.name);
      // The extension requires that a host refuses calls of tools that are not visible to views.
      const isVisible = called && (called._meta?.ui?.visibility ?? ["model", "app"]).includes("app");
      if (!isVisible) throw new Error(`the tool ${params.name} is not for views`);
      asked.push({ called: params.name, input: params.arguments });
      return client.callTool(params);
    },
    readResource: (params) => asked.push({ read: params.uri }) && client.readResource(params),
  };
  const hostAsk = async (method, params) => {
    const next = () => answers[method](params);
    try {
      return { result: await (intercept ? intercept(method, params, next) : next()) };
    } catch (error) {
      return { error: error.message };
    }
  };

  const page = await stage.page({ ...look, hosts: [PAGE, PROXY] });
  const all = { openLinks: {}, serverTools: {}, serverResources: {}, updateModelContext: { text: {} }, message: { text: {} } };
  const setup = {
    html: withPolicy(document),
    given,
    result,
    capabilities: capabilities ?? all,
    context: { theme: look.colorScheme ?? "light", displayMode: "inline", styles: { variables: STYLES }, ...context },
  };
  await page.exposeFunction("hostSetup", () => setup);
  await page.exposeFunction("hostAsk", hostAsk);
  await page.route(`${PAGE}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    if (!pathname.startsWith("/npm/")) return route.fulfill({ contentType: TYPES[".html"], body: HOST });
    const file = path.join(MODULES, pathname.slice("/npm/".length));
    return route.fulfill({ contentType: TYPES[path.extname(file)], body: fs.readFileSync(file) });
  });
  await page.route(`${PROXY}/**`, (route) => route.fulfill({ contentType: TYPES[".html"], body: SANDBOX }));
  // Chromium blocks requests of a frame without an origin to the local machine, so the test fetches the media.
  await page.route("**/media/**", async (route) => {
    const image = await fetch(route.request().url());
    const contentType = image.headers.get("content-type");
    await route.fulfill({ contentType, body: Buffer.from(await image.arrayBuffer()) });
  });
  await page.goto(`${PAGE}/conversa`);
  const view = page.frameLocator("iframe").frameLocator("iframe");
  const height = async () => Number(await page.getAttribute("body", "data-height"));
  /** Waits until the view has asked the host to open a link. */
  const linkOpened = async () => {
    for (let turn = 0; turn < 100 && !asked.some(({ opened }) => opened); turn += 1) await page.waitForTimeout(100);
  };
  const close = async () => {
    await page.context().close();
    await client.close();
  };
  return { page, view, asked, height, linkOpened, close, frame: () => page.frames().at(-1) };
}

/**
 * Asserts what every view promises: targets of 44 pixels, no scrolling, at most 500 pixels inside a conversation, and
 * no finding of axe. With `SHOTS=folder`, saves a screenshot.
 */
export async function fitsConversation(app, name) {
  const { width } = app.page.viewportSize();
  // Waits until the frame has the height that the view reported.
  await app.page.waitForFunction(() => document.querySelector("iframe").clientHeight === Number(document.body.dataset.height));
  const scheme = await app.frame().evaluate("document.documentElement.dataset.theme");
  if (process.env.SHOTS) await app.page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${scheme}.png` });
  const found = await app.frame().evaluate(() => {
    const root = document.documentElement;
    const targets = [...document.querySelectorAll("a[href], button, select, textarea, summary, input, label.choice")];
    const box = (node) => (node.matches("[type=checkbox]") ? node.closest("label") : node).getBoundingClientRect();
    const isShown = (node) => node.checkVisibility() && box(node).width > 0;
    const small = targets.filter((node) => isShown(node) && (box(node).height < 44 || box(node).width < 44));
    const scrolls = [...document.querySelectorAll("*")].filter((node) => {
      const { overflowY } = getComputedStyle(node);
      return /auto|scroll/.test(overflowY) && node.scrollHeight > node.clientHeight + 1 && node.localName !== "textarea";
    });
    const words = (node) => node.outerHTML.slice(0, 90);
    return {
      height: root.getBoundingClientRect().height,
      over: root.scrollWidth - innerWidth,
      small: small.map(words),
      scrolls: scrolls.map(words),
    };
  });
  assert.ok(found.height <= 500, `${name}, ${width}: ${found.height} px high`);
  assert.ok(found.over <= 0, `${name}, ${width}: ${found.over} px too wide`);
  assert.deepEqual(found.small, [], `${name}, ${width}: small targets`);
  assert.deepEqual(found.scrolls, [], `${name}, ${width}: what scrolls`);
  await assertAccessible(app.frame(), `${name}, ${width}, ${scheme}`);
}
