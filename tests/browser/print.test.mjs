// The month and a piece on paper, as a report for a client. Panels are in `panels.test.mjs`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "./stage.mjs";

const stage = open();
const call = (...asked) => stage.demo.call(...asked);

/** Opens a page as a browser prints it from a dark screen. The viewport has the width of portrait paper. */
async function printed(path) {
  const page = await stage.signedIn({ width: 688, colorScheme: "dark" }, path);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
  await page.getByText(/^(Agenda|Peça) em \d\d\/\d\d\/20\d\d$/).waitFor();
  for (const control of await page.locator("main :is(button, .button, form:not(#editor), summary, nav), .bar, .side, #avisos").all()) {
    assert.ok(!(await control.isVisible()), `${await control.evaluate((shown) => shown.outerHTML.slice(0, 120))} is on paper`);
  }
  // With `SHOTS=folder`, saves the printed page.
  if (process.env.SHOTS) await page.pdf({ path: `${process.env.SHOTS}/print${path.replace(/\W+/g, "-")}.pdf`, preferCSSPageSize: true });
  return page;
}

test("a printed month has its name, each week, and each piece with its whole title", async () => {
  const title = "é um título longo demais para duas linhas de um dia";
  const demandas = Array.from({ length: 7 }, (_, at) => ({ title: `Este ${at} ${title}`, day: 9, month: 3, year: 2031, hour: `1${at}:00` }));
  await call("POST", "/api/demandas", { demandas });
  const page = await printed("/agenda?ver=mes&dia=2031-03-20");
  await page.getByRole("heading", { name: "março de 2031" }).waitFor();
  const lefts = await page.locator(".month .day").evaluateAll((days) => days.map((day) => Math.round(day.getBoundingClientRect().left)));
  assert.equal(new Set(lefts).size, 7, "seven columns, also where paper is narrow");
  for (const { title: whole } of demandas) {
    const shown = page.locator(".month").getByText(whole).filter({ visible: true });
    assert.equal(await shown.count(), 1, whole);
    const isCut = await shown.evaluate((text) => text.scrollHeight > text.clientHeight + 1 && getComputedStyle(text).overflow !== "visible");
    assert.ok(!isCut, `${whole} is cut`);
  }
  await page.context().close();
});

test("the printed current month has its earlier weeks, with the pieces of each day", async () => {
  const page = await printed("/agenda?ver=mes");
  const days = page.locator(".month .day");
  for (const day of await days.all()) {
    assert.ok(await day.isVisible());
    const cards = day.locator(".ev");
    if (await cards.count()) assert.ok(await cards.first().isVisible(), await day.getAttribute("data-day"));
  }
  assert.equal(await page.locator(".weekday:visible").count(), 7, "the weekdays are named once");
  await page.context().close();
});

test("a printed piece has its media, its caption and all its previews, but no briefing, history or actions", async () => {
  const { event_id: id } = await call("POST", "/api/demanda", { title: "Impressa", description: "Só para a equipe" });
  const cards = ["Um", "Dois", "Três"].map((text) => ({ text }));
  await call("POST", "/api/carousel", { event_id: id, cards, style: "vibrante" });
  await call("POST", "/api/draft", { event_id: id, expected_revision: 2, caption: "Uma legenda\n".repeat(12).trim() });
  const draft = await printed(`/eventos/${id}`);
  const isWhole = (area) => area.scrollHeight <= area.clientHeight + 1;
  assert.ok(await draft.locator("#editor textarea").evaluate(isWhole), "the whole caption of a draft");
  await draft.context().close();

  await call("POST", "/api/enviar", { event_id: id, expected_revision: 3 });
  const page = await printed(`/eventos/${id}`);
  assert.equal(await page.locator("[aria-labelledby=midias] .stage img:visible").count(), 3);
  const forms = page.locator(".form-preview");
  const names = await forms.evaluateAll((all) => all.map((form) => getComputedStyle(form, "::before").content));
  assert.deepEqual(names, ['"Feed 4:5"', '"Feed 1:1"', '"Story"', '"Reel"']);
  for (const form of await forms.all()) {
    assert.ok(await form.isVisible());
    assert.equal(await form.locator(".stage img:visible").count(), 1, "the first medium");
  }
  for (const hidden of [".arrow", ".thumbs", ".dots", ".briefing", "#historico", "#acoes"]) {
    assert.ok(!(await page.locator(hidden).first().isVisible()), hidden);
  }
  await page.context().close();
});
