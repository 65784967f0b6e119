// Four whole days of a team, by touch, mouse and keyboard: a designer, a head of launch, a social-media manager and an
// admin. Each test counts what a person does: taps, clicks, and keys that are not text. Keys that only move the focus are
// not counted. A text is one action, however long.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, open } from "./stage.mjs";

const stage = open();
const call = (...asked) => stage.demo.call(...asked);
const read = async (id) => (await call("GET", `/api/eventos/${id}`)).evento;
const LAUNCH = "/lancamentos/01990000-0000-7000-8000-000000000041";

/** How a person uses a page: a phone by touch, a desk by mouse, a desk by keyboard. */
const WAYS = {
  touch: { look: { width: 360, hasTouch: true, isMobile: true }, use: (page, target) => target.tap() },
  mouse: { look: { width: 1280 }, use: (page, target) => target.click() },
  keyboard: { look: { width: 1280 }, use: reach },
};

/** Moves the focus with Tab until the element has it. Then presses Enter, unless it takes text. */
async function reach(page, target) {
  await target.waitFor();
  const isFocused = () => target.evaluate((element) => element === document.activeElement);
  for (let turn = 0; !(await isFocused()); turn += 1) {
    assert.ok(turn < 200, `${target} cannot be reached by Tab`);
    await page.keyboard.press("Tab");
  }
  if (!(await target.evaluate((element) => element.matches("input:not([type=radio]), textarea")))) await page.keyboard.press("Enter");
}

/** Opens the console as a member. The hand counts actions: `on` an element, `press` of a key, `write` of a text. */
async function hand(way, who, path = "/") {
  const { look, use } = WAYS[way];
  const page = await stage.signedIn(look, path, who);
  const it = { page, actions: 0 };
  const acting = (act) => async (...asked) => {
    it.actions += 1;
    await act(...asked);
  };
  it.on = acting((target) => use(page, target));
  it.press = acting((key) => page.keyboard.press(key));
  it.write = acting((text) => page.keyboard.type(text));
  it.leave = () => page.context().close();
  return it;
}

