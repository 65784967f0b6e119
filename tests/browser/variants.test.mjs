// Channels of a piece: added, changed, decided and taken away on its page, with and without scripts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();

/** Creates a piece with an image; returns its id. */
async function createPiece(title) {
  const id = (await stage.demo.call("POST", "/api/demanda", { title })).event_id;
  const caption = "Água fria, massa lisa, forno quente.";
  await stage.demo.call("POST", "/api/draft", { event_id: id, expected_revision: 1, caption });
  await stage.demo.call("POST", "/api/art", { event_id: id, prompt: title, size: "540x675" });
  return id;
}

const read = (id) => stage.demo.call("GET", `/api/eventos/${id}`);

async function put(id, variantes) {
  const { evento } = await read(id);
  return stage.demo.call("PUT", `/api/eventos/${id}/variantes`, { expected_revision: evento.api_revision, variantes });
}

async function approve(id) {
  const { evento } = await read(id);
  await stage.demo.call("POST", "/api/enviar", { event_id: id, expected_revision: evento.api_revision });
  await stage.demo.call("POST", "/api/aprovar", { event_id: id, action: "aprovar" });
}

/** Asserts that the image of the feed is drawn as it is posted: square. */
async function assertCropped(page) {
  const image = page.locator(".form-preview:visible img[data-cropped]").first();
  await image.scrollIntoViewIfNeeded();
  await image.evaluate((element) => element.decode());
  const [width, height] = await image.evaluate((element) => [element.naturalWidth, element.naturalHeight]);
  assert.ok(width > 0 && width === height, `${width} × ${height}`);
}

for (const look of LOOKS) {
  test(`channels fit: ${look.width} px, ${look.colorScheme}`, async () => {
    const id = await createPiece("Pão de todo dia");
    await put(id, [
      { canal: "linkedin", legenda: `A receita inteira: {link} ${"palavra-muito-longa-".repeat(8)}`,
        link: "https://padaria.example/receitas/pao-de-todo-dia" },
      { canal: "instagram", formato: "story" },
    ]);
    await approve(id);
    await put(id, [{ canal: "threads", legenda: "Pão. 🍞" }]);
    const page = await stage.signedIn(look, `/eventos/${id}`);
    await page.locator("#canais-da-peca").scrollIntoViewIfNeeded();
    assert.equal(await page.locator("#canais-da-peca details.variant").count(), 3);
    await fit(page, "channels");
    for (const place of ["#canais-da-peca > details > summary", "details.variant details > summary"]) {
      for (const summary of await page.locator(place).all()) await summary.click();
    }
    await fit(page, "channels-open");
    await page.context().close();
  });
}

for (const javaScriptEnabled of [true, false]) {
  test(`a channel is added, changed, approved and taken away, scripts ${javaScriptEnabled}`, async () => {
    const id = await createPiece("Bolo de fubá");
    const page = await stage.signedIn({ ...LOOKS[0], javaScriptEnabled }, `/eventos/${id}`);
    const section = page.locator("#canais-da-peca");
    await section.locator("summary", { hasText: "Acrescentar canal" }).click();
    const added = section.locator("details").last();
    await added.locator('select[name="canal"]').selectOption("linkedin/post");
    await added.locator('textarea[name="legenda"]').fill("Fubá e paciência.");
    await added.locator("button", { hasText: "Acrescentar" }).click();
    await section.locator("details.variant").waitFor();
    assert.equal((await read(id)).variantes[0].legenda, "Fubá e paciência.");

    await approve(id);
    await page.goto(`${stage.demo.url}/eventos/${id}`);
    await section.locator("details.variant > summary").click();
    await section.locator("summary", { hasText: "Mudar canal" }).click();
    await section.locator('details.variant textarea[name="legenda"]').fill("Só fubá.");
    await section.locator("button", { hasText: "Gravar canal" }).click();
    await section.locator(".badge", { hasText: "espera aprovação" }).waitFor();
    await section.locator("details.variant > summary").click();
    await section.locator("button", { hasText: "Aprovar canal" }).click();
    await section.locator(".badge", { hasText: "aprovada" }).waitFor();
    assert.equal((await read(id)).variantes[0].aprovada, true);

    await section.locator("details.variant > summary").click();
    await section.locator("summary", { hasText: "Mudar canal" }).click();
    await section.locator("button", { hasText: "Tirar canal" }).click();
    await section.locator("details.variant").waitFor({ state: "detached" });
    assert.equal((await read(id)).variantes, undefined);
    await page.context().close();
  });
}

