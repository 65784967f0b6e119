// The first access: the code that the server prints creates the first admin, and works once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fit, launch, LOOKS } from "./stage.mjs";
import { folder } from "./service.mjs";

const OFFER = /(http:\S+)\/primeiro-acesso[^]*: (\S+)\n/;
const PASSWORD = "rapadura-com-coalho-52";
const faults = [];
let place, service, browser;

before(async () => {
  place = folder();
  [service, browser] = await Promise.all([place.serve(OFFER), launch()]);
});

after(async () => {
  await browser?.close();
  await service?.stop();
  place?.remove();
  assert.deepEqual(faults, [], "pages reported errors");
});

async function openVisitor({ width = 1280, ...look } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, locale: "pt-BR", reducedMotion: "reduce", ...look });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    const refused = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !refused) faults.push(message.text());
  });
  return page;
}

async function fill(page, code, name, email) {
  await page.getByLabel("Código").fill(code);
  await page.getByLabel("Nome").fill(name);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Senha").fill(PASSWORD);
  await page.getByRole("button", { name: "Criar admin e entrar" }).click();
}

test("the code of the server creates the first admin, and no second one", async () => {
  const [, url, code] = service.match;
  // A new service redirects every path to the first access.
  for (const look of LOOKS) {
    const page = await openVisitor(look);
    await page.goto(`${url}/equipe`);
    await page.waitForURL(`${url}/primeiro-acesso`);
    await fit(page, "first-access");
    await fill(page, "AAAA-BBBB-CCCC-DDDD", "Zoé Prado", "zoe@equipe.test");
    await page.getByText("O código não é o que o servidor mostrou ao iniciar.").waitFor();
    assert.equal(await page.getByLabel("Nome").inputValue(), "Zoé Prado", "the typed name stays");
    assert.equal(await page.getByLabel("Senha").inputValue(), "", "the typed password does not stay");
    await fit(page, "wrong-code");
    await page.context().close();
  }

  const late = await openVisitor();
  await late.goto(`${url}/primeiro-acesso`);

  const first = await openVisitor();
  await first.goto(url);
  // The code is accepted in lower case and without hyphens, and stays valid after a weak password is refused.
  await first.getByLabel("Senha").evaluate((field) => field.removeAttribute("minlength"));
  await first.getByLabel("Código").fill(code.toLowerCase().replaceAll("-", " "));
  await first.getByLabel("Nome").fill("Zoé Prado");
  await first.getByLabel("E-mail").fill("zoe@equipe.test");
  await first.getByLabel("Senha").fill("senha123456789");
  await first.getByRole("button", { name: "Criar admin e entrar" }).click();
  await first.getByText("A senha é fraca.").waitFor();
  await first.getByLabel("Senha").fill(PASSWORD);
  await first.getByRole("button", { name: "Criar admin e entrar" }).click();
  await first.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
  await first.getByText("Zoé Prado").first().waitFor();

  // A second visitor who still has the page open cannot use the same code.
  await fill(late, code, "Outra Pessoa", "outra@equipe.test");
  await late.waitForURL(`${url}/entrar`);
  await late.goto(`${url}/primeiro-acesso`);
  await late.waitForURL(`${url}/entrar`);
  await late.getByLabel("E-mail").fill("outra@equipe.test");
  await late.getByLabel("Senha").fill(PASSWORD);
  await late.getByRole("button", { name: "Entrar" }).click();
  await late.getByText("E-mail ou senha").first().waitFor();
  await first.goto(`${url}/equipe`);
  await first.getByText("zoe@equipe.test").first().waitFor();
  assert.equal(await first.getByText("outra@equipe.test").count(), 0);
});

test("a service whose team has an admin prints no code at its start", async () => {
  await service.stop();
  service = await place.serve(/(http:\/\/[\w.:]+)/);
  const page = await openVisitor();
  await page.goto(`${service.match[1]}/primeiro-acesso`);
  await page.waitForURL("**/entrar");
});
