// The inbox of approvals: the piece as a post, decisions by keyboard and by touch, and undoing a decision.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const call = (...args) => stage.demo.call(...args);
const read = async (id) => (await call("GET", `/api/eventos/${id}`)).evento;
const readRevision = async (id) => (await read(id)).api_revision;

/** Submits a piece dated 2020, so that it comes before the pieces of the demo; returns its id. */
async function submitPiece(title, { slides = 0, day = 1 } = {}) {
  const { event_id: id } = await call("POST", "/api/demanda", { title });
  const cards = Array.from({ length: slides }, (_, at) => ({ text: `Card ${at + 1}` }));
  if (slides) await call("POST", "/api/carousel", { event_id: id, cards, style: "vibrante" });
  const date = { day, month: 1, year: 2020 };
  const caption = `Legenda de ${title}`;
  await call("POST", "/api/enviar", { event_id: id, expected_revision: await readRevision(id), caption, ...date });
  return id;
}

/** Submits this many pieces; returns their ids in the order of the inbox. */
async function submitPieces(name, count) {
  const ids = [];
  for (let at = 1; at <= count; at += 1) ids.push(await submitPiece(`${name} ${at}`, { day: at }));
  return ids;
}

/** Opens the inbox; `sent` collects the ids of the pieces whose decisions the page sends. */
async function openInbox(look, id) {
  const page = await stage.signedIn(look);
  const sent = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/aprovacoes/")) sent.push(request.url().split("/").at(-1));
  });
  await page.goto(`${stage.demo.url}/aprovacoes${id ? `?evento=${id}` : ""}`);
  return { page, sent };
}

const heading = (page, name) => page.getByRole("heading", { level: 2, name, exact: true });
const notices = (page) => page.locator("#avisos .toast", { hasText: /aprovad|recusad/i });

