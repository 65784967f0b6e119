// What all pages of the console share: the palette, keys, sortable lists, and live changes by other members.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { fit, open } from "./stage.mjs";

const stage = open();

/** Opens a page as a new member with this access level, signed in through the invitation. */
async function openMemberPage(access_level) {
  const email = `noa.${randomUUID().slice(0, 8)}@demo.pauta.test`;
  const invited = { name: "Noa Prado", email, access_level };
  const { convite_url: link } = await stage.demo.call("POST", "/api/membros", invited);
  const page = await stage.page();
  await page.goto(link);
  for (const field of ["#password", "#again"]) await page.fill(field, "rapadura-com-coalho-52");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
  return page;
}

/** Creates a project with these items in its first section, and an empty second one; returns its id. */
async function createProject(...titles) {
  const { project: made } = await stage.demo.call("POST", "/api/projects", { name: "Ordem" });
  const items = titles.map((title) => ({ type: "item.add", payload: { section_id: "$0", title } }));
  const operations = [{ type: "section.add", payload: { title: "Uma" } }, ...items];
  operations.push({ type: "section.add", payload: { title: "Outra" } });
  await stage.demo.call("POST", `/api/projects/${made.id}/batch`, { operations, expected_revision: 1 });
  return made.id;
}

const read = async (id) => (await stage.demo.call("GET", `/api/projects/${id}`)).project;

async function changeProject(id, type, payload, call = stage.demo.call) {
  const { revision } = await read(id);
  await call("POST", `/api/projects/${id}/operations`, { type, payload, expected_revision: revision });
}

const itemTitles = (page) => page.$$eval(".items a", (links) => links.map((link) => link.textContent));
const inOrder = (page, wanted) =>
  page.waitForFunction((all) => [...document.querySelectorAll(".items a")].map((a) => a.textContent).join() === all, wanted.join());

