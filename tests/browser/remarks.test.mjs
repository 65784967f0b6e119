// Remarks on a piece: written, answered and resolved on its page and in the inbox, with and without scripts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const CAPTION = "Água fria, massa lisa, forno quente.\nMassa lisa é tudo.";

/** Creates a piece with an image; returns its id. */
async function createPiece(title) {
  const id = (await stage.demo.call("POST", "/api/demanda", { title })).event_id;
  await stage.demo.call("POST", "/api/draft", { event_id: id, expected_revision: 1, caption: CAPTION });
  await stage.demo.call("POST", "/api/art", { event_id: id, prompt: title, size: "540x675" });
  return id;
}

const read = (id) => stage.demo.call("GET", `/api/eventos/${id}`);
const list = async (id, state = "aberto") =>
  (await stage.demo.call("GET", `/api/comentarios?event_id=${id}&estado=${state}`)).comentarios;
const remark = (call, id, texto, more = {}) => call("POST", `/api/eventos/${id}/comentarios`, { texto, ...more });

async function submit(id, more = {}) {
  const { evento } = await read(id);
  await stage.demo.call("POST", "/api/enviar", { event_id: id, expected_revision: evento.api_revision, ...more });
}

/** Writes threads of every kind on the piece. */
async function discuss(id) {
  const { call } = stage.demo;
  const [medium] = (await read(id)).evento.media;
  const bia = await stage.demo.member("Bia Conceição", "lider");
  const about = { ancora: { tipo: "legenda", trecho: "massa lisa" }, mencoes: [bia.id] };
  const first = await remark(call, id, "Lisa ou \"lisinha\"?\nVeja https://example.com/receita.", about);
  await remark(bia.call, id, "Lisa.", { responde_a: first.id });
  const spot = { tipo: "imagem", media_id: medium.id, x: 0.2, y: 0.3, largura: 0.4, altura: 0.2 };
  await remark(bia.call, id, "A letra some no fundo.", { ancora: spot });
  await remark(bia.call, id, `<b>${"palavra-muito-longa-".repeat(12)}</b> \u202Eשלום 🍞`);
  return first.id;
}

for (const look of LOOKS) {
  test(`remarks fit: ${look.width} px, ${look.colorScheme}`, async () => {
    const id = await createPiece("Pão de todo dia");
    const first = await discuss(id);
    const page = await stage.signedIn(look, `/eventos/${id}`);
    await page.locator(".remarks").scrollIntoViewIfNeeded();
    assert.equal(await page.locator(".remarks .thread").count(), 3);
    const link = page.locator(".remarks").getByRole("link", { name: "https://example.com/receita" });
    assert.equal(await link.getAttribute("href"), "https://example.com/receita");
    assert.match(await link.getAttribute("rel"), /noreferrer/);
    await fit(page, "remarks");
    for (const name of ["Onde, e para quem", "Responder", "Editar"]) {
      await page.locator(".remarks summary", { hasText: name }).first().click();
    }
    await fit(page, "remarks-open");
    await submit(id, { comentarios_respondidos: [first], caption: CAPTION.replace("massa lisa", "massa bem lisinha") });
    await page.goto(`${stage.demo.url}/aprovacoes?evento=${id}`);
    // Beside the remark stands what became of its passage.
    const changed = page.locator(".remarks .then-now");
    assert.equal(await changed.locator("del").innerText(), "lisa,");
    assert.match(await changed.locator("ins").allInnerTexts().then((texts) => texts.join("")), /lisinha/);
    await page.locator("summary", { hasText: "Pedir ajustes" }).click();
    await fit(page, "remarks-inbox");
    await page.context().close();
  });
}

