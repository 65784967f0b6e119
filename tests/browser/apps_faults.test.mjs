// Faults in the views of MCP Apps: refusals, lost connections, hostile messages and results that are too large.
import assert from "node:assert/strict";
import { test } from "node:test";
import zlib from "node:zlib";
import { fitsConversation, openApp } from "./apps_host.mjs";
import { open } from "./stage.mjs";

const stage = open();
const PHONE = { width: 360, colorScheme: "light" };
const MARKUP = `"><img src=x onerror="document.title='invadida'"><script>document.title='invadida'</script>`;

/** Creates a token with these rights, or with all of them; returns it and its id. */
async function createToken(...scopes) {
  const wanted = { label: `teste ${scopes}`, ...(scopes.length && { scopes }) };
  const made = await stage.demo.call("POST", "/api/access/tokens", wanted);
  return { token: made.token, id: made.metadata.id };
}

/** A PNG of one colour, with this number of incompressible bytes beside it. */
function png(colour, padding = 0) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    crc.writeUInt32BE(zlib.crc32(body));
    return Buffer.concat([length, body, crc]);
  };
  const head = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0]);
  const row = Buffer.from([0, ...Array.from({ length: 8 }, () => [colour, 255 - colour, 128]).flat()]);
  const pixels = zlib.deflateSync(Buffer.concat(Array.from({ length: 8 }, () => row)));
  const text = padding ? [chunk("tEXt", Buffer.concat([Buffer.from("Comment\0"), Buffer.alloc(padding, "x")]))] : [];
  const chunks = [chunk("IHDR", head), ...text, chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
}

const importMedium = (colour, alt) =>
  stage.demo.call("POST", "/api/media", { data: png(colour, colour).toString("base64"), ...(alt && { alt }) });
const notInvaded = async (app) => assert.notEqual(await app.frame().evaluate("document.title"), "invadida");

test("markup in a title, a caption and an alternative text stays text", async () => {
  const { event_id: id } = await stage.demo.call("POST", "/api/demanda", { title: `Título ${MARKUP}` });
  await stage.demo.call("POST", "/api/art", { event_id: id, prompt: "Sopa" });
  const date = { day: 1, month: 1, year: 2020 };
  await stage.demo.call("POST", "/api/enviar", { event_id: id, expected_revision: 2, caption: `Legenda ${MARKUP}`, ...date });
  await importMedium(1, `Foto ${MARKUP}`);
  const views = [["list_pending_approvals", {}], ["list_events", { status: "em aprovação" }], ["list_media", {}]];
  for (const [tool, given] of views) {
    const app = await openApp(stage, tool, given, { look: PHONE });
    await app.view.getByText("onerror=").first().waitFor({ state: "attached" });
    await notInvaded(app);
    assert.equal(await app.view.locator("img[src=x]").count(), 0);
    await fitsConversation(app, `app-markup-${tool}`);
    await app.close();
  }
});

test("a refused call, a cancelled call and a missing right are reported", async () => {
  const refused = () => ({ isError: true, content: [{ type: "text", text: "RATE_LIMITED: Chamadas demais.\nPedido: p-1" }] });
  const app = await openApp(stage, "list_events", {}, { look: PHONE, change: refused });
  await app.view.getByRole("alert").getByText("Chamadas demais.").waitFor();
  await app.view.getByText("RATE_LIMITED, pedido p-1").waitFor();
  await fitsConversation(app, "app-refused");
  await app.page.evaluate(() => bridge.sendToolCancelled({ reason: "user" }));
  await app.view.getByText("A chamada foi cancelada.").waitFor();
  await app.close();

  // The host shows the document of a member who may see media to a caller who may not.
  const { token: caller } = await createToken("tasks_view");
  const other = await openApp(stage, "list_media", {}, { look: PHONE, caller });
  await other.view.getByRole("alert").waitFor();
  assert.equal(await other.view.locator(".tile").count(), 0);
  await other.close();

  // The view requests its content itself, by a tool call or as a resource, and is refused.
  for (const capabilities of [{ serverTools: {} }, { serverResources: {} }]) {
    const change = () => ({ content: [], structuredContent: {} });
    const asking = await openApp(stage, "list_media", {}, { look: PHONE, caller, change, capabilities });
    await asking.view.getByRole("alert").waitFor();
    assert.equal(await asking.view.locator(".tile").count(), 0);
    const refused = asking.view.getByRole("alert").getByText("CAPABILITY_REQUIRED");
    if (capabilities.serverTools) await refused.waitFor();
    await asking.close();
  }
});