async function waitForStatus(id, status) {
  for (let turn = 0; turn < 300; turn += 1) {
    if ((await read(id)).status === status) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail(`${id} is not ${status}`);
}

/** Creates a piece for this designer, due on this day of 2020, so that lists show it first. */
async function createPiece(title, designer, day = 1) {
  const { event_id: id } = await call("POST", "/api/demanda", { title, assignee_id: designer.id, day, month: 1, year: 2020 });
  return id;
}

/** Submits a piece with a caption, as its designer. */
async function submit(designer, id, caption) {
  const { api_revision } = await read(id);
  await designer.call("POST", "/api/enviar", { event_id: id, expected_revision: api_revision, caption });
}

const heading = (page, name, level = 2) => page.getByRole("heading", { level, name, exact: true });
const section = (page, name) => page.getByRole("region", { name });

// ---- A designer corrects a refused piece and submits it again ----

for (const way of Object.keys(WAYS)) {
  test(`a refused piece is corrected and approved in six actions, and nothing is typed twice: ${way}`, async () => {
    const designer = await stage.demo.member("Dora Lins", "criador");
    const lead = await stage.demo.member("Caio Braga", "lider");
    const title = `Sopas de inverno, ${way}`;
    const id = await createPiece(title, designer);
    const cards = [{ text: "Duas sopas" }, { text: "Caldo verdde" }];
    await designer.call("POST", "/api/carousel", { event_id: id, cards, style: "editorial" });
    await submit(designer, id, "Sopas para o frio.");
    const { api_revision: seen } = await read(id);
    const reason = "“Verdde” tem um d a mais no card 2.";
    await lead.call("POST", "/api/aprovar", { event_id: id, expected_revision: seen, action: "recusar", motivo: reason });

    const work = await hand(way, designer);
    const refused = section(work.page, /^Recusadas, para refazer/);
    await refused.getByText(reason).waitFor();
    await fit(work.page, `day-designer-${way}`);
    await work.on(refused.getByRole("link", { name: title }));
    await work.on(work.page.getByRole("link", { name: "Corrigir cards" }).first());
    const card = work.page.getByLabel("Card 2", { exact: true });
    await work.on(card);
    await work.page.keyboard.press("Control+End");
    for (let key = 0; key < 3; key += 1) await work.page.keyboard.press("Backspace");
    await work.page.keyboard.type("de");
    await work.on(work.page.getByRole("button", { name: "Enviar para aprovação" }));
    await work.page.getByText("Desenhado de novo: o card 2. O outro ficou como estava.").waitFor();
    await work.leave();

    const decision = await hand(way, lead);
    const waiting = section(decision.page, /^Para você aprovar/);
    await decision.on(waiting.getByRole("link", { name: title }));
    await heading(decision.page, title).waitFor();
    await decision.page.getByText(reason).first().waitFor();
    if (way === "keyboard") await decision.press("a");
    else await decision.on(decision.page.getByRole("button", { name: /^Aprovar\s*A?$/ }));
    await waitForStatus(id, "aprovado");
    const actions = work.actions + decision.actions;
    assert.ok(actions <= 6, `${actions} actions`);
    assert.equal((await read(id)).description, "Sopas para o frio.");
    const { media } = await call("GET", `/api/media?event_id=${id}`);
    const source = ({ id: shown }) => media.find((listed) => listed.id === shown).source.text;
    assert.deepEqual((await read(id)).media.map(source), ["Duas sopas", "Caldo verde"]);
    await decision.leave();
  });
}

// ---- The head of a launch makes ten decisions, and reads the verdict of the launch ----

/** Submits ten pieces; returns their ids in the order of the inbox, and the lead who decides. */
async function tenSubmitted(name) {
  const designer = await stage.demo.member("Dora Lins", "criador");
  const lead = await stage.demo.member("Caio Braga", "lider", { financeiro: true });
  const ids = [];
  for (let day = 1; day <= 10; day += 1) {
    const id = await createPiece(`${name} ${day}`, designer, day);
    await submit(designer, id, `Legenda ${day}`);
    ids.push(id);
  }
  return { ids, lead };
}

test("ten pieces are approved by ten keys", async () => {
  const { ids, lead } = await tenSubmitted("Tecla");
  const work = await hand("keyboard", lead, "/aprovacoes");
  for (let at = 1; at <= 10; at += 1) {
    await heading(work.page, `Tecla ${at}`).waitFor();
    await work.press("a");
  }
  await work.page.getByText("10 aprovadas").waitFor();
  for (const id of ids) await waitForStatus(id, "aprovado");
  assert.ok(work.actions <= 10, `${work.actions} keys`);
  await work.leave();
});

for (const way of ["touch", "mouse"]) {
  test(`ten pieces are approved in twelve actions from the first page: ${way}`, async () => {
    const { ids, lead } = await tenSubmitted(`Dez ${way}`);
    const work = await hand(way, lead);
    await work.on(section(work.page, /^Para você aprovar/).getByRole("link", { name: `Dez ${way} 1`, exact: true }));
    for (let at = 1; at <= 10; at += 1) {
      await heading(work.page, `Dez ${way} ${at}`).waitFor();
      const button = work.page.getByRole("button", { name: /^Aprovar\s*A?$/ });
      const { y, height } = await button.boundingBox();
      if (way === "touch") assert.ok(y + height <= work.page.viewportSize().height, "the decision is in view");
      await work.on(button);
    }
    for (const id of ids) await waitForStatus(id, "aprovado");
    assert.ok(work.actions <= 12, `${work.actions} actions`);
    await work.leave();
  });
}

for (const way of Object.keys(WAYS)) {
  test(`the verdict of a launch is visible after three actions, without scrolling: ${way}`, async () => {
    const lead = await stage.demo.member("Caio Braga", "lider", { financeiro: true });
    const work = await hand(way, lead);
    if (way === "touch") {
      await work.on(work.page.getByText("Menu", { exact: true }));
      const group = work.page.locator(".menu details", { hasText: "Resultados" }).locator("summary");
      if (await group.isVisible()) await work.on(group);
      await work.on(work.page.locator(".menu").getByRole("link", { name: "Lançamentos" }));
    } else if (way === "mouse") {
      const group = work.page.locator(".side details", { hasText: "Resultados" }).locator("summary");
      await work.on(group);
      await work.on(work.page.locator(".side").getByRole("link", { name: "Lançamentos" }));
    } else {
      await work.press("Control+k");
      await work.page.getByRole("combobox", { name: "Procurar" }).waitFor();
      await work.page.keyboard.type("lançamentos");
      await work.page.getByRole("option", { name: /^Lançamentos/ }).first().waitFor();
      await work.press("Enter");
    }
    await work.page.waitForURL("**/lancamentos");
    const sentence = work.page.locator(".verdict .sentence").first();
    const { y, height } = await sentence.boundingBox();
    assert.ok(y >= 0 && y + height <= work.page.viewportSize().height, "without scrolling");
    assert.ok(work.actions <= 3, `${work.actions} actions`);
    await work.page.goto(stage.demo.url + LAUNCH);
    await work.page.getByText(/^(No ritmo de agora|Meta batida)/).waitFor();
    await fit(work.page, `day-head-${way}`);
    await work.leave();
  });
}

// ---- A social-media manager plans, finds and publishes pieces ----

for (const way of Object.keys(WAYS)) {
  test(`a piece of any month is found in three actions: ${way}`, async () => {
    const manager = await stage.demo.member("Mel Duarte", "lider");
    const months = [[3, new Date().getFullYear() + 1], [11, 2021]];
    for (const [month, year] of months) {
      const title = `Mungunzá de ${month} ${way}`;
      const { event_id: id } = await manager.call("POST", "/api/demanda", { title, day: 9, month, year });
      const work = await hand(way, manager, "/projetos");
      if (way === "keyboard") await work.press("Control+k");
      else await work.on(work.page.locator("[data-palette]"));
      await work.page.getByRole("combobox", { name: "Procurar" }).waitFor();
      await work.write(`mungunza de ${month} ${way}`);
      const found = work.page.getByRole("option", { name: new RegExp(`^${title}`) });
      await found.waitFor();
      if (way === "keyboard") await work.press("Enter");
      else await work.on(found);
      await work.page.waitForURL(`**/eventos/${id}`);
      assert.ok(work.actions <= 3, `${work.actions} actions`);
      await work.leave();
    }
  });

  test(`a manager plans a piece, submits it and publishes it by hand: ${way}`, async () => {
    const manager = await stage.demo.member("Mel Duarte", "lider");
    const work = await hand(way, manager);
    const { page } = work;
    if (way === "keyboard") await work.press("c");
    else await work.on(page.getByRole("link", { name: "Nova demanda", exact: true }).first());
    await page.waitForURL("**/demandas/nova");
    await page.getByLabel("Título").fill(`Canjica, ${way}`);
    await work.on(page.getByRole("button", { name: "Criar demanda" }));
    await heading(page, `Canjica, ${way}`, 1).waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1);
    await page.getByLabel("Texto", { exact: true }).fill("Canjica com paçoca.");
    await work.on(page.getByRole("button", { name: "Enviar para aprovação" }));
    await page.getByText("Espera uma decisão").first().waitFor();
    await work.on(page.getByRole("link", { name: "Aprovar ou recusar" }));
    await heading(page, `Canjica, ${way}`).waitFor();
    if (way === "keyboard") await work.press("a");
    else await work.on(page.getByRole("button", { name: /^Aprovar\s*A?$/ }));
    await waitForStatus(id, "aprovado");

    await page.goto(`${stage.demo.url}/eventos/${id}`);
    await page.getByLabel("Link do post").fill("https://www.instagram.com/p/C9aPao/");
    await work.on(page.getByRole("button", { name: "Já publiquei" }));
    await page.getByRole("link", { name: "Ver o post em instagram.com" }).waitFor();
    assert.equal((await read(id)).status, "publicado");
    assert.ok(work.actions <= 6, `${work.actions} actions`);
    await work.leave();
  });
}

