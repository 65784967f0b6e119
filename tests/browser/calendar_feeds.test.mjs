// Calendars to subscribe to: the page that makes, shows and revokes an address.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const ODD = `${"muito-longo-".repeat(6)} \u202Eשלום`;

for (const look of LOOKS) {
  test(`the page of calendars fits: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look);
    await page.goto(`${stage.demo.url}/agenda?canal=instagram`);
    await page.getByRole("link", { name: "Assinar no seu calendário" }).click();
    await page.getByRole("heading", { name: "Assinar no seu calendário" }).waitFor();
    assert.equal(await page.getByLabel("Canal").inputValue(), "instagram");
    await fit(page, "calendar-feeds");
    await page.getByLabel("Nome do calendário").fill(ODD);
    await page.getByRole("button", { name: "Criar endereço" }).click();
    await page.getByRole("heading", { name: "Calendário criado" }).waitFor();
    await fit(page, "calendar-feed-made");
    await page.getByRole("link", { name: "Já copiei" }).click();
    await page.locator("summary", { hasText: "Revogar" }).first().click();
    await fit(page, "calendar-feeds-listed");
    await page.getByRole("button", { name: "Revogar o endereço" }).first().click();
    await page.getByText("Calendário revogado.").waitFor();
    await page.context().close();
  });
}

test("without scripts the address is made, read and revoked", async () => {
  const page = await stage.signedIn({ width: 360, javaScriptEnabled: false });
  await page.goto(`${stage.demo.url}/agenda/assinar`);
  await page.getByRole("button", { name: "Criar endereço" }).click();
  const address = await page.locator("#endereco").textContent();
  // The address of the demo has a port, which `webcal` cannot have.
  assert.equal(await page.locator("a[href^=webcal]").count(), 0);
  const read = await fetch(address);
  assert.equal(read.headers.get("content-type"), "text/calendar; charset=utf-8");
  assert.match(await read.text(), /^BEGIN:VCALENDAR\r\n/);
  await page.getByRole("link", { name: "Já copiei" }).click();
  await page.locator("summary", { hasText: "Revogar" }).first().click();
  await page.getByRole("button", { name: "Revogar o endereço" }).first().click();
  await page.getByRole("heading", { name: "Assinar no seu calendário" }).waitFor();
  assert.equal((await fetch(address)).status, 404);
  await page.context().close();
});