async function waitForStatus(id, status) {
  for (let turn = 0; turn < 200; turn += 1) {
    if ((await read(id)).status === status) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail(`${id} is not ${status}`);
}

// Archives the pieces that are still pending, so that the next test starts without them.
afterEach(async () => {
  const { pendentes } = await call("GET", "/api/aprovacoes?limit=100");
  for (const { id, api_revision, due_at } of pendentes) {
    if (due_at?.startsWith("2020")) await call("PATCH", `/api/eventos/${id}`, { expected_revision: api_revision, status: "arquivado" });
  }
});

test("ten pieces are approved with ten keys, and one notice counts them", async () => {
  const ids = await submitPieces("Tecla", 10);
  const { page, sent } = await openInbox();
  for (let at = 1; at <= 10; at += 1) {
    await heading(page, `Tecla ${at}`).waitFor();
    await page.keyboard.press("a");
    assert.ok((await notices(page).count()) <= 1, "there must be only one notice");
  }
  await page.getByText("10 aprovadas").waitFor();
  for (const id of ids) await waitForStatus(id, "aprovado");
  // The browser reports a request some time after the service has answered it. The notice stays for five seconds after
  // the last decision, so all requests are reported when it goes.
  await page.getByText("10 aprovadas").waitFor({ state: "detached" });
  assert.deepEqual(sent.sort(), [...ids].sort(), "each decision is sent once");
  await page.context().close();
});

test("ten pieces are approved on a phone with ten taps, without scrolling", async () => {
  const ids = await submitPieces("Toque", 10);
  const { page } = await openInbox({ width: 360, hasTouch: true, isMobile: true });
  for (let at = 1; at <= 10; at += 1) {
    await heading(page, `Toque ${at}`).waitFor();
    const button = page.getByRole("button", { name: /^Aprovar\s*A?$/ });
    const { y, height } = await button.boundingBox();
    assert.ok(y >= 0 && y + height <= page.viewportSize().height, "the decision must be in view");
    assert.ok(height >= 44, `${height}`);
    await button.tap();
  }
  for (const id of ids) await waitForStatus(id, "aprovado");
  await page.context().close();
});

test("U undoes the last decision that waits, then the decision before it", async () => {
  const ids = await submitPieces("Volta", 3);
  const { page, sent } = await openInbox();
  await page.keyboard.press("a");
  await heading(page, "Volta 2").waitFor();
  await page.keyboard.press("a");
  await heading(page, "Volta 3").waitFor();
  await page.getByText("2 aprovadas").waitFor();
  const rows = page.locator("[data-waiting][data-decided=Aprovada]");
  assert.equal(await rows.count(), 2, "decided pieces must be marked as decided");
  await page.keyboard.press("u");
  await heading(page, "Volta 2").waitFor();
  await page.getByText("Aprovada: Volta 1").waitFor();
  assert.equal(await rows.count(), 1);
  await page.keyboard.press("u");
  await heading(page, "Volta 1").waitFor();
  assert.equal(await rows.count(), 0);
  assert.equal(await notices(page).count(), 0, "there must be nothing left to undo");
  await page.keyboard.press("u");
  // Waits longer than the delay of a decision, to be sure that none is sent.
  await page.waitForTimeout(6_000);
  assert.deepEqual(sent, []);
  for (const id of ids) assert.equal((await read(id)).status, "em aprovação");
  await page.context().close();
});

test("one button undoes all decisions that still wait", async () => {
  const ids = await submitPieces("Todas", 3);
  const { page, sent } = await openInbox();
  await page.keyboard.press("a");
  await heading(page, "Todas 2").waitFor();
  assert.equal(await page.getByRole("button", { name: /Desfazer as/ }).count(), 0, "one decision has one button");
  await page.keyboard.press("a");
  await heading(page, "Todas 3").waitFor();
  await page.getByRole("button", { name: /^Desfazer a última/ }).waitFor();
  await fit(page, "approvals-undo-all");
  await page.getByRole("button", { name: "Desfazer as 2 mais novas" }).click();
  await heading(page, "Todas 1").waitFor();
  assert.equal(await page.locator("[data-waiting][data-decided]").count(), 0);
  await page.waitForTimeout(6_000);
  assert.deepEqual(sent, []);
  for (const id of ids) assert.equal((await read(id)).status, "em aprovação");
  await page.context().close();
});

test("a piece whose decision waits is shown as decided, and another piece comes next", async () => {
  const ids = await submitPieces("Espera", 3);
  const { page } = await openInbox();
  await page.keyboard.press("a");
  await heading(page, "Espera 2").waitFor();
  await page.locator(`[data-waiting="${ids[0]}"]`).click();
  await heading(page, "Espera 1").waitFor();
  const panel = page.locator(".decision");
  await panel.getByText("Aprovada. É gravada em instantes.").waitFor();
  assert.ok(await panel.locator("form").first().evaluate((form) => form.inert));
  await fit(page, "approvals-held");
  // On the last piece of the list, J selects the first undecided piece.
  const last = page.locator("[data-waiting]").last();
  const title = await last.locator(".waiting-title").textContent();
  await last.click();
  await heading(page, title).waitFor();
  await page.keyboard.press("j");
  await heading(page, "Espera 2").waitFor();
  await waitForStatus(ids[0], "aprovado");
  await page.context().close();
});

test("a key that is held down acts once", async () => {
  const ids = await submitPieces("Presa", 3);
  const { page, sent } = await openInbox();
  for (let turn = 0; turn < 12; turn += 1) {
    await page.keyboard.down("a");
    await page.waitForTimeout(60);
  }
  await page.keyboard.up("a");
  await heading(page, "Presa 2").waitFor();
  for (let turn = 0; turn < 6; turn += 1) await page.keyboard.down("r");
  await page.keyboard.up("r");
  const reason = page.getByLabel("Com as suas palavras");
  await reason.waitFor();
  assert.equal(await reason.inputValue(), "", "the shortcut must not be written into the field");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Aprovar\s*A?$/ }).focus();
  for (let turn = 0; turn < 12; turn += 1) {
    await page.keyboard.down("Enter");
    await page.waitForTimeout(60);
  }
  await page.keyboard.up("Enter");
  await heading(page, "Presa 3").waitFor();
  await waitForStatus(ids[1], "aprovado");
  await notices(page).waitFor({ state: "detached" }); // by then the browser has reported all requests
  assert.deepEqual(sent, ids.slice(0, 2));
  await page.context().close();
});