for (const look of LOOKS) {
  test(`each channel is previewed where it is decided: ${look.width} px, ${look.colorScheme}`, async () => {
    const { call } = stage.demo;
    const id = await createPiece("Pão de todo dia");
    const [{ id: media_id }] = (await read(id)).evento.media;
    await put(id, [
      { canal: "linkedin", legenda: "A receita inteira: {link}", link: "https://padaria.example/receitas",
        primeiro_comentario: "Dúvidas? Responda aqui.", day: 20, month: 1, year: 2031, hour: "09:30" },
      { canal: "instagram", formato: "feed", midias: [{ media_id, recorte: { proporcao: "1:1" } }] },
      { canal: "instagram", formato: "story" },
    ]);
    const page = await stage.signedIn(look, `/eventos/${id}`);
    const posts = page.locator(".one-preview");
    const open = () => page.locator(".one-preview[open]").count();
    const forms = () => page.locator(".form-preview:visible").evaluateAll((all) => all.map(({ dataset }) => dataset.form));
    assert.equal(await posts.count(), 3);
    assert.equal(await open(), 1);
    await posts.nth(1).locator("> summary").click();
    await posts.nth(2).locator("> summary").click();
    assert.deepEqual(await forms(), ["feed", "story", "post"]);
    await assertCropped(page);
    await fit(page, "channel-previews");

    const { evento } = await read(id);
    await call("POST", "/api/enviar", { event_id: id, expected_revision: evento.api_revision });
    await page.goto(`${stage.demo.url}/aprovacoes?evento=${id}`);
    assert.equal(await open(), 3);
    await assertCropped(page);
    await fit(page, "channel-previews-inbox");

    const made = await call("POST", "/api/convidados", { nome: "Bia", contato: "bia@cliente.test", direito: "decidir", pecas: [id] });
    const guest = await stage.page(look);
    await guest.goto(stage.demo.url + new URL(made.url).pathname);
    assert.equal(await guest.locator(".one-preview[open]").count(), 3);
    await guest.getByText("Dúvidas? Responda aqui.").waitFor();
    await assertCropped(guest);
    // Each group of forms is its own.
    await guest.getByRole("radio", { name: "Feed 1:1" }).check();
    assert.deepEqual(await guest.locator(".form-preview:visible").evaluateAll((all) => all.map(({ dataset }) => dataset.form)), ["quadrado", "story", "post"]);
    await fit(guest, "channel-previews-guest");

    await call("POST", "/api/aprovar", { event_id: id, action: "aprovar" });
    await put(id, [{ canal: "linkedin", legenda: "Outra receita" }]);
    await guest.reload();
    await guest.getByText("A equipe está alterando o post no LinkedIn.").waitFor();
    await fit(guest, "channel-changing-guest");
    await guest.context().close();
    await page.goto(`${stage.demo.url}/aprovacoes`);
    const changed = page.getByRole("navigation", { name: "Mudaram depois de aprovadas" }).getByRole("link", { name: /Pão de todo dia/ });
    await changed.first().waitFor();
    await fit(page, "channel-changed-inbox");
    await page.context().close();
    await stage.demo.call("POST", `/api/eventos/${id}/variantes/decisao`, { expected_revision: (await read(id)).evento.api_revision, action: "aprovar" });
  });
}

// The demo has no network registered, so what is automatic is posted by hand.
for (const look of LOOKS) {
  test(`an automatic channel without its network is told: ${look.width} px, ${look.colorScheme}`, async () => {
    const id = await createPiece("Pão de todo dia");
    await put(id, [
      { canal: "linkedin", legenda: "Só hoje.", publicacao: "automatica", day: 20, month: 1, year: 2031, hour: "09:30" },
      { canal: "tiktok", legenda: "Só hoje.", privacidade: "PUBLIC_TO_EVERYONE", tiktok: ["marca", "parceria"] },
      { canal: "bluesky", legenda: "Pão quente, agora em exemplo.com." },
    ]);
    const page = await stage.signedIn(look, `/eventos/${id}`);
    const section = page.locator("#canais-da-peca");
    const variant = (name) => section.locator("details.variant", { has: page.locator("summary strong", { hasText: name }) });
    await variant("LinkedIn").locator("> summary").click();
    await variant("LinkedIn").getByText("não está registrada no serviço").waitFor();
    await variant("TikTok").locator("> summary").click();
    await variant("TikTok").locator("summary", { hasText: "Mudar canal" }).click();
    const partnership = variant("TikTok").getByRole("checkbox", { name: "parceria paga" });
    assert.equal(await partnership.isChecked(), true);
    await fit(page, "channel-not-registered");
    await partnership.uncheck();
    await variant("TikTok").locator("button", { hasText: "Gravar canal" }).click();
    await page.waitForLoadState();
    await assertTikTok(id, ["marca"]);
    const closed = page.locator(".one-preview:not([open]) > summary");
    while (await closed.count()) await closed.first().click();
    await page.getByText("de 300 caracteres").scrollIntoViewIfNeeded();
    await fit(page, "channel-thread-preview");
    await approve(id);
    await page.goto(`${stage.demo.url}/eventos/${id}/canais/linkedin/post/postar`);
    await page.getByText("não está registrada no serviço").waitFor();
    await fit(page, "channel-not-registered-posting");
    await page.goto(`${stage.demo.url}/publicacoes`);
    for (const summary of await page.locator("main .card summary").all()) await summary.click();
    // The current step stands among the others, in its card.
    const step = page.locator(".card .steps .now").first();
    const [inner, outer] = [await step.boundingBox(), await step.locator("xpath=..").boundingBox()];
    assert.ok(inner.height < 60 && inner.y >= outer.y && inner.x >= outer.x, JSON.stringify([inner, outer]));
    await fit(page, "scheduled-steps");
    await page.goto(`${stage.demo.url}/resultados?ordem=cliques`);
    await page.getByRole("columnheader", { name: "Cliques" }).first().waitFor();
    await fit(page, "results-clicks");
    await page.context().close();
  });
}

async function assertTikTok(id, options) {
  const tiktok = () => read(id).then(({ variantes }) => variantes.find(({ canal }) => canal === "tiktok").tiktok);
  for (let turn = 0; turn < 50 && (await tiktok())?.length !== options.length; turn++) {
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.deepEqual(await tiktok(), options);
}
