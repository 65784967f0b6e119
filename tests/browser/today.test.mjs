// The page of the day: pending decisions, today's publications, the work of agents, and the counts in the navigation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();

for (const look of LOOKS) {
  test(`the page of the day fits the screen: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look);
    await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
    await page.getByRole("heading", { name: "Sai hoje" }).waitFor();
    await page.getByRole("heading", { name: "O que os agentes fizeram" }).waitFor();
    await fit(page, "today");
    if (look.width < 600) {
      await page.getByText("Menu", { exact: true }).click();
      await fit(page, "today-menu");
    }
  });
}

test("the agenda has its own navigation entry, key and path", async () => {
  const page = await stage.signedIn();
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await page.getByRole("heading", { level: 1, name: "Agenda" }).waitFor();
  await page.waitForLoadState(); // the keys work when the scripts are loaded
  assert.equal(new URL(page.url()).pathname, "/agenda");
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
  await page.goto(`${stage.demo.url}/?ver=semana&dia=2026-08-25`);
  assert.equal(new URL(page.url()).pathname, "/agenda");
  await page.getByRole("heading", { level: 1, name: "Agenda" }).waitFor();
});

test("without JavaScript the day links to each piece", async () => {
  const page = await stage.signedIn({ javaScriptEnabled: false });
  await page.locator(".day-list .day-title").first().click();
  await page.waitForURL((url) => url.pathname !== "/");
  assert.match(new URL(page.url()).pathname, /^\/(eventos|aprovacoes)/);
});