test("the palette leads to pages and operations by keyboard", async () => {
  const page = await stage.signedIn(undefined, "/projetos");
  await page.keyboard.press("Control+k");
  await page.waitForSelector("#oferta-0");
  await fit(page, "palette");
  await page.keyboard.type("catalogo");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/catalogo");
  await page.keyboard.press("/");
  await page.keyboard.type("jk?");
  assert.equal(await page.inputValue("[name=q]"), "jk?", "shortcuts must not act in a text field");
  await page.click("[data-palette]");
  await page.waitForSelector("#oferta-0");
  await page.keyboard.type("decide_approval");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/catalogo/decide_approval#experimente");
  await page.keyboard.press("?");
  await page.waitForSelector(".keys-box");
  await fit(page, "keys");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".keys-box", { state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.waitForURL("**/projetos");
  await page.keyboard.press("j");
  assert.equal(await page.evaluate("document.activeElement.dataset.item"), "");
});

test("items are moved by keyboard and by pointer, and completed", async () => {
  const id = await createProject("a", "b", "c");
  const page = await stage.signedIn(undefined, `/projetos/${id}`);
  await inOrder(page, ["a", "b", "c"]);
  await page.keyboard.press("j");
  await page.keyboard.press("Alt+ArrowDown");
  await inOrder(page, ["b", "a", "c"]);
  assert.equal(await page.evaluate("document.activeElement.querySelector('a').textContent"), "a", "the moved item must keep the focus");
  await page.keyboard.press("Alt+ArrowDown");
  await inOrder(page, ["b", "c", "a"]);
  await page.keyboard.press("Alt+ArrowRight");
  await page.waitForFunction(() => document.querySelectorAll(".items")[1].children.length === 1);
  await page.dragAndDrop(".items li:has-text('c')", ".items li:has-text('b')", { targetPosition: { x: 60, y: 3 } });
  await inOrder(page, ["c", "b", "a"]);
  await page.focus(".items li:has-text('b')");
  await page.keyboard.press("x");
  await page.waitForSelector(".items li.done");
  const { sections } = await read(id);
  assert.deepEqual(sections.map(({ items }) => items.map(({ title }) => title)), [["c", "b"], ["a"]]);
  assert.equal(sections[0].items[1].status, "feito");
  // Enter on the button presses the button; Enter on the item opens the item.
  await page.focus(".items li:has-text('c') button");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".items li.done").length === 2);
  await page.focus(".items li:has-text('c')");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/itens/*");
});

test("changes by others are shown, but not while the viewer types", async () => {
  const id = await createProject("a");
  const page = await stage.signedIn(undefined, `/projetos/${id}`);
  const { sections } = await read(id);
  const add = (title, call) => changeProject(id, "item.add", { section_id: sections[0].id, title }, call);
  await add("b");
  await inOrder(page, ["a", "b"]);

  const { call: asBia } = await stage.demo.member("Bia Reis", "lider");
  const field = page.locator(".adding [name=title]").first();
  await field.fill("meu texto");
  await add("c", asBia);
  await page.getByText("Bia Reis mudou esta página.").waitFor();
  assert.deepEqual(await itemTitles(page), ["a", "b"]);
  assert.equal(await field.inputValue(), "meu texto");
  await page.getByRole("button", { name: "Atualizar" }).click();
  await inOrder(page, ["a", "b", "c"]);
});

test("every navigation entry shows changes by others at once", async () => {
  const { call } = stage.demo;
  const unique = Date.now().toString(36);
  const changes = [
    ["/emails", (name) => call("PUT", `/api/email-drafts/${name}`, { html: "<p>Oi</p>", metadata: {}, expected_updated_at: null })],
    ["/skills", (name) => call("POST", "/api/skills", { name, description: "Nova.", content: "Texto.", expected_version: 0 })],
    ["/conhecimento/documentos", (name) => call("POST", "/api/skills", { name, description: "Nova.", content: "Texto.", expected_version: 0 })],
    ["/configuracao", (name) => call("POST", "/api/config", { key: name, value: { a: 1 }, expected_version: 0 })],
    ["/projetos", (name) => call("POST", "/api/projects", { name })],
    ["/equipe", (name) => call("POST", "/api/membros", { name, email: `${name}@equipe.test`, access_level: "criador" })],
    ["/agentes", (name) => call("POST", "/api/access/tokens", { label: name, scopes: ["tasks_view"] })],
    ["/senhas", (name) => call("PUT", `/api/plataformas/${name}/senha`, { usuario: "escola", senha: "forno-a-lenha-81" })],
    ["/aprovacoes", async (title) => {
      const { event_id: id } = await call("POST", "/api/demanda", { title, channel: "instagram" });
      await call("POST", "/api/enviar", { event_id: id, expected_revision: 1, caption: "Pão" });
    }],
  ];
  const page = await stage.signedIn(undefined, "/projetos");
  for (const [path, change] of changes) {
    await page.goto(stage.demo.url + path);
    const name = `novo-${unique}-${path.replace(/\W+/g, "-").slice(1)}`;
    await change(name);
    await page.getByText(name).first().waitFor().catch((error) => assert.fail(`${path}: ${error.message}`));
  }
});

test("opened sections and typed text stay while a page shows changes by others", async () => {
  const { call: asAda } = await stage.demo.member("Ada Reis", "admin");
  const page = await stage.signedIn(undefined, "/equipe");
  const name = `ao-vivo-${Date.now().toString(36)}`;
  const invite = (call, who) => call("POST", "/api/membros", { name: who, email: `${who}@equipe.test`, access_level: "criador" });
  await page.getByText("Convidar uma pessoa").click();
  await invite(stage.demo.call, name);
  await page.getByText(name).first().waitFor();
  const field = page.getByLabel("Nome", { exact: true });
  assert.ok(await field.isVisible(), "the opened form was closed");
  await field.fill("meu convite");
  await invite(asAda, `${name}-2`);
  await page.getByText("Ada Reis mudou esta página.").waitFor();
  assert.equal(await field.inputValue(), "meu convite");
  assert.equal(await page.getByText(`${name}-2`).count(), 0);
  await page.getByRole("button", { name: "Atualizar" }).click();
  await page.getByText(`${name}-2`).first().waitFor();
});

test("a lost connection is reported, and the typed text stays", async () => {
  const id = await createProject("a");
  const page = await stage.signedIn(undefined, `/projetos/${id}`);
  const field = page.locator(".adding [name=title]").first();
  await field.fill("meu texto");
  await page.context().setOffline(true);
  await page.getByText("Sem conexão. O que você digitou continua aqui.").waitFor();
  await page.keyboard.press("Enter");
  assert.equal(await field.inputValue(), "meu texto");
  await page.context().setOffline(false);
  await page.getByText("Sem conexão.").waitFor({ state: "detached" });
  await page.locator(".adding button").first().click();
  await inOrder(page, ["a", "meu texto"]);
  // htmx reports the form that was sent while offline, as this test expects.
  stage.faults = stage.faults.filter((fault) => !fault.includes("Failed to fetch"));
});

test("the menu shows a creator at most eight entries on every page, and its groups can be folded", async () => {
  for (const [level, most] of [["criador", 8], ["lider", 8], ["admin", 20]]) {
    const page = await openMemberPage(level);
    const entries = page.locator(".side nav a");
    const paths = await entries.evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    assert.ok(paths.length > 8, "the folded groups must contain the other entries");
    for (const path of paths) {
      await page.goto(stage.demo.url + path);
      const shown = await entries.filter({ visible: true }).count();
      assert.ok(shown <= most, `${level}, ${path}: ${shown} entries`);
      assert.ok(await page.locator(".side nav a[aria-current]").isVisible(), `${level}, ${path}: the entry of the page is folded`);
    }
    await page.goto(stage.demo.url);
    const group = page.locator(".side nav details", { hasText: "Equipe e agentes" });
    const open = await group.evaluate((details) => details.open);
    assert.equal(open, level === "admin");
    await group.locator("summary").focus();
    await page.keyboard.press("Enter");
    assert.equal(await group.evaluate((details) => details.open), !open);
    // On other pages, the group stays open or closed as the viewer left it.
    for (const path of ["/agenda", "/projetos"]) {
      await page.goto(stage.demo.url + path);
      assert.equal(await group.evaluate((details) => details.open), !open);
    }
    await page.context().close();
  }
});
