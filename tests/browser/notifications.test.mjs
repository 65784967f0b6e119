// Notifications: the bell, the list, the link of an entry, and the settings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();

/** Waits until a member has this many unread notifications; the job that makes them runs in the background. */
async function untilUnread(person, count) {
  for (;;) {
    const { nao_lidas: unread } = await person.call("GET", "/api/notificacoes");
    if (unread >= count) return;
    await pause(250);
  }
}

/** A criador to whom two pieces are assigned, one with a long title, and who is mentioned. */
async function tellSomebody(name) {
  const { call, member } = stage.demo;
  const person = await member(name, "criador");
  const assign = (title) => call("POST", "/api/demanda", { title, channel: "blog", assignee_id: person.id });
  const { event_id: id } = await assign("Broa de milho");
  await assign(`Receitas de ${"muitas-avós-de-Minas-Gerais-".repeat(6)}`);
  await call("POST", `/api/eventos/${id}/comentarios`, { texto: "Veja a foto", mencoes: [person.id] });
  await untilUnread(person, 3);
  return { id, person, assign };
}

for (const look of LOOKS) {
  test(`notifications fit: ${look.width} px, ${look.colorScheme}`, async () => {
    const { person } = await tellSomebody(`Nina ${look.width} ${look.colorScheme}`);
    const page = await stage.signedIn(look, "/", person);
    assert.match(await page.locator("#sino .tally").innerText(), /^3/);
    await page.locator("#sino").click();
    await page.getByRole("heading", { name: "Notificações" }).waitFor();
    assert.equal(await page.locator(".told .unread").count(), 3);
    await fit(page, "notifications");
    await page.getByRole("link", { name: "Preferências" }).click();
    await page.getByRole("heading", { name: "Preferências de notificação" }).waitFor();
    await fit(page, "notification-settings");
    await page.getByLabel("Quando me mencionam").uncheck();
    await page.getByRole("button", { name: "Salvar" }).click();
    await page.getByText("Preferências salvas.").waitFor();
    assert.equal(await page.getByLabel("Quando me mencionam").isChecked(), false);
    await page.goto(`${stage.demo.url}/notificacoes?novas=1`);
    await page.getByRole("button", { name: "Marcar todas como lidas" }).click();
    await page.getByText("Tudo marcado como lido.").waitFor();
    assert.equal(await page.locator("#sino .tally").count(), 0);
    await fit(page, "notifications-read");
    await page.goto(`${stage.demo.url}/notificacoes?novas=1`);
    await page.getByText("Nada por ler.").waitFor();
    await fit(page, "notifications-none");
    await page.context().close();
  });
}

test("the link of an entry leads to the piece and marks the entry as read, also without a script", async () => {
  const { id, person } = await tellSomebody("Rosa");
  for (const [javaScriptEnabled, left] of [[true, 2], [false, 1]]) {
    const page = await stage.signedIn({ width: 1280, colorScheme: "light", javaScriptEnabled }, "/notificacoes", person);
    await page.locator(".told .unread", { hasText: "Broa de milho" }).first().click();
    await page.waitForURL(`**/eventos/${id}*`);
    assert.match(await page.locator("#sino .tally").innerText(), new RegExp(`^${left}`));
    await page.context().close();
  }
});

test("the bell and the list of an open page show what happens meanwhile", async () => {
  const { person, assign } = await tellSomebody("Lia");
  const list = await stage.signedIn({ width: 1280, colorScheme: "light" }, "/notificacoes", person);
  const other = await stage.signedIn({ width: 1280, colorScheme: "light" }, "/agenda", person);
  await assign("Pamonha");
  await list.getByText("“Pamonha”").waitFor();
  await list.locator("#sino .tally", { hasText: "4" }).waitFor();
  await other.locator("#sino .tally", { hasText: "4" }).waitFor();
  await list.context().close();
  await other.context().close();
});
