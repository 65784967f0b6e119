// The views of MCP Apps in a host that is made of the extension's own bridge (`apps_host.mjs`).
import assert from "node:assert/strict";
import { test } from "node:test";
import { fitsConversation, openApp } from "./apps_host.mjs";
import { open } from "./stage.mjs";

const stage = open();
const LOOKS = [360, 720].flatMap((width) => ["light", "dark"].map((colorScheme) => ({ width, colorScheme })));
const PHONE = { width: 360, colorScheme: "light" };

/** Submits a piece with an image, dated in the past so that it comes first. */
async function submitPiece(title, day, caption = `Legenda: ${title}`) {
  const { event_id: id } = await stage.demo.call("POST", "/api/demanda", { title });
  await stage.demo.call("POST", "/api/art", { event_id: id, prompt: "Frio pede caldo" });
  const date = { day, month: 1, year: 2020 };
  await stage.demo.call("POST", "/api/enviar", { event_id: id, expected_revision: 2, caption, ...date });
  return id;
}

const status = async (id) => (await stage.demo.call("GET", `/api/eventos/${id}`)).evento.status;

/** Creates a token with these rights; returns it and its id. */
async function createToken(...scopes) {
  const made = await stage.demo.call("POST", "/api/access/tokens", { label: `teste ${scopes}`, scopes });
  return { token: made.token, id: made.metadata.id };
}

const LONG = "Quando o frio chega, a cozinha fica mais quente. ".repeat(40);

for (const look of LOOKS) {
  const name = `${look.width} px, ${look.colorScheme}`;

  test(`the agenda has pages instead of scrolling: ${name}`, async () => {
    const app = await openApp(stage, "list_events", {}, { look });
    await app.view.locator(".ev:visible").first().waitFor();
    await app.view.getByRole("status").getByText(/^\d+ a \d+ de \d+$/).waitFor();
    await fitsConversation(app, "app-agenda");
    const first = await app.view.locator(".ev:visible .title").first().textContent();
    await app.view.getByRole("button", { name: "Próxima página" }).click();
    await fitsConversation(app, "app-agenda-2");
    assert.notEqual(await app.view.locator(".ev:visible .title").first().textContent(), first);
    await app.view.getByRole("button", { name: "Página anterior" }).click();
    await fitsConversation(app, "app-agenda");
    assert.equal(await app.view.locator(".ev:visible .title").first().textContent(), first);
    await app.view.locator(".ev:visible a.what").first().click();
    await app.linkOpened();
    assert.match(app.asked.at(-1).opened, new RegExp(`^${stage.demo.url}/eventos/`));
    await app.close();
  });

  test(`a piece with a long caption is read in parts and refused: ${name}`, async () => {
    const id = await submitPiece(`Longa ${name}`, 2, LONG);
    const pick = (result) => {
      const piece = result.structuredContent.pendentes.find((piece) => piece.id === id);
      return { ...result, structuredContent: { pendentes: [piece] } };
    };
    const app = await openApp(stage, "list_pending_approvals", {}, { look, change: pick });
    await app.view.getByRole("heading", { name: `Longa ${name}` }).waitFor();
    await app.view.locator(".stage img").evaluate((image) => image.decode());
    await fitsConversation(app, "app-approval");
    await app.view.getByRole("button", { name: "Próximo trecho da legenda" }).click();
    await app.view.getByText(/^2 de \d+$/).waitFor();
    await app.view.getByText("Recusar", { exact: true }).click();
    await app.view.getByRole("button", { name: "Recusar com este motivo" }).click();
    await app.view.getByText("Diga o motivo, para quem vai refazer.").waitFor();
    await fitsConversation(app, "app-unsaid");
    await app.view.getByLabel("Fora do tom da marca.").check();
    await app.view.getByLabel("Com as suas palavras").fill("Está longa demais.");
    await fitsConversation(app, "app-refusal");
    await app.view.getByRole("button", { name: "Recusar com este motivo" }).click();
    await app.view.getByText("Recusada.").waitFor();
    assert.equal(await status(id), "recusado");
    await fitsConversation(app, "app-decided");
    await app.close();
  });

  test(`media are chosen, found and attached to a piece: ${name}`, async () => {
    const { event_id: id } = await stage.demo.call("POST", "/api/demanda", { title: `Peça ${name}` });
    const app = await openApp(stage, "list_media", { event_id: id }, { look });
    await app.view.locator(".tile").first().waitFor();
    for (const image of await app.view.locator(".tile:visible img").all()) await image.evaluate((node) => node.decode());
    await app.view.locator(".tile:visible").nth(1).click();
    await app.view.locator(".tile:visible").nth(0).click();
    await app.view.getByRole("button", { name: "Anexar 2 mídias" }).waitFor();
    await fitsConversation(app, "app-media");
    const chosen = await app.view.locator(".tile:visible input").evaluateAll((boxes) => [boxes[1].value, boxes[0].value]);
    await app.view.getByLabel("Procurar nas mídias").fill("zzz não existe");
    await app.view.getByText("Nenhuma das mídias mostradas").waitFor();
    await app.view.getByLabel("Procurar nas mídias").fill("");
    await app.view.getByRole("button", { name: "Anexar 2 mídias" }).click();
    await app.view.getByText("2 mídias anexadas.").waitFor();
    const { evento } = await stage.demo.call("GET", `/api/eventos/${id}`);
    assert.deepEqual(evento.media.map((medium) => medium.id), chosen);
    assert.equal(await app.view.locator(".tile.present").count(), 2);
    assert.match(app.asked.findLast((asked) => asked.informed).informed, new RegExp(`${id}.*${chosen[0]}, ${chosen[1]}`));
    await app.close();
  });

  test(`a launch is seen at a glance: ${name}`, async () => {
    const { lancamentos } = await stage.demo.call("GET", "/api/lancamentos");
    const running = lancamentos.find(({ situacao }) => situacao === "em_andamento") ?? lancamentos[0];
    const app = await openApp(stage, "get_launch_summary", { projetoId: running.projeto_id }, { look });
    await app.view.getByRole("heading", { name: running.nome }).waitFor();
    await app.view.locator(".verdict .sentence").waitFor();
    await app.view.getByRole("img", { name: /da meta$/ }).waitFor();
    await app.view.getByText("hoje, só até agora").waitFor();
    await fitsConversation(app, "app-launch");
    await app.view.getByRole("link", { name: "Abrir na Pauta" }).click();
    await app.linkOpened();
    assert.equal(app.asked.at(-1).opened, `${stage.demo.url}/lancamentos/${running.projeto_id}`);
    await app.close();
  });
}

