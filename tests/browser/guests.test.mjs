// Guests: a link made in the console, and its pages on a phone, without scripts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const PHONE = { width: 360, javaScriptEnabled: false, hasTouch: true, isMobile: true };

/** A piece in approval with two images; returns its id. */
async function submitPiece(title) {
  const { call } = stage.demo;
  const id = (await call("POST", "/api/demanda", { title })).event_id;
  await call("POST", "/api/art", { event_id: id, prompt: title, size: "540x675" });
  await call("POST", "/api/art", { event_id: id, prompt: `${title}, outra`, size: "540x675", slide_index: 1 });
  const { evento } = await read(id);
  const caption = `Água fria, massa lisa.\n#pão <b>${"muito-longa-".repeat(9)}</b> \u202Eשלום 🍞`;
  await call("POST", "/api/enviar", { event_id: id, expected_revision: evento.api_revision, caption, day: 20, month: 1, year: 2031 });
  return id;
}

const read = (id) => stage.demo.call("GET", `/api/eventos/${id}`);

async function createLink(pecas, more = {}) {
  const made = await stage.demo.call("POST", "/api/convidados", { nome: "Beatriz Rocha", contato: "bia@cliente.test", direito: "decidir", pecas, ...more });
  return { ...made, path: new URL(made.url).pathname };
}

/** Threads about a point, a rectangle and a passage of the caption, written through the link. */
async function discussAsGuest(path, id) {
  const { evento } = await read(id);
  const [medium] = evento.media;
  const post = async (texto, ancora) => {
    const sent = await fetch(`${stage.demo.url}/api/convidado/comentarios`, {
      method: "POST",
      headers: { authorization: `Bearer svc_guest_${path.split("/").pop()}`, "content-type": "application/json" },
      body: JSON.stringify({ event_id: id, api_revision: evento.api_revision, texto, ancora }),
    });
    assert.equal(sent.status, 200, await sent.text());
  };
  const spot = { tipo: "imagem", media_id: medium.id, x: 0.3, y: 0.4 };
  await post("A letra some no fundo.", spot);
  await post("Esta faixa está escura.", { ...spot, largura: 0.5, altura: 0.2 });
  await post(`Lisa ou <i>lisinha</i>? ${"palavra-muito-longa-".repeat(8)}`, { tipo: "legenda", trecho: "massa lisa" });
}

for (const look of LOOKS) {
  test(`the pages of a guest fit: ${look.width} px, ${look.colorScheme}`, async () => {
    const id = await submitPiece("Pão de todo dia");
    await stage.demo.call("POST", `/api/eventos/${id}/comentarios`, { texto: "Pode ser assim? Veja https://example.com/receita.", publico: "convidados" });
    const { path } = await createLink([id]);
    await discussAsGuest(path, id);
    const page = await stage.page(look);
    await page.goto(stage.demo.url + path);
    await page.getByRole("heading", { name: "Pão de todo dia" }).waitFor();
    await fit(page, "guest");
    assert.equal(await page.locator(".thread .spot circle").count(), 1);
    assert.equal(await page.locator(".thread .spot rect").count(), 1);
    for (const name of ["Pedir ajustes", "Comentar", "Responder", "Editar", "Remover"]) {
      await page.locator("summary", { hasText: name }).first().click();
    }
    await fit(page, "guest-open");
    await page.getByRole("link", { name: "Comentar nesta imagem" }).first().click();
    await page.getByText("Toque na imagem").waitFor();
    await fit(page, "guest-spot");
    await page.locator("input[type=image]").click({ position: { x: 60, y: 90 } });
    await page.locator(".spot circle").waitFor();
    await fit(page, "guest-spot-point");
    await page.getByRole("link", { name: "Marcar uma área" }).click();
    await page.getByText("no canto oposto").waitFor();
    await page.locator("input[type=image]").click({ position: { x: 210, y: 300 } });
    await page.locator(".spot rect").waitFor();
    await fit(page, "guest-spot-area");
    const code = await createLink([id], { codigo: true });
    await page.goto(stage.demo.url + code.path);
    await page.getByLabel("Código").waitFor();
    await fit(page, "guest-code");
    await page.goto(`${stage.demo.url}/convidado/nada`);
    await page.getByRole("heading", { name: "Este link não abre" }).waitFor();
    await fit(page, "guest-refused");
    await page.context().close();
  });
}