// ---- An admin invites a person and offboards a member, and the audit trail names both ----

for (const way of Object.keys(WAYS)) {
  test(`an admin invites and offboards, and the audit trail names who did what: ${way}`, async () => {
    const admin = await stage.demo.member(`Alda Nunes ${way}`, "admin");
    const work = await hand(way, admin, "/equipe");
    const { page } = work;
    await work.on(page.getByText("Convidar uma pessoa"));
    const name = `Zélia Prado ${way}`;
    await page.getByLabel("Nome").fill(name);
    await page.getByLabel("E-mail").fill(`zelia.${way}.${Date.now()}@equipe.test`);
    await work.on(page.getByRole("button", { name: "Convidar" }));
    await heading(page, "Convite feito", 1).waitFor();
    const link = await page.textContent("#convite");
    assert.ok(work.actions <= 3, `${work.actions} actions`);

    // The invited person is signed in on the first page, which suggests no steps in a terminal.
    const invited = await stage.page(WAYS.touch.look);
    await invited.goto(link);
    for (const field of ["#password", "#again"]) await invited.fill(field, "rapadura-com-coalho-52");
    await invited.getByRole("button", { name: "Definir senha" }).tap();
    await heading(invited, "Hoje", 1).waitFor();
    assert.equal(await invited.getByText("curl").count(), 0);
    await invited.context().close();

    work.actions = 0;
    await page.goto(`${stage.demo.url}/equipe`);
    await work.on(page.getByRole("link", { name }));
    await work.on(page.getByRole("link", { name: "Desligar…" }));
    await heading(page, `Desligar ${name}?`, 1).waitFor();
    await work.on(page.getByRole("button", { name: "Desligar" }));
    await heading(page, `${name} saiu da equipe`, 1).waitFor();
    assert.ok(work.actions <= 3, `${work.actions} actions`);

    await page.goto(`${stage.demo.url}/auditoria?operacao=offboard_member&quem=${admin.id}`);
    const row = page.getByRole("row", { name: new RegExp(`Alda Nunes ${way}`) });
    await row.getByText(name).waitFor();
    assert.equal(await row.getByRole("link").count(), 0, "who left has no page");
    await fit(page, `day-admin-${way}`);

    await work.leave();

    // The row and the filter still name a member who has left.
    await call("DELETE", `/api/membros/${admin.id}`);
    const later = await stage.signedIn(undefined, `/auditoria?quem=${admin.id}`);
    await later.getByRole("row", { name: new RegExp(`Alda Nunes ${way}`) }).first().waitFor();
    assert.equal(await later.locator("[name=quem] option:checked").textContent(), `Alda Nunes ${way} (saiu da equipe)`);
    await later.context().close();
  });
}
