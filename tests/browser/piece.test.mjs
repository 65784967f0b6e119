// The page of a piece: typed text is kept, uploads show their progress, decisions can be undone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();

const createDemand = async (title) => (await stage.demo.call("POST", "/api/demanda", { title })).event_id;
const read = async (id) => (await stage.demo.call("GET", `/api/eventos/${id}`)).evento;

async function submitPiece(title, caption, day) {
  const id = await createDemand(title);
  const date = { day, month: 1, year: 2020 };
  await stage.demo.call("POST", "/api/enviar", { event_id: id, expected_revision: 1, caption, ...date });
  return id;
}

/** Waits until the stored event satisfies the condition; returns the event. */
async function waitForEvent(id, isSo) {
  for (let turn = 0; turn < 100; turn += 1) {
    const event = await read(id);
    if (isSo(event)) return event;
    await new Promise((done) => setTimeout(done, 100));
  }
  return assert.fail("the event did not satisfy the condition in time");
}

/** A PNG of one colour. */
function createPng(width, height) {
  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const crc = (bytes) => (bytes.reduce((c, byte) => table[(c ^ byte) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const tail = Buffer.alloc(4);
    tail.writeUInt32BE(crc(body));
    return Buffer.concat([head, body, tail]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 120)]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk("IHDR", size), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

for (const look of LOOKS) {
  test(`piece and approvals fit: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look);
    const title = `<b>Título</b> \u202E${"muito longo ".repeat(23)}`;
    const id = await createDemand(title);
    await page.goto(`${stage.demo.url}/eventos/${id}`);
    await fit(page, "piece");
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    await fit(page, "piece-open");
    const draft = { event_id: id, expected_revision: 1, caption: `${"semespaço".repeat(60)}\nשלום` };
    await stage.demo.call("POST", "/api/draft", draft);
    await page.goto(`${stage.demo.url}/eventos/${id}?de=1&para=2`);
    await fit(page, "piece-compared");
    await stage.demo.call("POST", "/api/enviar", { event_id: id, expected_revision: 2 });
    await page.goto(`${stage.demo.url}/aprovacoes?evento=${id}`);
    await fit(page, "approvals");
    await page.goto(`${stage.demo.url}/aprovacoes?evento=${id}&vista=1`);
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    await fit(page, "approvals-versions");
    await stage.demo.call("PATCH", `/api/eventos/${id}`, { expected_revision: 3, status: "arquivado" });
    await page.context().close();
  });
}

test("typed text is offered again, counted and shown as the post", async () => {
  const page = await stage.signedIn();
  const id = await createDemand("Um rascunho");
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  const text = page.getByLabel("Texto", { exact: true });
  await text.fill("Só digitado, 2.000 vezes. ".repeat(90));
  await page.getByText("longo demais para o canal").waitFor();
  await text.fill("Só digitado");
  await page.locator("#contagem", { hasText: "11 de 2.200 caracteres" }).waitFor();
  assert.equal(await page.textContent(".post-text"), "Só digitado");
  await page.reload();
  assert.equal(await text.inputValue(), "");
  await page.getByRole("button", { name: "Trazer de volta" }).click();
  assert.equal(await text.inputValue(), "Só digitado");
  await page.getByRole("button", { name: "Salvar rascunho" }).click();
  await page.getByText("Rascunho salvo.").waitFor();
  assert.equal((await read(id)).description, "Só digitado");
  await page.reload();
  assert.ok(await page.getByRole("button", { name: "Trazer de volta" }).isHidden());
  await page.context().close();
});

test("a lost connection and an ended session keep the typed text", async () => {
  const page = await stage.signedIn();
  const id = await createDemand("Sem rede");
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  const text = page.getByLabel("Texto", { exact: true });
  await text.fill("Digitado no metrô");
  await page.route("**/legenda", (route) => route.abort());
  await page.getByRole("button", { name: "Salvar rascunho" }).click();
  await page.getByText("Sem conexão com a Pauta.").waitFor();
  await page.unroute("**/legenda");
  // htmx reports the aborted request, as this test expects.
  stage.faults = stage.faults.filter((fault) => !fault.includes("Failed to fetch"));
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Salvar rascunho" }).click();
  await page.getByText("Sua sessão terminou.").waitFor();
  assert.equal(await text.inputValue(), "Digitado no metrô");
  assert.equal((await read(id)).api_revision, 1);
  await page.context().close();
});

test("two versions are compared with their images, side by side and one over the other", async () => {
  const id = await createDemand("Versões");
  const draw = (prompt, more = {}) => stage.demo.call("POST", "/api/art", { event_id: id, prompt, size: "540x675", ...more });
  await draw("Primeira");
  await draw("Segunda", { slide_index: 0, expected_revision: 2 });
  const page = await stage.signedIn({}, `/eventos/${id}`);
  await page.getByRole("combobox", { name: "Comparar a" }).selectOption("2");
  await page.getByRole("combobox", { name: "com a", exact: true }).selectOption("3");
  await page.getByRole("button", { name: "Comparar" }).click();
  const compared = page.locator("#comparar");
  await compared.getByText("Revisão 3", { exact: true }).waitFor();
  assert.equal(await compared.locator(".swap img").count(), 2);
  await compared.getByText("Uma sobre a outra").click();
  const clip = () => compared.locator(".overlay img").last().evaluate((image) => getComputedStyle(image).clipPath);
  const half = await clip();
  await compared.getByRole("slider").fill("100");
  assert.notEqual(await clip(), half);
  await fit(page, "piece-images-compared");
  await page.context().close();
});

for (const look of LOOKS) {
  test(`the captions of two versions stand side by side: ${look.width} px, ${look.colorScheme}`, async () => {
    const id = await createDemand("Legendas");
    const write = (caption, expected_revision) => stage.demo.call("POST", "/api/draft", { event_id: id, expected_revision, caption });
    await write(`Água fria, massa lisa.\n${"palavra-muito-longa-".repeat(8)}`, 1);
    await write("Água morna, massa lisinha.\nForno quente.", 2);
    const page = await stage.signedIn(look, `/eventos/${id}?de=2&para=3#comparar`);
    const [one, other] = await page.locator("#comparar .versions .written").allInnerTexts();
    assert.match(one, /^Água fria/);
    assert.match(other, /^Água morna/);
    assert.ok((await page.locator("#comparar .diff del").count()) > 0);
    await page.locator("#comparar").scrollIntoViewIfNeeded();
    await fit(page, "piece-captions-compared");
    await page.context().close();
  });
}

test("what is entered while a page loads its module is kept", async () => {
  const page = await stage.signedIn();
  const id = await createDemand("Antes do módulo");
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route("**/editor.*.js", async (route) => {
    await released;
    await route.continue();
  });
  const opened = page.goto(`${stage.demo.url}/eventos/${id}`);
  const text = page.getByLabel("Texto", { exact: true });
  await text.fill("Cedo demais");
  await page.setInputFiles("input[type=file]", { name: "foto.png", mimeType: "image/png", buffer: createPng(300, 200) });
  release();
  await opened;
  await page.locator("#contagem", { hasText: "11 de 2.200 caracteres" }).waitFor();
  await page.getByRole("button", { name: "Enviar arquivo" }).click();
  await page.locator("#midia-1 img").waitFor();
  assert.equal(await text.inputValue(), "Cedo demais");
  await page.context().close();
});

test("an upload shows its progress, and the text beside it stays", async () => {
  const page = await stage.signedIn();
  const id = await createDemand("Com imagem");
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  const text = page.getByLabel("Texto", { exact: true });
  await text.fill("Ainda não gravado");
  const file = { name: "foto.png", mimeType: "image/png", buffer: createPng(300, 200) };
  await page.setInputFiles("input[type=file]", file);
  await page.getByRole("button", { name: "Enviar arquivo" }).click();
  await page.locator("#midia-1 img").waitFor();
  assert.equal(await text.inputValue(), "Ainda não gravado");
  await page.getByRole("button", { name: "Salvar rascunho" }).click();
  await page.getByText("Rascunho salvo.").waitFor(); // the answer folds the form of files
  await waitForEvent(id, (event) => event.description === "Ainda não gravado");
  await page.getByText("Enviar arquivo").first().click();
  await page.setInputFiles("input[type=file]", { name: "x.png", mimeType: "image/png", buffer: Buffer.from("texto") });
  await page.getByRole("button", { name: "Enviar arquivo" }).click();
  await page.getByText("O arquivo não é PNG").waitFor();
  await page.context().close();
});

test("several files are chosen, dropped and pasted, and each refusal is shown beside its file", async () => {
  const page = await stage.signedIn({ width: 360 });
  const id = await createDemand("Com várias imagens");
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  const photo = (name, width) => ({ name, mimeType: "image/png", buffer: createPng(width, 60) });
  const wrong = { name: "planilha.png", mimeType: "image/png", buffer: Buffer.from("texto") };
  await page.setInputFiles("input[type=file][multiple]", [photo("uma.png", 50), wrong]); // the script sets `multiple`
  // Dropped and pasted files are added to those that were chosen.
  const base64 = [photo("solta.png", 70), photo("colada.png", 80)].map(({ buffer }) => buffer.toString("base64"));
  await page.evaluate(([dropped, pasted]) => {
    const carried = (name, text) => {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      const carried = new DataTransfer();
      carried.items.add(new File([bytes], name, { type: "image/png" }));
      return carried;
    };
    const main = document.querySelector("main");
    const options = { bubbles: true, cancelable: true };
    const transfer = carried("solta.png", dropped);
    main.dispatchEvent(new DragEvent("dragover", { ...options, dataTransfer: transfer }));
    main.dispatchEvent(new DragEvent("drop", { ...options, dataTransfer: transfer }));
    main.dispatchEvent(new ClipboardEvent("paste", { ...options, clipboardData: carried("colada.png", pasted) }));
  }, base64);
  await fit(page, "files-chosen");
  await page.getByRole("button", { name: "Enviar 4 arquivos" }).click();
  await page.locator("#midia-3 img").waitFor();
  await page.getByText("3 de 4 arquivos enviados.").waitFor(); // images are shown before the last upload ends
  const row = page.locator("[data-files] > li");
  await row.getByText("O arquivo não é PNG").waitFor();
  assert.equal(await row.count(), 1);
  assert.match(await row.textContent(), /planilha\.png/);
  await fit(page, "files-refused");
  assert.equal((await read(id)).media.length, 3);
  await page.getByRole("button", { name: "Tirar planilha.png da lista" }).click();
  assert.equal(await row.count(), 0);
  await page.context().close();
});

test("the form of a generated image opens with its text and style, and generates it again in its place", async () => {
  const page = await stage.signedIn({ width: 360 });
  const id = await createDemand("Com arte");
  const asked = { event_id: id, prompt: "Pertencer é chegarr", style: "vibrante", size: "1000x1000" };
  await stage.demo.call("POST", "/api/art", asked);
  await stage.demo.call("POST", "/api/art", { event_id: id, prompt: "Outra", slide_index: 1 });
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  await page.getByRole("link", { name: "Corrigir a imagem 1" }).click();
  const form = page.locator("#gerar-imagem");
  const text = form.getByLabel("Texto ou descrição da imagem");
  await form.locator("summary", { hasText: "Corrigir a imagem 1" }).waitFor();
  assert.equal(await text.inputValue(), "Pertencer é chegarr");
  assert.equal(await form.locator("[name=style]").inputValue(), "vibrante");
  assert.equal(await form.locator("[name=size]").inputValue(), "1000x1000");
  await text.fill("Pertencer é chegar");
  await form.locator("img[data-drawn]:not(.old)").waitFor();
  await fit(page, "image-corrected");
  await form.getByRole("button", { name: "Gerar de novo" }).click();
  const event = await waitForEvent(id, (event) => event.api_revision === 4);
  assert.deepEqual(event.media.map(({ alt }) => alt), ["Pertencer é chegar", "Outra"]);
  await page.context().close();
});

test("a decision waits five seconds and can be undone, and the next piece is shown", async () => {
  const first = await submitPiece("Primeira da fila", "Legenda um", 1);
  const second = await submitPiece("Segunda da fila", "Legenda dois", 2);
  const page = await stage.signedIn();
  await page.goto(`${stage.demo.url}/aprovacoes`);
  await page.getByRole("heading", { name: "Primeira da fila" }).waitFor();
  await page.getByRole("button", { name: /^Aprovar\s*A?$/ }).click();
  await page.getByRole("heading", { name: "Segunda da fila" }).waitFor();
  await page.getByRole("button", { name: "Desfazer" }).click();
  await page.getByRole("heading", { name: "Primeira da fila" }).waitFor();
  assert.equal((await read(first)).status, "em aprovação");
  await page.getByRole("button", { name: /^Aprovar\s*A?$/ }).click();
  await page.getByRole("heading", { name: "Segunda da fila" }).waitFor();
  await waitForEvent(first, (event) => event.status === "aprovado");

  await page.locator("summary", { hasText: "Recusar" }).click();
  await page.getByRole("button", { name: "Recusar com este motivo" }).click();
  await page.getByText("Diga o motivo, para quem vai refazer.").waitFor();
  await page.getByLabel("Fora do tom da marca.").check();
  await page.getByRole("button", { name: "Recusar com este motivo" }).click();
  await waitForEvent(second, (event) => event.status === "recusado");
  await page.context().close();
});

test("a decision about a piece that has changed shows both versions", async () => {
  const id = await submitPiece("Mudou no meio", "Antes", 1);
  const page = await stage.signedIn();
  await page.goto(`${stage.demo.url}/aprovacoes?evento=${id}`);
  await page.getByRole("button", { name: /^Aprovar\s*A?$/ }).click();
  await stage.demo.call("POST", `/api/eventos/${id}/reabrir`, { expected_revision: 2 });
  await stage.demo.call("POST", "/api/enviar", { event_id: id, expected_revision: 3, caption: "Depois" });
  await page.getByRole("link", { name: "Ver as duas versões" }).click();
  await page.getByRole("heading", { name: "A peça mudou antes da sua decisão" }).waitFor();
  await page.getByText("Antes", { exact: true }).first().waitFor();
  assert.equal((await read(id)).status, "em aprovação");
  await page.context().close();
});

test("reading, writing and deciding work without JavaScript", async () => {
  const id = await createDemand("Sem script");
  const page = await stage.signedIn({ width: 360, javaScriptEnabled: false });
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  await page.getByLabel("Texto", { exact: true }).fill("Escrita sem script");
  await page.getByRole("button", { name: "Enviar para aprovação" }).click();
  await page.getByText("Peça enviada para aprovação.").waitFor();
  assert.equal((await read(id)).status, "em aprovação");
  await page.getByRole("link", { name: "Aprovar ou recusar" }).click();
  await page.getByRole("button", { name: "Aprovar", exact: true }).click();
  await page.getByText("Decisão registrada.").waitFor();
  assert.equal((await read(id)).status, "aprovado");
  await page.context().close();
});

test("an image is previewed while its text is typed, and a refusal is shown beside it", async () => {
  const page = await stage.signedIn();
  const id = await createDemand("Com prévia");
  const asked = [];
  page.on("request", (request) => request.url().includes("/previa?") && asked.push(new URL(request.url())));
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  await page.locator("summary", { hasText: "Gerar imagem" }).click();
  const art = page.locator("#gerar-imagem");
  await art.getByLabel("Texto ou descrição da imagem").pressSequentially("Pertencer é chegar");
  await art.locator("img[data-drawn]:not(.old)").waitFor();
  await page.waitForFunction(() => document.querySelector("#gerar-imagem img[data-drawn]").naturalWidth === 512);
  assert.equal(asked.at(-1).searchParams.get("text"), "Pertencer é chegar");
  assert.ok(asked.length < 6, `${asked.length} requests for one sentence`);
  await art.getByLabel("Tamanho").selectOption("1080x1080");
  await page.waitForFunction(() => document.querySelector("#gerar-imagem img[data-drawn]").naturalWidth === 640);
  await fit(page, "piece-preview");
  await art.getByLabel("Texto ou descrição da imagem").fill("Fotografia de um cachorro correndo na praia");
  await art.getByText("O texto parece a descrição de uma imagem").waitFor();
  assert.ok(await art.locator("img[data-drawn]").isHidden());

  await page.locator("summary", { hasText: "Gerar carrossel" }).click();
  const carousel = page.locator("#gerar-carrossel");
  await carousel.getByLabel("Card 1", { exact: true }).fill("Um");
  await carousel.getByLabel("Card 2", { exact: true }).fill("Linha\n".repeat(150));
  await carousel.getByText("O texto não cabe no menor corpo legível").waitFor();
  await carousel.getByLabel("Card 2", { exact: true }).fill("Dois");
  await page.waitForFunction(() => document.querySelectorAll("#gerar-carrossel img[data-drawn]:not([hidden]):not(.old)").length === 2);
  assert.equal(asked.at(-1).searchParams.get("pages"), "2");
  await fit(page, "carousel-preview");
  assert.deepEqual((await read(id)).media, []);
  await page.context().close();
});

test("without JavaScript a button shows the preview in the page", async () => {
  const id = await createDemand("Prévia sem script");
  const page = await stage.signedIn({ width: 360, javaScriptEnabled: false });
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  await page.locator("summary", { hasText: "Gerar imagem" }).click();
  await page.getByLabel("Texto ou descrição da imagem").fill("Pertencer");
  await page.locator("#gerar-imagem").getByRole("button", { name: "Pré-visualizar" }).click();
  await page.locator("#gerar-imagem img[data-drawn]").waitFor();
  assert.equal(await page.getByLabel("Texto ou descrição da imagem").inputValue(), "Pertencer");
  await page.context().close();
});

/** Creates an approved piece with two images; returns its id. */
async function createApproved(page, title, caption) {
  const id = await createDemand(title);
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  const files = [1, 2].map((n) => ({ name: `${n}.png`, mimeType: "image/png", buffer: createPng(100 + n, 125) }));
  // The script lets the field take several files.
  await page.setInputFiles("input[type=file][multiple]", files);
  await page.getByRole("button", { name: /^Enviar/ }).first().click();
  const event = await waitForEvent(id, ({ media }) => media.length === 2);
  const send = { event_id: id, expected_revision: event.api_revision, caption };
  const date = { day: 24, month: 12, year: 2030 };
  await stage.demo.call("POST", "/api/enviar", { ...send, ...date });
  await stage.demo.call("POST", "/api/aprovar", { event_id: id, action: "aprovar" });
  return id;
}

for (const look of LOOKS) {
  test(`a piece is published by hand: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const caption = "Pão de queijo 🍞\n\nשלום <b>não é negrito</b>";
    const id = await createApproved(page, "Pão de queijo: o começo", caption);
    await page.goto(`${stage.demo.url}/eventos/${id}#publicar`);
    // Without a connected account, the page offers no automatic publishing.
    await page.getByText("A Pauta publica no Instagram na hora marcada").waitFor();
    assert.equal(await page.getByRole("link", { name: "Publicar no" }).count(), 0);
    await page.evaluate(() => document.querySelectorAll("#publicar details").forEach((details) => (details.open = true)));
    await fit(page, "publish-by-hand");

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Baixar tudo" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "Pão de queijo o começo.zip");
    const names = await zipNames(download);
    assert.deepEqual(names, ["01 Pão de queijo o começo.png", "02 Pão de queijo o começo.png", "legenda.txt"]);

    await page.getByRole("button", { name: "Copiar legenda" }).click();
    await page.getByText("Copiado.").waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), caption);

    // An invalid link is refused with a message, and the field keeps the typed text.
    const link = page.getByLabel("Link do post");
    await page.evaluate(() => document.querySelector("#publicar form").setAttribute("novalidate", ""));
    await link.fill("javascript:alert(1)//https://");
    await page.getByRole("button", { name: "Já publiquei" }).click();
    await page.getByText("precisa ser um link que começa com https://").waitFor();
    assert.equal(await link.inputValue(), "javascript:alert(1)//https://");
    await fit(page, "publish-by-hand-refused");
    await link.fill("https://www.instagram.com/p/C9aPao/?igsh=1");
    await page.getByRole("button", { name: "Já publiquei" }).click();
    await page.getByRole("link", { name: "Ver o post em instagram.com" }).waitFor();
    await page.getByText("Post registrado.").waitFor();
    const event = await read(id);
    assert.deepEqual([event.status, event.post_url], ["publicado", "https://www.instagram.com/p/C9aPao/?igsh=1"]);
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    await fit(page, "published-by-hand");
    await page.context().close();
  });
}