test("on a phone without scripts a guest gives the code, comments on a point, approves one piece and sends another back", async () => {
  const first = await submitPiece("Primeira");
  const second = await submitPiece("Segunda");
  const { path, codigo } = await createLink([first, second], { codigo: true });
  const page = await stage.page(PHONE);
  await page.goto(stage.demo.url + path);
  await page.getByLabel("Código").fill(codigo);
  await page.getByRole("button", { name: "Continuar" }).tap();
  const piece = (title) => page.locator("article", { hasText: title });
  await piece("Primeira").getByRole("link", { name: "Comentar nesta imagem" }).first().tap();
  await page.locator("input[type=image]").tap({ position: { x: 60, y: 90 } });
  await page.getByLabel("Seu comentário").fill("A letra some aqui.");
  await page.getByRole("button", { name: "Enviar comentário" }).tap();
  await page.getByText("Comentário enviado.").waitFor();
  await piece("Primeira").locator(".remark .written", { hasText: "A letra some aqui." }).waitFor();
  await piece("Primeira").getByRole("button", { name: "Aprovar" }).tap();
  await page.getByText("Aprovado. Obrigado!").waitFor();
  await piece("Segunda").locator("summary", { hasText: "Pedir ajustes" }).tap();
  await piece("Segunda").getByLabel("O que mudar").fill("Troque a foto.");
  await piece("Segunda").getByRole("button", { name: "Enviar pedido de ajustes" }).tap();
  await page.getByText("Tudo respondido.").waitFor();
  assert.equal((await read(first)).evento.status, "aprovado");
  assert.equal((await read(second)).evento.status, "recusado");
  const { comentarios } = await stage.demo.call("GET", `/api/comentarios?event_id=${first}`);
  const { x, y } = comentarios[0].ancora;
  assert.ok(Math.abs(x - 0.2) < 0.02 && Math.abs(y - 0.24) < 0.02, `${x} ${y}`);
  await page.context().close();
});

test("on a phone without scripts a guest marks an area of an image with two taps", async () => {
  const id = await submitPiece("Curau");
  const { path } = await createLink([id], { direito: "comentar" });
  const page = await stage.page(PHONE);
  await page.goto(stage.demo.url + path);
  await page.getByRole("link", { name: "Comentar nesta imagem" }).first().tap();
  const image = page.locator("input[type=image]");
  await image.tap({ position: { x: 240, y: 75 } });
  await page.getByRole("link", { name: "Marcar uma área" }).tap();
  await page.getByText("no canto oposto").waitFor();
  await image.tap({ position: { x: 90, y: 225 } });
  await page.getByLabel("Seu comentário").fill("Esta parte está escura.");
  await page.getByRole("button", { name: "Enviar comentário" }).tap();
  await page.getByText("Comentário enviado.").waitFor();
  await page.locator(".thread .spot rect").waitFor();
  const { comentarios } = await stage.demo.call("GET", `/api/comentarios?event_id=${id}`);
  for (const [name, part] of Object.entries({ x: 0.3, y: 0.2, largura: 0.5, altura: 0.4 })) {
    assert.ok(Math.abs(comentarios[0].ancora[name] - part) < 0.02, JSON.stringify(comentarios[0].ancora));
  }
  await page.context().close();
});

test("on a phone without scripts a guest quotes the caption, corrects the remark and takes it back", async () => {
  const id = await submitPiece("Pudim");
  const { path } = await createLink([id], { direito: "comentar" });
  const page = await stage.page(PHONE);
  await page.goto(stage.demo.url + path);
  const piece = page.locator("article", { hasText: "Pudim" });
  await piece.locator("summary", { hasText: /^Comentar$/ }).tap();
  await piece.getByLabel("O trecho da legenda").fill("massa lisa");
  await piece.getByLabel("Seu comentário").fill("Qual mass?");
  await piece.getByRole("button", { name: "Enviar comentário" }).first().tap();
  await page.getByText("Comentário enviado.").waitFor();
  await piece.locator("blockquote", { hasText: "massa lisa" }).waitFor();
  await piece.locator(".own-tools summary", { hasText: "Editar" }).tap();
  await piece.getByLabel("Texto", { exact: true }).fill("Qual massa?");
  await piece.getByRole("button", { name: "Salvar" }).tap();
  await page.getByText("Comentário salvo.").waitFor();
  await piece.locator(".written", { hasText: "Qual massa?" }).waitFor();
  const list = async () => (await stage.demo.call("GET", `/api/comentarios?event_id=${id}`)).comentarios;
  assert.deepEqual((await list()).map(({ texto, convidado }) => [texto, convidado]), [["Qual massa?", true]]);
  await piece.locator(".own-tools summary", { hasText: "Remover" }).tap();
  await piece.getByRole("button", { name: "Remover o comentário" }).tap();
  await page.getByText("Comentário removido.").waitFor();
  assert.equal(await piece.locator(".thread").count(), 0);
  assert.deepEqual(await list(), []);
  await page.context().close();
});

