// The card editor: it opens the source texts; buttons, keys and the mouse move cards; and a few taps resubmit a refused
// piece.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drag, fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const call = (...asked) => stage.demo.call(...asked);
const read = async (id) => (await call("GET", `/api/eventos/${id}`)).evento;

/** Creates a piece that is assigned to the demo's admin and has a carousel of these texts; returns its id. */
async function createCarousel(title, texts) {
  const { equipe } = await call("GET", "/api/equipe");
  const admin = equipe.find(({ name }) => name === "Helena Prado");
  const id = (await call("POST", "/api/demanda", { title, assignee_id: admin.id })).event_id;
  const cards = texts.map((text) => ({ text }));
  await call("POST", "/api/carousel", { event_id: id, cards, style: "editorial" });
  return id;
}

/** Creates a piece with a carousel and refuses it for this reason; returns its id. */
async function createRefused(title, texts, reason) {
  const id = await createCarousel(title, texts);
  await call("POST", "/api/enviar", { event_id: id, expected_revision: 2, caption: "Sopas para o frio." });
  await call("POST", "/api/aprovar", { event_id: id, expected_revision: 3, action: "recusar", motivo: reason });
  return id;
}

/** The texts that the cards were made from, in the order of the piece. */
async function sourceTexts(id) {
  const { media } = await call("GET", `/api/media?event_id=${id}`);
  const source = (medium) => media.find((listed) => listed.id === medium.id).source;
  return (await read(id)).media.map((medium) => source(medium).text);
}

const card = (page, number) => page.getByLabel(`Card ${number}`, { exact: true });
const shownTexts = (page) => page.locator("textarea[name=texto]").evaluateAll((all) => all.map((text) => text.value));

