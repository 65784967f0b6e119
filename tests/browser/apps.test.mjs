// The views of MCP Apps in a test host that follows the extension: a sandboxed iframe, and messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();

/** Calls a method of the MCP endpoint as the host does. */
async function rpc(method, params) {
  const headers = {
    authorization: `Bearer ${stage.demo.token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(stage.demo.mcp_url, { method: "POST", headers, body });
  return answer.json();
}

const HOST = `<!doctype html><html lang="pt-BR"><title>Host</title><main><h1>Conversa</h1>
<iframe title="Pauta" sandbox="allow-scripts" src="/visao" width="100%" height="900"></iframe></main>
<script>
const frame = document.querySelector("iframe").contentWindow;
const send = (message) => frame.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", async ({ source, data }) => {
  if (source !== frame) return;
  if (data.method === "ui/initialize") {
    const result = { protocolVersion: "2026-01-26", hostInfo: { name: "host", version: "1" },
      hostCapabilities: { serverTools: {}, serverResources: {} }, hostContext: {} };
    send({ id: data.id, result });
  } else if (data.method === "ui/notifications/initialized") {
    const { given, result } = await called();
    send({ method: "ui/notifications/tool-input", params: { arguments: given } });
    send({ method: "ui/notifications/tool-result", params: result });
  } else if (data.method === "ui/notifications/size-changed") {
    document.body.dataset.height = data.params.height;
  } else if (data.method === "ui/open-link") {
    document.body.dataset.opened = data.params.url;
    send({ id: data.id, result: {} });
  } else if (data.id !== undefined) {
    const { result, error } = await asked(data.method, data.params);
    send({ id: data.id, result, error });
  }
});
</script>`;

/** Opens a host page that calls the tool and shows its view. */
async function openHost(tool, given, look) {
  const listed = await rpc("tools/list", {});
  const { _meta } = listed.result.tools.find(({ name }) => name === tool);
  const read = await rpc("resources/read", { uri: _meta.ui.resourceUri });
  const [document] = read.result.contents;
  assert.equal(document.mimeType, "text/html;profile=mcp-app");
  const images = document._meta.ui.csp.resourceDomains.join(" ");
  const policy = `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: ${images}; media-src ${images}; connect-src 'none'`;
  const page = await stage.page(look);
  const html = { contentType: "text/html; charset=utf-8" };
  await page.exposeFunction("asked", (method, params) => rpc(method, params));
  await page.exposeFunction("called", async () => {
    const { result } = await rpc("tools/call", { name: tool, arguments: given });
    return { given, result };
  });
  await page.route("**/conversa", (route) => route.fulfill({ ...html, body: HOST }));
  await page.route("**/visao", (route) =>
    route.fulfill({ ...html, headers: { "content-security-policy": policy }, body: document.text }),
  );
  // Chromium blocks requests of a frame without an origin to the local machine, so the test fetches the media.
  await page.route("**/media/**", async (route) => {
    const image = await fetch(route.request().url());
    const contentType = image.headers.get("content-type");
    await route.fulfill({ contentType, body: Buffer.from(await image.arrayBuffer()) });
  });
  await page.goto(`${stage.demo.url}/conversa`);
  return { page, view: page.frameLocator("iframe") };
}

async function submitPiece(title, day) {
  const { event_id: id } = await stage.demo.call("POST", "/api/demanda", { title });
  await stage.demo.call("POST", "/api/art", { event_id: id, prompt: "Frio pede caldo" });
  const date = { day, month: 1, year: 2020 };
  await stage.demo.call("POST", "/api/enviar", { event_id: id, expected_revision: 2, caption: `Legenda: ${title}`, ...date });
  return id;
}

const readStatus = async (id) => (await stage.demo.call("GET", `/api/eventos/${id}`)).evento.status;

test("a person approves and refuses in the conversation", async () => {
  const [first, second] = [await submitPiece("Primeira", 1), await submitPiece("Segunda", 2)];
  const { page, view } = await openHost("list_pending_approvals", {});
  await view.getByRole("heading", { name: "Primeira" }).waitFor();
  await view.locator(".stage img").evaluate((image) => image.decode());
  await fit(page, "app-approval");
  await view.getByRole("button", { name: "Aprovar" }).click();
  await view.getByRole("heading", { name: "Segunda" }).waitFor();
  assert.equal(await readStatus(first), "aprovado");
  await view.getByText("Recusar", { exact: true }).click();
  await view.getByRole("button", { name: "Recusar com este motivo" }).click();
  await view.getByText("Diga o motivo").waitFor();
  await view.getByLabel("Com as suas palavras").fill("Troque a imagem");
  await view.getByRole("button", { name: "Recusar com este motivo" }).click();
  await view.getByText("Recusada.").waitFor();
  assert.equal(await readStatus(second), "recusado");
  assert.ok(Number(await page.getAttribute("body", "data-height")) > 100);
  await page.context().close();
});

test("a decision about a piece that has changed is refused, and the current piece is shown", async () => {
  const id = await submitPiece("Mudou", 1);
  const { page, view } = await openHost("list_pending_approvals", {});
  await view.getByRole("heading", { name: "Mudou" }).waitFor();
  await stage.demo.call("POST", `/api/eventos/${id}/reabrir`, { expected_revision: 3 });
  const again = { event_id: id, expected_revision: 4, caption: "Legenda nova" };
  await stage.demo.call("POST", "/api/enviar", again);
  await view.getByRole("button", { name: "Aprovar" }).click();
  await view.getByText("STALE_REVISION").waitFor();
  await view.getByText("Legenda nova").waitFor();
  assert.equal(await readStatus(id), "em aprovação");
  await page.context().close();
});

for (const look of LOOKS) {
  test(`the agenda fits: ${look.width} px, ${look.colorScheme}`, async () => {
    const { page, view } = await openHost("list_events", { status: "aprovado" }, look);
    const card = view.getByRole("link", { name: "Depoimento da Dona Cida" }).first();
    await card.waitFor();
    await view.locator(".ev img").first().evaluate((image) => image.decode());
    await fit(page, "app-agenda");
    await card.click();
    await page.waitForFunction("document.body.dataset.opened");
    assert.match(await page.getAttribute("body", "data-opened"), new RegExp(`^${stage.demo.url}/eventos/`));
    await page.context().close();
  });
}