test("a lost connection is reported, and a retry loads the view", async () => {
  let isLost = true;
  const intercept = (method, params, next) => {
    if (isLost) throw new Error("fetch failed");
    return next();
  };
  const app = await openApp(stage, "list_events", {}, { look: PHONE, intercept });
  await app.view.getByRole("alert").getByText("não conseguiu falar com a Pauta").waitFor();
  await fitsConversation(app, "app-lost");
  isLost = false;
  await app.view.getByRole("button", { name: "Tentar de novo" }).click();
  await app.view.locator(".ev:visible").first().waitFor();
  await app.close();
});

test("a decision whose answer is lost is sent again with the same key", async () => {
  const { event_id: id } = await stage.demo.call("POST", "/api/demanda", { title: "Decidir uma vez" });
  const submission = { event_id: id, expected_revision: 1, caption: "Texto", day: 1, month: 1, year: 2020 };
  await stage.demo.call("POST", "/api/enviar", submission);
  let lost = 1;
  const intercept = async (method, params, next) => {
    const answer = await next();
    if (params.name === "decide_approval" && lost-- > 0) throw new Error("socket hang up");
    return answer;
  };
  const app = await openApp(stage, "list_pending_approvals", { q: "Decidir" }, { intercept });
  await app.view.getByRole("button", { name: "Aprovar" }).click();
  await app.view.getByText("não conseguiu falar").waitFor();
  await app.view.getByRole("button", { name: "Aprovar" }).click();
  await app.view.getByText("Aprovada.").waitFor();
  const keys = app.asked.filter(({ called }) => called === "decide_approval").map(({ input }) => input.idempotency_key);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  await app.close();
});

test("a view whose token is revoked says that its access has ended", async () => {
  const { token: caller, id } = await createToken();
  const app = await openApp(stage, "list_media", {}, { look: PHONE, caller });
  await app.view.locator(".tile").first().click();
  await stage.demo.call("DELETE", `/api/access/tokens/${id}`);
  await app.view.getByRole("button", { name: /^Anexar/ }).click();
  await app.view.getByText("O acesso deste aplicativo à Pauta terminou").waitFor();
  await fitsConversation(app, "app-revoked");
  await app.page.context().close();
});

test("a view handles a result that the host truncated, and a result with 500 media", async () => {
  const cut = (result) => ({ content: [{ type: "text", text: result.content[0].text.slice(0, 40) }] });
  const app = await openApp(stage, "list_pending_approvals", {}, { look: PHONE, change: cut });
  await app.view.locator("article[data-event]").waitFor();
  assert.equal(app.asked[0].called, "list_pending_approvals");
  await app.close();

  for (let index = 2; index < 130; index += 1) await importMedium(index, `Amostra número ${index}`);
  const many = (result) => {
    const medium = result.structuredContent.media[0];
    return { ...result, structuredContent: { media: Array.from({ length: 500 }, () => medium) } };
  };
  const picker = await openApp(stage, "list_media", {}, { look: PHONE, change: many });
  await picker.view.locator(".tile").first().waitFor();
  assert.equal(await picker.view.locator(".tile").count(), 60);
  await fitsConversation(picker, "app-many");
  await picker.view.getByRole("button", { name: "Mais antigas" }).click();
  await picker.view.getByText("Mais 60 mídias.").waitFor();
  assert.equal(await picker.view.locator(".tile").count(), 120);
  await picker.view.getByLabel("Procurar nas mídias").fill("número 77");
  assert.equal(await picker.view.locator(".tile:visible").count(), 1);
  await fitsConversation(picker, "app-found");
  await picker.close();
});