for (const look of LOOKS) {
  test(`my mentions fit: ${look.width} px, ${look.colorScheme}`, async () => {
    const id = await createPiece("Bolo de rolo");
    const bia = await stage.demo.member(`Bia ${look.width} ${look.colorScheme}`, "lider");
    const about = { ancora: { tipo: "legenda", trecho: "forno quente" }, mencoes: [bia.id] };
    const { id: thread } = await remark(stage.demo.call, id, "Qual forno? https://example.com/forno", about);
    await remark(stage.demo.call, id, `Sem menção ${"palavra-muito-longa-".repeat(6)}`, { responde_a: thread });
    await remark(stage.demo.call, id, "De outro assunto");
    const page = await stage.signedIn(look, "/notificacoes", bia);
    await page.getByRole("link", { name: "Menções" }).click();
    await page.getByRole("heading", { level: 1, name: "Menções" }).waitFor();
    assert.equal(await page.locator(".thread").count(), 1);
    assert.equal(await page.locator(".thread .remark").count(), 2);
    await fit(page, "mentions");
    await page.getByRole("link", { name: "Responder em “Bolo de rolo”" }).click();
    await page.waitForURL(new RegExp(`/eventos/${id}#conversa-${thread}$`));
    await bia.call("PATCH", `/api/comentarios/${thread}`, { resolvido: true });
    await page.goto(`${stage.demo.url}/mencoes`);
    await page.getByText("Nenhuma conversa em aberto menciona você.").waitFor();
    await fit(page, "mentions-none");
    await page.getByRole("link", { name: "Resolvidas" }).click();
    await page.locator(".thread", { hasText: "Qual forno?" }).waitFor();
    await page.context().close();
  });
}

test("an answer mentions people", async () => {
  const id = await createPiece("Quindim");
  const bia = await stage.demo.member("Bia do quindim", "lider");
  const { id: thread } = await remark(bia.call, id, "E o coco?");
  const page = await stage.signedIn({}, `/eventos/${id}`);
  const section = page.locator(`#conversa-${thread}`);
  await section.locator(".thread-tools > details > summary", { hasText: "Responder" }).click();
  await section.locator(".thread-tools textarea").fill("Veja isto");
  await section.locator("summary", { hasText: "Mencionar alguém" }).click();
  await section.getByRole("checkbox", { name: "Bia do quindim" }).check();
  await fit(page, "answer-mention");
  await section.getByRole("button", { name: "Responder" }).click();
  await section.locator(".answers", { hasText: "Para Bia do quindim." }).waitFor();
  const mentioned = (await list(id)).map(({ mencoes }) => (mencoes ?? []).map(({ id }) => id));
  assert.deepEqual(mentioned, [[], [bia.id]]);
  await page.context().close();
});

test("a remark is written, answered, edited, resolved and removed", async () => {
  const id = await createPiece("Broa");
  const page = await stage.signedIn({}, `/eventos/${id}`);
  const section = page.locator(".remarks");
  await section.getByLabel("Novo comentário").fill("Qual forno?");
  await section.locator("summary", { hasText: "Onde, e para quem" }).click();
  await section.getByLabel("Sobre").selectOption("legenda");
  await section.getByLabel("O trecho, copiado da legenda").fill("forno quente");
  await section.getByRole("button", { name: "Comentar" }).click();
  await section.locator("blockquote", { hasText: "forno quente" }).waitFor();
  const [written] = await list(id);
  assert.equal(written.ancora.posicao, CAPTION.indexOf("forno quente"));

  await section.locator(".thread-tools > details > summary").click();
  await section.locator(".thread-tools textarea").fill("A 220 graus.");
  await section.getByRole("button", { name: "Responder" }).click();
  await section.locator(".answers", { hasText: "A 220 graus." }).waitFor();
  await section.locator(".own-tools summary", { hasText: "Editar" }).first().click();
  await section.locator(".own-tools textarea").first().fill("Qual forno, e quente quanto?");
  await section.getByRole("button", { name: "Salvar" }).first().click();
  await section.locator(".written", { hasText: "quente quanto" }).waitFor();
  // The live stream may show a change before the answer to its form, which folds the sections that were opened meanwhile.
  for (const [name, opened] of [["Resolver"], ["Reabrir", "1 conversa resolvida"]]) {
    await page.goto(`${stage.demo.url}/eventos/${id}`); // the confirmation of the change before is gone
    if (opened) await section.locator("summary", { hasText: opened }).click();
    await section.getByRole("button", { name }).click();
    await page.getByText("Comentário atualizado.").waitFor();
  }
  await section.getByRole("button", { name: "Resolver" }).waitFor();
  await section.locator(".own-tools summary", { hasText: "Remover" }).first().click();
  await section.getByRole("button", { name: "Remover o comentário" }).first().click();
  await section.locator(".thread", { hasText: "Comentário removido." }).waitFor();
  await fit(page, "remark-removed");
  const texts = (await list(id)).map(({ texto }) => texto);
  assert.deepEqual(texts, [null, "A 220 graus."]);
});

