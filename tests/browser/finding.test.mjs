// The search: the palette with the keyboard, and the search page without JavaScript.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LOOKS, fit, open } from "./stage.mjs";

const stage = open();

/** Creates a piece in March of next year; returns its id. */
async function createPiece(title, fields = {}) {
  const demand = { title, day: 9, month: 3, year: new Date().getFullYear() + 1, hour: "10:00", ...fields };
  const { event_id: id } = await stage.demo.call("POST", "/api/demanda", demand);
  return id;
}

test("a piece of any month is found and opened with the keyboard in three actions", async () => {
  const id = await createPiece("Rapadurinhas crocantes");
  const page = await stage.signedIn(undefined, "/projetos");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Procurar" }).waitFor();
  await page.keyboard.type("rapadurinha");
  // Enter before the results have arrived opens the first one as soon as they do.
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/eventos/${id}`);
  await page.context().close();
});

test("results are grouped, show their match and date, and are selected with the arrow keys", async () => {
  await createPiece("Pamonhada um", { description: "Com queijo coalho" });
  const id = await createPiece("Outra peça", { description: "Uma pamonhada com manteiga" });
  for (const look of LOOKS) {
    const page = await stage.signedIn(look, "/agenda");
    await page.click("[data-palette]");
    await page.waitForSelector("#oferta-0");
    await fit(page, "palette-empty");
    await page.keyboard.type("pamonhad");
    await page.getByRole("group", { name: "Peças" }).getByRole("option").nth(1).waitFor();
    // Results of the first letters may be shown until those of the whole word arrive.
    await page.locator("#oferta-0 mark", { hasText: /^Pamonhada$/ }).waitFor();
    await page.locator("#oferta-1 .excerpt", { hasText: "Uma pamonhada com manteiga" }).waitFor();
    assert.match(await page.locator("#oferta-0 small").textContent(), /9 de março de \d{4}/);
    assert.match(await page.locator("#oferta-1 .excerpt").textContent(), /Uma pamonhada com manteiga/);
    await fit(page, "palette-found");
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.locator("[aria-selected=true]").getAttribute("id"), "oferta-1");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/eventos/${id}`);
    await page.context().close();
  }
});

test("actions and people are found too, and a link leads to all results", async () => {
  const page = await stage.signedIn(undefined, "/");
  await page.keyboard.press("Control+k");
  await page.waitForSelector("#oferta-0");
  await page.keyboard.type("nova peça");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/demandas/nova");
  await page.keyboard.press("Control+k");
  await page.waitForSelector("#oferta-0");
  await page.keyboard.type("helena");
  await page.getByRole("group", { name: "Pessoas" }).getByRole("option").first().waitFor();
  await page.getByRole("option", { name: "Ver tudo com “helena”" }).click();
  await page.waitForURL("**/busca?q=helena");
  await page.getByRole("heading", { name: "Pessoas" }).waitFor();
  await page.context().close();
});

test("a search without results says so, and a failed search still lists the pages", async () => {
  const page = await stage.signedIn(undefined, "/");
  await page.keyboard.press("Control+k");
  await page.waitForSelector("#oferta-0");
  await page.keyboard.type("zzqx");
  await page.getByText("Nada com isso.").waitFor();
  await page.route("**/paleta/busca**", (route) => route.abort());
  await page.keyboard.press("Control+a");
  await page.keyboard.type("agend");
  await page.getByText("A busca não respondeu.").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/agenda");
  await page.context().close();
});

test("without a script, the search page finds the same results", async () => {
  const id = await createPiece("Cocadinha de forno");
  const { url, email, password } = stage.demo;
  for (const look of LOOKS) {
    const page = await stage.page({ ...look, javaScriptEnabled: false });
    await page.goto(`${url}/entrar?volta=${encodeURIComponent("/agenda")}`);
    await page.fill("[name=email]", email);
    await page.fill("[name=password]", password);
    await page.locator("main button[type=submit]").first().click();
    await page.waitForURL("**/agenda**");
    await page.getByRole("link", { name: "Procurar…" }).click();
    await page.getByRole("searchbox", { name: "Procurar em tudo" }).fill("cocadinhas");
    await page.locator("main button[type=submit]").click();
    await page.getByRole("link", { name: "Cocadinha de forno" }).click();
    await page.waitForURL(`**/eventos/${id}`);
    await page.context().close();
  }
});

test("the search page fits the screen", async () => {
  for (const look of LOOKS) {
    const page = await stage.signedIn(look, "/busca?q=bolo");
    await page.locator(".results mark").first().waitFor();
    await fit(page, "search");
    await page.goto(`${stage.demo.url}/busca`);
    await fit(page, "search-empty");
    await page.goto(`${stage.demo.url}/busca?q=zzqx`);
    await fit(page, "search-none");
    await page.context().close();
  }
});