test("a person approves with the keyboard alone, and the view informs the model", async () => {
  const [first, second] = [await submitPiece("Primeira", 1), await submitPiece("Segunda", 1)];
  const app = await openApp(stage, "list_pending_approvals", { q: "Legenda" });
  await app.view.getByRole("heading", { name: "Primeira" }).waitFor();
  await app.view.getByRole("link", { name: "Primeira" }).focus();
  for (let step = 0; step < 12; step += 1) {
    await app.page.keyboard.press("Tab");
    if ((await app.frame().evaluate("document.activeElement.value")) === "aprovar") break;
  }
  await app.page.keyboard.press("Enter");
  await app.view.getByRole("heading", { name: "Segunda" }).waitFor();
  assert.equal(await status(first), "aprovado");
  assert.deepEqual(app.asked.filter((asked) => asked.informed).map((asked) => asked.informed), [
    `Na visão de aprovação, a pessoa decidiu a peça ${first}: aprovar.`,
  ]);
  await app.view.locator("summary").focus();
  await app.page.keyboard.press("Enter");
  await app.view.getByRole("button", { name: "Recusar com este motivo" }).focus();
  await app.page.keyboard.press("Enter");
  await app.view.getByText("Diga o motivo").waitFor();
  assert.equal(await status(second), "em aprovação");
  await app.close();
});

test("a decision about a piece that has changed is refused, and its current version is shown", async () => {
  const id = await submitPiece("Mudou", 1);
  const app = await openApp(stage, "list_pending_approvals", { q: "Mudou" });
  await app.view.getByRole("heading", { name: "Mudou" }).waitFor();
  await stage.demo.call("POST", `/api/eventos/${id}/reabrir`, { expected_revision: 3 });
  await stage.demo.call("POST", "/api/enviar", { event_id: id, expected_revision: 4, caption: "Legenda nova" });
  await app.view.getByRole("button", { name: "Aprovar" }).click();
  await app.view.getByText("STALE_REVISION").waitFor();
  await app.view.getByText("Legenda nova").waitFor();
  assert.equal(await status(id), "em aprovação");
  await app.close();
});

test("if the host reads no resources for views, the view gets its content from the tool `draw_view`", async () => {
  const capabilities = { openLinks: {}, serverTools: {} };
  const app = await openApp(stage, "list_events", { status: "aprovado" }, { capabilities });
  await app.view.getByText("Depoimento da Dona Cida").first().waitFor({ state: "attached" });
  const [drawn] = app.asked;
  assert.equal(drawn.called, "draw_view");
  assert.match(drawn.input.uri, /^ui:\/\/pauta\/agenda\/lista\?status=aprovado/);
  await app.close();
});

test("full screen shows the whole list, and the theme follows the host", async () => {
  const context = { availableDisplayModes: ["inline", "fullscreen"] };
  const app = await openApp(stage, "list_events", {}, { context });
  const shown = () => app.view.locator(".ev:visible").count();
  await app.view.locator(".ev:visible").first().waitFor();
  const before = await shown();
  await app.view.getByRole("button", { name: "Tela cheia" }).click();
  await app.view.getByRole("button", { name: "Tela cheia" }).waitFor({ state: "hidden" });
  assert.ok((await shown()) > before);
  assert.equal(await shown(), await app.view.locator(".ev").count());
  const background = () => app.frame().evaluate("getComputedStyle(document.body).backgroundColor");
  assert.equal(await background(), "rgb(255, 255, 255)");
  const changes = { theme: "dark", safeAreaInsets: { top: 30, right: 0, bottom: 20, left: 0 } };
  await app.page.evaluate((changes) => bridge.sendHostContextChange(changes), changes);
  await app.frame().waitForFunction("document.documentElement.dataset.theme === 'dark'");
  assert.equal(await background(), "rgb(48, 48, 46)");
  assert.equal(await app.frame().evaluate("getComputedStyle(document.body).paddingTop"), "42px");
  await app.close();
});

test("a view fits in a host without styles and with a limited height", async () => {
  const context = { styles: undefined, containerDimensions: { maxHeight: 320, width: 360 } };
  const app = await openApp(stage, "list_events", {}, { look: PHONE, context });
  await app.view.locator(".ev:visible").first().waitFor();
  assert.ok((await app.height()) <= 320);
  await fitsConversation(app, "app-small");
  await app.close();
});