test("a passage that is not in the caption is refused beside the form, and the text stays", async () => {
  const id = await createPiece("Cuscuz");
  const page = await stage.signedIn({}, `/eventos/${id}`);
  const section = page.locator(".remarks");
  await section.getByLabel("Novo comentário").fill("Onde está?");
  await section.locator("summary", { hasText: "Onde, e para quem" }).click();
  await section.getByLabel("O trecho, copiado da legenda").fill("não está aqui");
  await section.getByRole("button", { name: "Comentar" }).click();
  await section.locator(".outcome .notice", { hasText: "O trecho" }).waitFor();
  assert.equal(await section.getByLabel("Novo comentário").inputValue(), "Onde está?");
  assert.deepEqual(await list(id), []);
});

test("an open page shows the remarks of others, and keeps what is typed", async () => {
  const id = await createPiece("Curau");
  const bia = await stage.demo.member("Bia", "lider");
  const page = await stage.signedIn({}, `/eventos/${id}`);
  await page.waitForTimeout(500);
  await remark(bia.call, id, "Chegou agora");
  await page.locator(".remarks .thread", { hasText: "Chegou agora" }).waitFor();
  const field = page.locator(".remarks").getByLabel("Novo comentário");
  await field.fill("Ainda escrevendo");
  await remark(bia.call, id, "Chegou depois");
  await page.getByText("Bia mudou esta peça.").waitFor();
  assert.equal(await field.inputValue(), "Ainda escrevendo");
});

test("an open inbox shows the remarks of others, and keeps what is typed", async () => {
  const id = await createPiece("Mingau");
  await submit(id);
  const bia = await stage.demo.member("Bia do mingau", "lider");
  const page = await stage.signedIn({}, `/aprovacoes?evento=${id}`);
  await page.waitForTimeout(500);
  await remark(bia.call, id, "Chegou agora");
  await page.locator(".remarks .thread", { hasText: "Chegou agora" }).waitFor();
  const field = page.locator(".remarks").getByLabel("Novo comentário");
  await field.fill("Ainda escrevendo");
  await remark(bia.call, id, "Chegou depois");
  await page.getByText("Bia do mingau mudou esta peça.").waitFor();
  assert.equal(await field.inputValue(), "Ainda escrevendo");
  await page.context().close();
});