test("single-character shortcuts can be turned off, and stay off", async () => {
  const [id] = await submitPieces("Ditado", 1);
  const { page, sent } = await openInbox();
  await page.click("[data-palette]");
  await page.getByRole("button", { name: "Teclas" }).click();
  await fit(page, "keys-switch");
  await page.getByLabel("Atalhos de uma tecla só").uncheck();
  await page.getByRole("button", { name: "Fechar" }).click();
  // A closed dialog leaves the page with its `close` event, which the browser sends after the click.
  await page.locator(".keys-box").waitFor({ state: "detached" });
  for (let turn = 0; turn < 2; turn += 1) {
    for (const key of ["a", "r", "j", "?", "g", "h"]) await page.keyboard.press(key);
    assert.equal(await page.locator(".keys-box, .refuse[open]").count(), 0);
    assert.ok(await heading(page, "Ditado 1").isVisible());
    await page.reload();
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("button", { name: "Teclas" }).click();
  await page.getByLabel("Atalhos de uma tecla só").check();
  await page.keyboard.press("Escape");
  assert.deepEqual(sent, []);
  await page.keyboard.press("a");
  await waitForStatus(id, "aprovado");
  await page.context().close();
});

const scrollOffset = (page) => page.locator(".post .stage:visible").evaluate((stage) => Math.round(stage.scrollLeft / stage.clientWidth));

test("the slides of a post are turned by arrows, thumbnails, keys and swipes", async () => {
  const id = await submitPiece("Carrossel", { slides: 4 });
  const { page } = await openInbox(undefined, id);
  const current = async () => [await scrollOffset(page), await page.locator(".thumbs:visible [aria-current]").getAttribute("aria-label")];
  await page.locator(".post .arrow.on:visible").first().click();
  await page.locator(".thumbs:visible [aria-current][aria-label='Mídia 2 de 4']").waitFor();
  assert.deepEqual(await current(), [1, "Mídia 2 de 4"]);
  await page.getByRole("link", { name: "Mídia 4 de 4" }).click();
  await page.locator(".thumbs:visible [aria-current][aria-label='Mídia 4 de 4']").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await page.locator(".thumbs:visible [aria-current][aria-label='Mídia 3 de 4']").waitFor();
  assert.deepEqual(await current(), [2, "Mídia 3 de 4"]);
  assert.equal(await page.locator(".dots:visible .here").count(), 1);
  assert.equal(new URL(page.url()).hash, "", "the URL must not change");
  await page.locator(".post .stage:visible").evaluate((stage) => stage.scrollTo(0, 0));
  await page.locator(".thumbs:visible [aria-current][aria-label='Mídia 1 de 4']").waitFor();
  // In a text field, the arrow keys move its cursor and not the slides.
  await page.keyboard.press("r");
  await page.getByLabel("Com as suas palavras").waitFor();
  await page.keyboard.type("ab");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await scrollOffset(page), 0);
  await page.context().close();
});

test("without JavaScript links lead to the slides, and the piece can be decided", async () => {
  const id = await submitPiece("Carrossel sem script", { slides: 3 });
  const page = await stage.signedIn({ width: 360, javaScriptEnabled: false });
  await page.goto(`${stage.demo.url}/aprovacoes?evento=${id}`);
  await page.getByRole("link", { name: "Mídia 3 de 3" }).click();
  await page.waitForURL(`**#previa-feed-${id}-3`);
  const left = async (selector) => (await page.locator(selector).boundingBox()).x;
  const distance = async () => Math.abs((await left(".post .stage:visible")) - (await left(`[id="previa-feed-${id}-3"]`)));
  // The browser scrolls in a frame after the change of the URL.
  for (let turn = 0; turn < 100 && (await distance()) >= 2; turn += 1) await page.waitForTimeout(100);
  assert.ok((await distance()) < 2, `${await distance()}`);
  await page.getByRole("button", { name: "Aprovar", exact: true }).click();
  await page.getByText("Decisão registrada.").waitFor();
  assert.equal((await read(id)).status, "aprovado");
  await page.context().close();
});

