// The page on which an invited person sets a password and sees the next steps.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const PASSWORD = "rapadura-com-coalho-52";
const stage = open();

async function createInvitation() {
  const email = `zoe.${randomUUID().slice(0, 8)}@demo.pauta.test`;
  const invited = { name: "Zoé Prado", email, access_level: "criador" };
  const { convite_url: link, membro } = await stage.demo.call("POST", "/api/membros", invited);
  return { link, email, id: membro.id };
}

/** Types both passwords and submits them, using only the keyboard. */
async function type(page, password, again = password) {
  await page.fill("#password", "");
  await page.fill("#again", "");
  await page.focus("#password");
  await page.keyboard.type(password);
  await page.keyboard.press("Tab");
  await page.keyboard.type(again);
  await page.keyboard.press("Enter");
}

const focusedId = (page) => page.evaluate("document.activeElement.id");

for (const look of LOOKS) {
  test(`an invited person sets a password: ${look.width} px, ${look.colorScheme}`, async () => {
    const { link } = await createInvitation();
    const page = await stage.page(look);
    await page.goto(link);
    await fit(page, "invitation");

    await type(page, "curta");
    await page.getByText("A senha precisa de ao menos 12 caracteres.").waitFor();
    assert.equal(await focusedId(page), "password");
    await type(page, PASSWORD, `${PASSWORD}!`);
    await page.getByText("As duas senhas são diferentes.").waitFor();
    assert.equal(await focusedId(page), "again");
    await type(page, "senha123456789");
    await page.getByText("A senha é fraca.").waitFor();
    assert.equal(await focusedId(page), "password");
    await fit(page, "weak");

    await type(page, PASSWORD);
    await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
    assert.equal(page.url(), `${stage.demo.url}/`);
    assert.equal(await page.getByText("curl").count(), 0);
    await fit(page, "welcome");

    const later = await stage.page(look);
    await later.goto(link);
    await type(later, PASSWORD);
    await later.getByRole("heading", { name: "Este convite não vale mais" }).waitFor();
    assert.ok(await later.locator("#form").isHidden());
    await fit(later, "spent");
  });
}

test("a second link that is opened in the same tab replaces the first one", async () => {
  const page = await stage.page();
  await page.goto(`${stage.demo.url}/convite`);
  await page.getByRole("heading", { name: "Falta o convite" }).waitFor();
  await fit(page, "none");
  const { link } = await createInvitation();
  await page.goto(link);
  await page.getByRole("heading", { name: "Defina sua senha" }).waitFor();
  await type(page, PASSWORD);
  await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
});

test("the typed passwords can be made visible", async () => {
  const page = await stage.page();
  await page.goto((await createInvitation()).link);
  await page.getByLabel("Mostrar as senhas").check();
  assert.equal(await page.getAttribute("#password", "type"), "text");
  await page.getByLabel("Mostrar as senhas").uncheck();
  assert.equal(await page.getAttribute("#password", "type"), "password");
});

test("if the service does not answer, the typed passwords stay", async () => {
  const page = await stage.page();
  await page.goto((await createInvitation()).link);
  await page.route("**/auth/v1/verify", (route) => route.abort());
  await type(page, PASSWORD);
  await page.getByText("O serviço não respondeu.").waitFor();
  await page.unroute("**/auth/v1/verify");
  await page.getByRole("button", { name: "Definir senha" }).click();
  await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
});

test("without JavaScript the page says that it needs JavaScript", async () => {
  const page = await stage.page({ width: 360, javaScriptEnabled: false });
  await page.goto((await createInvitation()).link);
  await page.locator("noscript p", { hasText: "Esta página precisa de JavaScript." }).waitFor();
  assert.ok(await page.locator("#form").isHidden(), "the page shows a form that does nothing");
});