test("in the inbox, c focuses the field, and changes are requested with the open remarks", async () => {
  const id = await createPiece("Canjica fria");
  await submit(id);
  const page = await stage.signedIn({}, `/aprovacoes?evento=${id}`);
  await page.keyboard.press("c");
  await page.keyboard.type("c de canela");
  const section = page.locator(".remarks");
  assert.equal(await section.getByLabel("Novo comentário").inputValue(), "c de canela");
  await section.getByRole("button", { name: "Comentar" }).click();
  await section.locator(".thread", { hasText: "c de canela" }).waitFor();
  await page.locator("h1").click();
  await page.keyboard.press("p");
  await page.getByRole("button", { name: "Pedir ajustes" }).last().click();
  await page.locator(".toast", { hasText: "Ajustes pedidos" }).waitFor();
  let status;
  for (let turn = 0; turn < 100 && status !== "recusado"; turn += 1) {
    status = (await read(id)).evento.status;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.equal(status, "recusado");
  assert.equal((await read(id)).historico[0].changes.decision.after, "pedir_ajustes");

  // The next version names what it answers.
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  await page.locator(".notice", { hasText: "Ajustes pedidos por" }).waitFor();
  await page.locator("summary", { hasText: "O que esta versão atende" }).click();
  await page.getByLabel("c de canela").check();
  await page.getByRole("button", { name: "Enviar para aprovação" }).click();
  await page.locator(".notice.wait", { hasText: "Espera uma decisão" }).waitFor();
  await page.goto(`${stage.demo.url}/aprovacoes?evento=${id}`);
  await page.locator(".remarks", { hasText: "A versão enviada atende 1." }).waitFor();
});

/** Writes a remark about the first image of the piece; returns the section of the remarks, and the shown image. */
async function writeAboutImage(page, text) {
  const section = page.locator(".remarks");
  await section.getByLabel("Novo comentário").fill(text);
  await section.locator("summary", { hasText: "Onde, e para quem" }).click();
  await section.getByLabel("Sobre").selectOption({ label: "a imagem 1" });
  const image = section.locator("[data-spot] img");
  await image.evaluate((shown) => shown.decode());
  return { section, image };
}

test("a remark is about the point of an image that is pressed", async () => {
  const id = await createPiece("Tapioca");
  const page = await stage.signedIn({}, `/eventos/${id}`);
  const { section, image } = await writeAboutImage(page, "O título toca a borda.");
  const { width, height } = await image.boundingBox();
  await section.locator("[data-spot]").click({ position: { x: width / 4, y: (height * 3) / 4 } });
  await section.locator("[data-spot] circle:not([hidden])").waitFor();
  await fit(page, "remark-point");
  await section.getByRole("button", { name: "Comentar" }).click();
  await section.locator(".thread .spot circle").waitFor();
  const [{ ancora }] = await list(id);
  assert.ok(Math.abs(ancora.x - 0.25) < 0.01 && Math.abs(ancora.y - 0.75) < 0.01, JSON.stringify(ancora));
  assert.equal(ancora.largura ?? null, null);
  await page.context().close();
});

test("a remark is about the area of an image that is dragged over", async () => {
  const id = await createPiece("Curau");
  const page = await stage.signedIn({}, `/eventos/${id}`);
  const { section, image } = await writeAboutImage(page, "Esta parte está escura.");
  await image.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await image.boundingBox();
  // From the lower right corner of the area to the upper left one.
  await page.mouse.move(x + width * 0.75, y + height * 0.5);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.5, y + height * 0.3);
  await page.mouse.move(x + width * 0.25, y + height * 0.1);
  await page.mouse.up();
  await section.locator("[data-spot] rect:not([hidden])").waitFor();
  assert.equal(await section.locator("[data-spot] circle:not([hidden])").count(), 0);
  await fit(page, "remark-area");
  await section.getByRole("button", { name: "Comentar" }).click();
  await section.locator(".thread .spot rect").waitFor();
  const [{ ancora }] = await list(id);
  for (const [name, part] of Object.entries({ x: 0.25, y: 0.1, largura: 0.5, altura: 0.4 })) {
    assert.ok(Math.abs(ancora[name] - part) < 0.01, JSON.stringify(ancora));
  }
  await page.context().close();
});

test("remarks work without scripts", async () => {
  const id = await createPiece("Pamonha");
  const page = await stage.signedIn({ javaScriptEnabled: false }, `/eventos/${id}`);
  const section = page.locator(".remarks");
  await section.getByLabel("Novo comentário").fill("Sem scripts");
  await section.getByRole("button", { name: "Comentar" }).click();
  await page.waitForURL(/feito=add_remark/);
  await section.locator(".thread", { hasText: "Sem scripts" }).waitFor();
  await section.getByRole("button", { name: "Resolver" }).click();
  await page.waitForURL(/feito=update_remark/);
  assert.deepEqual(await list(id), []);
  assert.equal((await list(id, "resolvido")).length, 1);

  // A point is typed in percent. Half a point is refused.
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  await section.getByLabel("Novo comentário").fill("No canto");
  await section.locator("summary", { hasText: "Onde, e para quem" }).click();
  await section.getByLabel("Sobre").selectOption({ label: "a imagem 1" });
  await section.getByLabel("% da esquerda").fill("12.5");
  await section.getByRole("button", { name: "Comentar" }).click();
  await page.getByRole("heading", { name: "O comentário não foi gravado" }).waitFor();
  await page.goBack();
  await section.locator("summary", { hasText: "Onde, e para quem" }).click();
  await section.getByLabel("% da esquerda").fill("");
  await section.getByLabel("% de largura").fill("20");
  await section.getByRole("button", { name: "Comentar" }).click();
  await page.getByRole("heading", { name: "O comentário não foi gravado" }).waitFor();
  await page.goBack();
  await section.locator("summary", { hasText: "Onde, e para quem" }).click();
  await section.getByLabel("% da esquerda").fill("12.5");
  await section.getByLabel("% de largura").fill("");
  await section.getByLabel("% do topo").fill("100");
  await section.getByRole("button", { name: "Comentar" }).click();
  await page.waitForURL(/feito=add_remark/);
  const [{ ancora }] = await list(id);
  assert.deepEqual([ancora.x, ancora.y], [0.125, 1]);
});