for (const look of LOOKS) {
  test(`the editor fits: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look);
    const id = await createRefused(`Sopas ${"compridas ".repeat(12)}`, ["Um\n\n- ovos", "semespaço".repeat(12), "Três"], "O card 1 está sem sal. ".repeat(9));
    await page.goto(`${stage.demo.url}/eventos/${id}`);
    await fit(page, "piece-refused");
    await page.getByRole("link", { name: "Corrigir cards" }).first().click();
    await page.locator("#cards").waitFor();
    await fit(page, "cards");
    await card(page, 1).fill("Um\n\n- ovos\n- sal");
    await page.locator("#cards [data-drawn]:not([hidden])").waitFor();
    await page.getByRole("button", { name: "Retirar o card 2" }).click();
    await page.getByRole("heading", { name: "Retirados" }).waitFor();
    await page.getByRole("button", { name: "+ Novo card" }).click();
    await card(page, 3).waitFor();
    await page.evaluate(() => document.querySelectorAll("main details").forEach((details) => (details.open = true)));
    await fit(page, "cards-changed");
    await page.getByRole("button", { name: "Salvar cards" }).click();
    await page.getByText("O texto está em branco").waitFor();
    await fit(page, "cards-refused");
    await page.context().close();
  });
}

test("a refused piece is corrected, submitted and approved with six taps, without typing a text again", async () => {
  const id = await createRefused("Duas sopas", ["Duas sopas", "Caldo verdde"], "“Verdde” tem um d a mais no card 2.");
  const page = await stage.signedIn({ width: 360, hasTouch: true });
  let taps = 0;
  const tap = async (locator) => {
    taps += 1;
    await locator.tap();
  };
  await tap(page.getByRole("link", { name: "Duas sopas" }).first());
  await tap(page.getByRole("link", { name: "Corrigir cards" }).first());
  await page.locator("#cards").waitFor();
  await page.locator(".notice.bad", { hasText: "“Verdde” tem um d a mais no card 2." }).waitFor();
  await tap(card(page, 2));
  await page.keyboard.press("Control+End");
  for (let key = 0; key < 3; key += 1) await page.keyboard.press("Backspace");
  await page.keyboard.type("de");
  await tap(page.getByRole("button", { name: "Enviar para aprovação" }));
  await page.getByText("Desenhado de novo: o card 2. O outro ficou como estava.").waitFor();
  await tap(page.getByRole("link", { name: "Aprovar ou recusar" }));
  await tap(page.getByRole("button", { name: /^Aprovar/ }).first());
  for (let turn = 0; (await read(id)).status !== "aprovado"; turn += 1) {
    assert.ok(turn < 100, "the piece was not approved");
    await new Promise((done) => setTimeout(done, 200));
  }
  assert.equal(taps, 6);
  assert.deepEqual(await sourceTexts(id), ["Duas sopas", "Caldo verde"]);
  assert.equal((await read(id)).description, "Sopas para o frio.");
  await page.context().close();
});

test("buttons keep the typed text and the focus, and work by keyboard", async () => {
  const id = await createCarousel("Três sopas", ["Um", "Dois", "Três"]);
  const page = await stage.signedIn();
  await page.goto(`${stage.demo.url}/eventos/${id}/cards`);
  await card(page, 3).fill("Três, digitado");
  await page.getByText("Será desenhado de novo").waitFor();
  const up = (number) => page.getByRole("button", { name: `Subir o card ${number}` });
  await up(3).focus();
  for (const [number, order] of [[2, ["Um", "Três, digitado", "Dois"]], [1, ["Três, digitado", "Um", "Dois"]]]) {
    await page.keyboard.press("Enter");
    await page.waitForFunction((text) => document.querySelector("textarea[name=texto]").form && [...document.querySelectorAll("textarea[name=texto]")].map((area) => area.value).join("|") === text, order.join("|"));
    assert.ok(await up(number).evaluate((button) => button === document.activeElement), "the focus must stay on the button of the moved card");
  }
  await page.getByRole("button", { name: "Duplicar o card 1" }).click();
  await card(page, 4).waitFor();
  await card(page, 2).fill("Outro");
  await page.getByRole("button", { name: "Retirar o card 4" }).click();
  await page.getByRole("button", { name: "Trazer de volta" }).click();
  await card(page, 4).waitFor();
  assert.deepEqual(await shownTexts(page), ["Três, digitado", "Outro", "Um", "Dois"]);
  await page.getByRole("button", { name: "Salvar cards" }).click();
  await page.getByText("Os 4 cards foram desenhados de novo.").waitFor();
  assert.deepEqual(await sourceTexts(id), ["Três, digitado", "Outro", "Um", "Dois"]);
  await page.context().close();
});

test("a card is dragged by its handle", async () => {
  const id = await createCarousel("Arrastada", ["Um", "Dois", "Três"]);
  const page = await stage.signedIn();
  await page.setViewportSize({ width: 1280, height: 1600 });
  await page.goto(`${stage.demo.url}/eventos/${id}/cards`);
  await card(page, 2).fill("Dois, digitado");
  const cards = page.locator("#cards .deck-cards > .card");
  await drag(page, cards.nth(2).locator(".grip"), cards.nth(0), { x: 60, y: 8 });
  await page.waitForFunction(() => document.querySelector("textarea[name=texto]").value === "Três");
  assert.deepEqual(await shownTexts(page), ["Três", "Um", "Dois, digitado"]);
  assert.equal((await read(id)).api_revision, 2);
  await page.context().close();
});

test("a change by another person does not replace the typed text", async () => {
  const id = await createCarousel("A dois", ["Um", "Dois"]);
  const page = await stage.signedIn();
  await page.goto(`${stage.demo.url}/eventos/${id}/cards`);
  await card(page, 1).fill("Um, meu");
  const [one, two] = (await read(id)).media;
  const cards = [{ media_id: one.id, text: "Um, de outra" }, { media_id: two.id }];
  await call("PATCH", `/api/eventos/${id}/carousel`, { expected_revision: 2, cards });
  await page.getByRole("button", { name: "Salvar cards" }).click();
  await page.getByText("Os cards mudaram enquanto você os corrigia.").waitFor();
  assert.deepEqual(await shownTexts(page), ["Um, meu", "Dois"]);
  await fit(page, "cards-conflict");
  await page.getByRole("button", { name: "Salvar cards" }).click();
  await page.getByText("Desenhado de novo: o card 1.").waitFor();
  assert.deepEqual(await sourceTexts(id), ["Um, meu", "Dois"]);
  await page.context().close();
});

test("without JavaScript the same form works", async () => {
  const id = await createRefused("Sem script", ["Um", "Dois", "Três"], "Falta o quarto.");
  const page = await stage.signedIn({ width: 360, javaScriptEnabled: false });
  await page.goto(`${stage.demo.url}/eventos/${id}`);
  await page.getByRole("link", { name: "Corrigir cards" }).first().click();
  await page.locator(".notice.bad", { hasText: "Falta o quarto." }).waitFor();
  await page.getByRole("button", { name: "+ Novo card" }).click();
  await card(page, 4).fill("Quatro");
  await page.getByRole("button", { name: "Subir o card 4" }).click();
  await page.getByRole("button", { name: "Retirar o card 1" }).click();
  await page.getByRole("button", { name: "Pré-visualizar" }).click();
  await page.locator("#cards [data-drawn]").first().waitFor();
  await page.waitForLoadState(); // the first card is shown before the others have arrived
  assert.deepEqual(await shownTexts(page), ["Dois", "Quatro", "Três"]);
  await page.getByRole("button", { name: "Enviar para aprovação" }).click();
  await page.getByText("Desenhados de novo: os cards 1 e 2. O outro ficou como estava.").waitFor();
  assert.deepEqual(await sourceTexts(id), ["Dois", "Quatro", "Três"]);
  assert.equal((await read(id)).status, "em aprovação");
  await page.context().close();
});