test("messages that are hostile or malformed are ignored", async () => {
  const app = await openApp(stage, "list_events", {}, { look: PHONE });
  await app.view.locator(".ev:visible").first().waitFor();
  const before = await app.view.locator(".ev").count();
  const result = { content: [{ type: "text", text: "FORBIDDEN: recado hostil" }], isError: true };
  const notification = { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: result };
  // The parent of the view is the proxy, so the view ignores a message that the page sends to it directly.
  await app.page.evaluate((message) => {
    const view = document.querySelector("iframe").contentWindow.frames[0];
    for (const target of ["*"]) view.postMessage(message, target);
  }, notification);
  // These messages arrive through the proxy, and are malformed.
  const malformed = [
    null, 7, "texto", [], {}, { jsonrpc: "1.0", method: "ui/notifications/tool-cancelled" },
    { jsonrpc: "2.0", id: 1, result: {} }, { jsonrpc: "2.0", id: 99, error: null }, { jsonrpc: "2.0", id: null },
    { jsonrpc: "2.0", method: "constructor" }, { jsonrpc: "2.0", method: "__proto__", params: 1 },
    { jsonrpc: "2.0", method: 5, params: [] }, { jsonrpc: "2.0", method: "ui/notifications/host-context-changed" },
    { jsonrpc: "2.0", method: "ui/notifications/host-context-changed", params: {
      theme: "<b>", safeAreaInsets: { top: "9vh", left: -4 }, containerDimensions: "x", availableDisplayModes: 3,
      styles: { variables: { "--color-text-primary": "url(https://mal.example/x)", background: "red", "--x": {} } } } },
    { jsonrpc: "2.0", id: 5, method: "eval", params: {} },
  ];
  await app.page.evaluate((messages) => {
    for (const message of messages) document.querySelector("iframe").contentWindow.postMessage(message, "*");
  }, malformed);
  await app.page.waitForTimeout(300);
  assert.equal(await app.view.getByText("recado hostil").count(), 0);
  assert.equal(await app.view.locator(".ev").count(), before);
  const color = "document.documentElement.style.getPropertyValue('--color-text-primary')";
  assert.doesNotMatch(await app.frame().evaluate(color), /url/);
  assert.equal(await app.frame().evaluate("document.documentElement.style.background"), "");
  await app.view.getByRole("button", { name: "Próxima página" }).click();
  await fitsConversation(app, "app-attacked");
  await app.close();
});

test("a small picture is sent through the host, and a larger one through a signed link", async () => {
  const app = await openApp(stage, "list_media", {}, { look: PHONE });
  const choose = (name, buffer, mimeType = "image/png") =>
    app.view.locator("[name=arquivo]").setInputFiles({ name, mimeType, buffer });
  await app.view.locator(".tile").first().waitFor();
  await choose("nota.txt", Buffer.from("texto"), "text/plain");
  await app.view.getByText("Envie PNG, JPEG, WebP, GIF, MP4 ou QuickTime.").waitFor();
  await choose("falsa.png", Buffer.from("isto não é uma imagem"));
  await app.view.locator("#aviso.bad").waitFor();
  await choose("pequena.png", png(200, 2_000));
  await app.view.getByText("Arquivo recebido e escolhido.").waitFor();
  await app.view.getByRole("button", { name: "Anexar 1 mídia" }).waitFor();
  assert.ok(!app.asked.some(({ called }) => called === "create_upload"));

  await choose("grande.png", png(201, 300_000));
  await app.view.getByText("escolha grande.png de novo").waitFor();
  await app.linkOpened();
  const { opened } = app.asked.findLast((asked) => asked.opened);
  assert.ok(opened.startsWith(stage.demo.url), opened);
  await fitsConversation(app, "app-upload");
  await app.view.getByRole("button", { name: "Já enviei" }).click();
  await app.view.getByText("O arquivo ainda não chegou.").waitFor();
  const sent = await fetch(opened, { method: "PUT", body: png(201, 300_000) });
  assert.ok(sent.ok, `${sent.status}`);
  await app.view.getByRole("button", { name: "Já enviei" }).click();
  await app.view.getByRole("button", { name: "Anexar 2 mídias" }).waitFor();
  await fitsConversation(app, "app-uploaded");
  await app.close();
});

test("a piece that changed meanwhile is read again, and the choice stays", async () => {
  const { event_id: id } = await stage.demo.call("POST", "/api/demanda", { title: "Mídia e pressa" });
  const app = await openApp(stage, "list_media", { event_id: id }, { look: PHONE });
  await app.view.locator(".tile").first().click();
  await stage.demo.call("PATCH", `/api/eventos/${id}`, { expected_revision: 1, title: "Mídia e calma" });
  await app.view.getByRole("button", { name: "Anexar 1 mídia" }).click();
  await app.view.getByText("STALE_REVISION").waitFor();
  await app.view.getByText("Mídia e calma").waitFor();
  await app.view.getByRole("button", { name: "Anexar 1 mídia" }).click();
  await app.view.getByText("1 mídia anexada.").waitFor();
  await app.close();
});

test("a missing launch and an unknown launch are reported", async () => {
  const result = () => ({ content: [], structuredContent: {} });
  const none = await openApp(stage, "get_launch_summary", {}, { look: PHONE, change: result });
  await none.view.getByText("O aplicativo não disse qual é o lançamento.").waitFor();
  await none.close();
  const unknown = { projetoId: "nao-existe" };
  const app = await openApp(stage, "get_launch_summary", unknown, { look: PHONE, change: result });
  await app.view.getByRole("alert").waitFor();
  await fitsConversation(app, "app-unknown-launch");
  await app.close();
});
