// The page on which a person posts a channel of a piece by hand: texts, files, and the record.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const CAPTION = "Pão de fermentação natural, todo sábado.\n\n  Encomende: {link}\n#pão #feira";

/** An approved piece with images and these variants; returns its id. */
async function approved(title, variantes) {
  const { call } = stage.demo;
  const id = (await call("POST", "/api/demanda", { title })).event_id;
  await call("POST", "/api/draft", { event_id: id, expected_revision: 1, caption: "Água fria, forno quente." });
  await call("POST", "/api/art", { event_id: id, prompt: title, size: "540x675" });
  const { evento } = await call("GET", `/api/eventos/${id}`);
  const expected_revision = evento.api_revision;
  const midias = [{ media_id: evento.media[0].id, alt: "Um pão cortado ao meio", recorte: { proporcao: "1:1" } }];
  await call("PUT", `/api/eventos/${id}/variantes`, {
    expected_revision,
    variantes: variantes.map((variante) => ({ midias, ...variante })),
  });
  await call("POST", "/api/enviar", { event_id: id, expected_revision: expected_revision + 1 });
  await call("POST", "/api/aprovar", { event_id: id, action: "aprovar" });
  return id;
}

const linkedin = {
  canal: "linkedin", legenda: CAPTION, link: "https://padaria.example/encomendas/pao-de-fermentacao-natural-de-sabado",
  primeiro_comentario: "Também entregamos em casa.", day: 20, month: 8, year: 2026, hour: "10:00",
};

for (const look of LOOKS) {
  test(`the page of a post fits: ${look.width} px, ${look.colorScheme}`, async () => {
    const id = await approved("Pão de sábado", [linkedin, { canal: "whatsapp", legenda: "Pão! 🍞" }]);
    const page = await stage.signedIn(look, `/eventos/${id}/canais/linkedin/post/postar`);
    await page.getByRole("heading", { name: "LinkedIn · post" }).waitFor();
    const image = page.locator(".post-files img");
    await image.evaluate((element) => element.decode());
    const [width, height] = await image.evaluate((element) => [element.naturalWidth, element.naturalHeight]);
    assert.equal(width, height);
    await page.getByRole("button", { name: "Lembrar em 1 h" }).waitFor();
    await fit(page, "posting");
    await page.locator("summary", { hasText: "Não tenho o link" }).click();
    await fit(page, "posting-without-link");
    await page.goto(`${stage.demo.url}/eventos/${id}`);
    await page.locator("#canais-da-peca details.variant > summary").first().click();
    await page.locator("#canais-da-peca").getByText("atrasada").waitFor();
    await fit(page, "channel-late");
    await page.goto(`${stage.demo.url}/agenda?ver=lista&dia=2026-08-20`);
    await page.getByText("atrasada", { exact: false }).first().waitFor();
    await fit(page, "agenda-late");
    await page.goto(`${stage.demo.url}/agenda?ver=mes&dia=2026-08-20`);
    await fit(page, "agenda-late-month");
    await page.context().close();
  });
}

for (const javaScriptEnabled of [true, false]) {
  test(`a post is copied, downloaded and recorded, scripts ${javaScriptEnabled}`, async () => {
    const id = await approved("Bolo de fubá", [linkedin, { canal: "whatsapp", legenda: "Pão! 🍞" }]);
    const page = await stage.signedIn({ ...LOOKS[0], javaScriptEnabled }, `/eventos/${id}`);
    const section = page.locator("#canais-da-peca");
    const open = async (channel) => {
      const variant = section.locator("details.variant").filter({ has: page.locator("summary", { hasText: channel }) });
      await variant.locator("> summary").click();
      await variant.getByRole("link", { name: "Publicar à mão" }).click();
      await page.getByRole("heading", { name: "Depois de postar" }).waitFor();
    };
    await open("LinkedIn");
    const { variantes } = await stage.demo.call("GET", `/api/eventos/${id}`);
    const { link_final } = variantes.find(({ canal }) => canal === "linkedin");
    assert.equal(await page.locator("#legenda").inputValue(), CAPTION.replace("{link}", link_final));
    if (javaScriptEnabled) {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "Copiar legenda" }).click();
      await page.getByText("Copiado.").waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(copied, CAPTION.replace("{link}", link_final));
    }
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Baixar imagem" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "1-linkedin.jpg");
    await page.getByLabel("Link do post").fill("https://www.linkedin.com/feed/update/urn:li:share:1/");
    await page.getByRole("button", { name: "Publiquei", exact: true }).click();
    await section.locator(".badge", { hasText: "no ar" }).waitFor();
    await open("WhatsApp");
    const place = page.getByRole("link", { name: "Abrir WhatsApp com o texto" });
    assert.equal(await place.getAttribute("href"), "https://wa.me/?text=P%C3%A3o%21%20%F0%9F%8D%9E");
    await page.getByRole("button", { name: "Publiquei", exact: true }).click();
    await page.getByText("no ar", { exact: true }).nth(1).waitFor();
    const read = await stage.demo.call("GET", `/api/eventos/${id}`);
    assert.equal(read.evento.status, "publicado");
    assert.equal(read.variantes.filter((variante) => variante.no_ar_desde).length, 2);
    await page.goto(`${stage.demo.url}/eventos/${id}/canais/whatsapp/post/postar`);
    await page.getByText("No ar desde").waitFor();
    await page.context().close();
  });
}

test("one press puts the reminder off", async () => {
  const id = await approved("Rosca", [linkedin]);
  const page = await stage.signedIn(LOOKS[0], `/eventos/${id}/canais/linkedin/post/postar`);
  await page.getByRole("button", { name: "Lembrar em 1 h" }).click();
  await page.getByText("Você será lembrado de novo em 1 h.").waitFor();
  await page.getByRole("heading", { name: "LinkedIn · post" }).waitFor();
  await page.context().close();
});

test("files are shared with the text where the browser can", async () => {
  const id = await approved("Broa", [linkedin]);
  const page = await stage.signedIn(LOOKS[0], `/eventos/${id}`);
  await page.addInitScript(() => {
    navigator.canShare = () => true;
    navigator.share = async ({ files, text }) => {
      window.shared = { text, files: files.map(({ name, type, size }) => ({ name, type, size })) };
    };
  });
  await page.goto(`${stage.demo.url}/eventos/${id}/canais/linkedin/post/postar`);
  await page.getByRole("button", { name: "Compartilhar o arquivo" }).click();
  await page.waitForFunction(() => window.shared);
  const shared = await page.evaluate(() => window.shared);
  assert.match(shared.text, /^Pão de fermentação natural/);
  assert.equal(shared.files.length, 1);
  assert.deepEqual([shared.files[0].name, shared.files[0].type], ["1-linkedin.jpg", "image/jpeg"]);
  assert.ok(shared.files[0].size > 500);
  await fit(page, "posting-share");
  await page.context().close();
});
