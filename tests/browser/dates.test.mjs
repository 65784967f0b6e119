// Dates and hours have the Brazilian format, whatever the language of the browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const LAUNCH = "/lancamentos/01990000-0000-7000-8000-000000000041";

const queryOf = (page) => new URL(page.url()).searchParams;

test("a date is typed as 31/12/2026 or chosen in a calendar", async () => {
  const page = await stage.signedIn({ locale: "en-US" }, LAUNCH);
  const from = page.getByLabel("De", { exact: true });
  assert.match(await from.inputValue(), /^\d\d\/\d\d\/20\d\d$/);
  const year = (await page.locator("main").getAttribute("data-today")).slice(0, 4);
  assert.match(year, /^20\d\d$/);
  for (const [written, sent] of [["2/1", `${year}-01-02`], ["3.1.24", "2024-01-03"], ["4/01/2024", "2024-01-04"], ["2024-01-05", "2024-01-05"]]) {
    await from.fill(written);
    await page.getByRole("button", { name: "Mostrar" }).click();
    await page.waitForURL((url) => url.searchParams.get("inicio") === sent);
    assert.match(queryOf(page).get("fim"), /^\d{4}-\d\d-\d\d$/);
    assert.equal(await from.inputValue(), sent.split("-").reverse().join("/"));
  }
  const before = page.url();
  for (const wrong of ["31/02/2026", "amanhã", "32/1/2026", "1/13/2026"]) {
    await from.fill(wrong);
    await page.getByRole("button", { name: "Mostrar" }).click();
    assert.equal(await from.evaluate((field) => field.validationMessage), "Escreva a data como 31/12/2026.");
    assert.equal(page.url(), before);
  }
  await page.locator(".day-field [type=date]").first().evaluate((picker) => {
    picker.value = "2024-02-29";
    picker.dispatchEvent(new Event("change"));
  });
  assert.equal(await from.inputValue(), "29/02/2024");
  assert.equal(await from.evaluate((field) => field.validationMessage), "");
  assert.equal(await page.getByRole("button", { name: "Calendário" }).count(), 2);
});

test("a day without a year is in the year of the service, whatever the clock of the browser says", async () => {
  const page = await stage.page({ locale: "en-US" });
  await page.clock.setFixedTime(new Date("2031-06-15T12:00:00Z"));
  const { url, email, password } = stage.demo;
  await page.goto(`${url}/entrar?volta=${encodeURIComponent(LAUNCH)}`);
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", password);
  await page.keyboard.press("Enter");
  await page.waitForURL(url + LAUNCH);
  assert.equal(await page.evaluate("new Date().getFullYear()"), 2031);
  const from = page.getByLabel("De", { exact: true });
  await from.fill("2/1");
  await from.blur();
  const today = await page.locator("main").getAttribute("data-today");
  assert.equal(await from.inputValue(), `02/01/${today.slice(0, 4)}`);
  assert.notEqual(today.slice(0, 4), "2031");
});

test("a new demand accepts the hour as people type it", async () => {
  const page = await stage.signedIn({ locale: "en-US" }, "/demandas/nova");
  const hour = page.getByLabel("Hora");
  await hour.fill("14h30");
  await hour.blur();
  assert.equal(await hour.inputValue(), "14:30");
  await hour.fill("25:00");
  await hour.blur();
  assert.equal(await hour.evaluate((field) => field.validationMessage), "Escreva a hora como 14:30.");
  await hour.fill("9");
  await hour.blur();
  assert.equal(await hour.inputValue(), "09:00");
});

test("a Portuguese browser and a page without a script keep the date fields of the browser", async () => {
  for (const look of [{}, { locale: "en-US", javaScriptEnabled: false }]) {
    const page = await stage.signedIn(look, LAUNCH);
    const from = page.getByLabel("De", { exact: true });
    assert.equal(await from.getAttribute("type"), "date");
    assert.match(await from.inputValue(), /^\d{4}-\d\d-\d\d$/);
  }
});

for (const look of LOOKS) {
  test(`date fields fit the screen, ${look.width} ${look.colorScheme}`, async () => {
    const page = await stage.signedIn({ ...look, locale: "en-US" }, LAUNCH);
    await page.locator(".day-field").first().waitFor();
    await fit(page, "dates-launch");
    await page.goto(`${stage.demo.url}${LAUNCH}/painel`);
    await fit(page, "dates-form");
  });
}
