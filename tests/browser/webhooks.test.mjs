// Webhooks: an admin makes one, copies its secret, tests it, reads its log, pauses, resumes and deletes it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();

/** Waits until the log of the webhook has an attempt. */
async function untilAttempted(page) {
  const attempts = page.locator("summary", { hasText: "Tentativas" });
  for (; (await attempts.count()) === 0; await pause(250)) await page.reload();
  return attempts.first();
}

for (const look of [...LOOKS, { width: 360, javaScriptEnabled: false }]) {
  const scripts = look.javaScriptEnabled === false ? ", without scripts" : "";
  test(`webhooks are made and followed: ${look.width} px, ${look.colorScheme ?? "light"}${scripts}`, async () => {
    const page = await stage.signedIn(look, "/agentes");
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    await page.locator("summary", { hasText: "Criar webhook" }).click();
    if (!scripts) await fit(page, "webhooks");
    const name = `Painel ${look.width} ${look.colorScheme}${scripts} ${"muito-longo-".repeat(8)}`;
    await page.getByLabel("Para que serve").fill(name);
    await page.getByLabel("Endereço (https)").fill(`https://localhost/${"entrada-".repeat(20)}`);
    await page.getByLabel("Decidiram sobre uma peça").check();
    await page.getByRole("button", { name: "Criar webhook" }).click();
    await page.getByRole("heading", { name: "Segredo do webhook" }).waitFor();
    const secret = await page.getByText(/^whsec_/).first().innerText();
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    if (!scripts) await fit(page, "webhook-secret");
    await page.getByRole("link", { name: "Já copiei" }).click();
    await page.getByRole("heading", { level: 1, name: "Painel" }).waitFor();
    assert.ok(!(await page.content()).includes(secret));
    await page.getByRole("button", { name: "Enviar um teste" }).click();
    await page.getByText("Teste a caminho.").waitFor();
    await (await untilAttempted(page)).click();
    await page.getByText("não é da internet pública").first().waitFor();
    if (!scripts) await fit(page, "webhook");
    await page.getByRole("button", { name: "Pausar" }).click();
    await page.getByText("Uma pessoa pausou este webhook.").waitFor();
    if (!scripts) await fit(page, "webhook-paused");
    await page.getByRole("button", { name: "Retomar" }).click();
    await page.getByRole("button", { name: "Pausar" }).waitFor();
    await page.locator("summary", { hasText: "Apagar" }).click();
    await page.getByRole("button", { name: "Apagar o webhook" }).click();
    await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    assert.equal(await page.getByText(name).count(), 0);
    await page.context().close();
  });
}

test("only admins see the page", async () => {
  const person = await stage.demo.member("Lia Webhook", "lider");
  const page = await stage.signedIn({ width: 360 }, "/agentes", person);
  assert.equal(await page.getByRole("link", { name: "Webhooks" }).count(), 0);
  const answer = await page.goto(`${stage.demo.url}/webhooks`);
  assert.equal(answer.status(), 403);
  await page.context().close();
});