test("a piece is published by hand without a script", async () => {
  const scripted = await stage.signedIn();
  const id = await createApproved(scripted, "Sem script", "Uma legenda");
  await scripted.context().close();
  const page = await stage.signedIn({ javaScriptEnabled: false }, `/eventos/${id}`);
  assert.ok(await page.getByRole("button", { name: "Copiar legenda" }).isHidden());
  assert.equal(await page.getByLabel("Copie a legenda").inputValue(), "Uma legenda");
  await page.getByLabel("Link do post").fill("https://instagram.com/p/2");
  await page.getByRole("button", { name: "Já publiquei" }).click();
  await page.getByRole("link", { name: "Ver o post em instagram.com" }).waitFor();
  assert.equal((await read(id)).status, "publicado");
  await page.context().close();
});

/** The names of the files in a downloaded archive, from its central directory. */
async function zipNames(download) {
  const stream = await download.createReadStream();
  const parts = [];
  for await (const part of stream) parts.push(part);
  const bytes = Buffer.concat(parts);
  const names = [];
  for (let at = bytes.indexOf("PK\x01\x02"); at >= 0; at = bytes.indexOf("PK\x01\x02", at + 46)) {
    names.push(bytes.toString("utf8", at + 46, at + 46 + bytes.readUInt16LE(at + 28)));
  }
  return names;
}