for (const javaScriptEnabled of [false, true]) {
  test(`a guest decides ten pieces by touch, ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
    const titles = Array.from({ length: 10 }, (_, place) => `Peça ${place + 1}`);
    const ids = [];
    for (const title of titles) ids.push(await submitPiece(title));
    const { path } = await createLink(ids);
    const page = await stage.page({ ...PHONE, javaScriptEnabled });
    let taps = 0;
    const tap = async (target) => {
      taps += 1;
      await target.tap();
    };
    const began = performance.now();
    await page.goto(stage.demo.url + path);
    const left = async () => (await stage.demo.call("GET", "/api/aprovacoes?limit=100")).pendentes.filter(({ id }) => ids.includes(id)).length;
    for (const [place, title] of titles.entries()) {
      const piece = page.locator("article", { has: page.getByRole("heading", { name: title, exact: true }) });
      if (place === 3) {
        await tap(piece.locator("summary", { hasText: "Pedir ajustes" }));
        await piece.getByLabel("O que mudar").fill("Troque a segunda foto, por favor.");
        await tap(piece.getByRole("button", { name: "Enviar pedido de ajustes" }));
      } else {
        await tap(piece.getByRole("button", { name: "Aprovar" }));
      }
      const last = place === titles.length - 1;
      await page.getByText(last ? "Tudo respondido." : /Aprovado\. Obrigado!|Pedido de ajustes enviado/).first().waitFor();
      assert.equal(await left(), titles.length - place - 1);
    }
    const seconds = (performance.now() - began) / 1000;
    console.log(`ten pieces ${javaScriptEnabled ? "with" : "without"} scripts: ${taps} taps, ${seconds.toFixed(1)} s without reading`);
    // One for each approval, two for the piece that is sent back.
    assert.equal(taps, 11);
    const decided = await Promise.all(ids.map(read));
    assert.deepEqual(decided.map(({ evento }) => evento.status), titles.map((_, place) => (place === 3 ? "recusado" : "aprovado")));
    await page.context().close();
  });
}

for (const look of LOOKS) {
  test(`a lead makes a link, shares it and revokes it: ${look.width} px, ${look.colorScheme}`, async () => {
    const id = await submitPiece("Para mostrar");
    const page = await stage.signedIn(look, `/eventos/${id}`);
    await page.getByRole("link", { name: "Convidar alguém de fora" }).click();
    await page.getByRole("heading", { level: 1, name: "Convidados" }).waitFor();
    const name = `Cliente ${look.width} ${look.colorScheme}`;
    await page.getByLabel("Nome").fill(name);
    await page.getByLabel("E-mail ou telefone").fill("+55 11 91234-5678");
    await page.getByLabel("Pedir um código").check();
    await fit(page, "guest-links-form");
    await page.getByRole("button", { name: "Criar link" }).click();
    await page.getByRole("heading", { name: "Link criado" }).waitFor();
    await fit(page, "guest-link-made");
    const url = await page.textContent("#link");
    assert.match(await page.textContent("#codigo"), /^\d{6}$/);
    const share = new URL(await page.getByRole("link", { name: "Mandar pelo WhatsApp" }).getAttribute("href"));
    assert.ok(share.searchParams.get("text").endsWith(url));
    await page.getByRole("link", { name: "Já mandei" }).click();
    const card = page.locator("article", { hasText: name });
    await card.waitFor();
    assert.ok(!(await page.content()).includes(url));
    await fit(page, "guest-links");
    await card.locator("summary", { hasText: "Revogar" }).click();
    await card.getByRole("button", { name: "Revogar o link" }).click();
    await page.getByText("Link revogado.").waitFor();
    assert.equal((await fetch(url)).status, 401);
    await page.context().close();
  });
}