test("a replaced image is shown beside the new one, under the reason", async () => {
  const id = await submitPiece("Refeita", { slides: 2 });
  await call("POST", "/api/aprovar", { event_id: id, action: "recusar", motivo: "Troque o card 2", expected_revision: await readRevision(id) });
  const old = (await read(id)).media[1].id;
  await call("PATCH", `/api/eventos/${id}/media`, { expected_revision: await readRevision(id), detach: [old] });
  await call("POST", "/api/art", { event_id: id, prompt: "Card novo", slide_index: 1 });
  await call("POST", "/api/enviar", { event_id: id, expected_revision: await readRevision(id) });
  for (const look of LOOKS) {
    const { page } = await openInbox(look, id);
    await page.getByText("Troque o card 2").first().waitFor();
    const images = page.locator(".swap img");
    assert.equal(await images.count(), 2);
    for (const image of await images.all()) {
      await image.scrollIntoViewIfNeeded();
      await image.evaluate((shown) => shown.decode());
    }
    const [before, now] = await Promise.all([images.nth(0).boundingBox(), images.nth(1).boundingBox()]);
    assert.ok(before.x + before.width <= now.x && before.y === now.y, "the images must be side by side");
    await fit(page, "approvals-changed");
    await page.context().close();
  }
});

test("while the viewer types, the page names other people who changed the piece, but never the viewer", async () => {
  const { call: asBruno } = await stage.demo.member("Bruno Leal", "lider");
  const { event_id: id } = await call("POST", "/api/demanda", { title: "A quatro mãos" });
  const page = await stage.signedIn();
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  await page.getByLabel("Texto", { exact: true }).fill("Meu texto");
  const looked = page.waitForResponse((answer) => answer.request().headers()["x-pauta-background"] === "1");
  await call("PATCH", `/api/eventos/${id}`, { expected_revision: 1, title: "A quatro mãos, por mim" });
  await looked;
  await page.waitForTimeout(500);
  assert.equal(await page.locator("#avisos .toast").count(), 0, "the viewer's own change must cause no notice");
  await asBruno("PATCH", `/api/eventos/${id}`, { expected_revision: 2, title: "A quatro mãos, por Bruno" });
  await page.getByText("Bruno Leal mudou esta peça.").waitFor();
  assert.equal(await page.getByLabel("Texto", { exact: true }).inputValue(), "Meu texto");
  await page.context().close();
});

test("a page of another kind also names other people who changed it, but never the viewer", async () => {
  const { call: asBruno } = await stage.demo.member("Bruno Leal", "lider");
  const { project } = await call("POST", "/api/projects", { name: "Festa de agosto" });
  const page = await stage.signedIn();
  await page.goto(`${stage.demo.url}/projetos/${project.id}`);
  const field = page.locator("main input[type=text], main input:not([type]), main textarea").filter({ visible: true }).first();
  await field.fill("Ainda não enviei");
  const change = (as, revision, title) =>
    as("POST", `/api/projects/${project.id}/operations`, { type: "section.add", payload: { title }, expected_revision: revision });
  const looked = page.waitForResponse((answer) => answer.request().headers()["x-pauta-background"] === "1");
  await change(call, 1, "Minha seção");
  await (await looked).finished();
  await page.waitForTimeout(500);
  assert.equal(await page.locator("#avisos .toast").count(), 0, "nothing is said of one's own change");
  await change(asBruno, 2, "A de Bruno");
  await page.getByText("Bruno Leal mudou esta página.").waitFor();
  assert.equal(await field.inputValue(), "Ainda não enviei");
  await page.context().close();
});

test("the viewer's own decision causes no notice while the reason of the next one is typed", async () => {
  const ids = await submitPieces("Quieta", 2);
  const { page } = await openInbox();
  await page.keyboard.press("a");
  await heading(page, "Quieta 2").waitFor();
  await page.keyboard.press("r");
  await page.getByLabel("Com as suas palavras").waitFor();
  await page.keyboard.type("Falta o preço");
  await waitForStatus(ids[0], "aprovado");
  await page.waitForTimeout(1_500);
  assert.equal(await page.getByText(/mudou|mudaram/).and(page.locator("#avisos *")).count(), 0);
  assert.equal(await page.getByLabel("Com as suas palavras").inputValue(), "Falta o preço");
  await page.context().close();
});