for (const look of LOOKS) {
  test(`a piece is previewed in each format of its network: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look);
    const id = await createApproved(page, "Prévia", "Começo. ".repeat(20));
    const shown = () => page.locator(".form-preview:visible").getAttribute("data-form");
    const shape = async (of) => {
      const { width, height } = await page.locator(`.form-preview:visible ${of}`).first().boundingBox();
      return width / height;
    };
    for (const channel of ["instagram", "facebook", "youtube", "tiktok", "x", "linkedin", "newsletter"]) {
      const { api_revision, channel: now } = await read(id);
      const change = { expected_revision: api_revision, channel };
      if (now !== channel) await stage.demo.call("PATCH", `/api/eventos/${id}`, change);
      await page.goto(`${stage.demo.url}/eventos/${id}`);
      const forms = page.locator(".previews [name^=forma-]");
      for (const form of await forms.all()) {
        await form.check();
        assert.equal(await shown(), await form.getAttribute("value"));
        await fit(page, `preview-${channel}-${await shown()}`);
        if (["story", "reel", "short"].includes(await shown())) assert.ok(Math.abs((await shape(".screen")) - 9 / 16) < 0.02);
      }
      if ((await forms.count()) === 0) await fit(page, `preview-${channel}`);
    }
    await page.context().close();
  });
}

test("the format of a preview can be chosen with the keyboard, and without a script", async () => {
  const scripted = await stage.signedIn();
  const id = await createApproved(scripted, "Prévia por teclas", "Uma legenda");
  await scripted.context().close();
  const page = await stage.signedIn({ javaScriptEnabled: false }, `/eventos/${id}`);
  await page.getByRole("radio", { name: "Feed 4:5" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator(".form-preview:visible").getAttribute("data-form"), "quadrado");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator(".form-preview:visible").getAttribute("data-form"), "story");
  assert.equal(await page.locator(".form-preview:visible figcaption").count(), 0);
  await page.context().close();
});
