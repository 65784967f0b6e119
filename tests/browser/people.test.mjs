// The pages of agents, tokens, team, audit trail and account.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();

test("the URL of the demo opens the console signed in, once", async () => {
  const page = await stage.page();
  await page.goto(stage.demo.console_url);
  await fit(page, "entry");
  await page.getByRole("button", { name: "Entrar" }).click();
  await page.waitForURL(`${stage.demo.url}/`);
  await page.getByText("Helena Prado").first().waitFor();
  const other = await stage.page();
  await other.goto(stage.demo.console_url);
  await other.getByRole("button", { name: "Entrar" }).click();
  await other.getByText("já foi usado").waitFor();
});

for (const look of LOOKS) {
  test(`the pages of people fit: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look);
    for (const client of ["claude", "chatgpt", "claude-code", "cursor", "vscode"]) {
      await page.goto(`${stage.demo.url}/agentes?cliente=${client}`);
      await fit(page, `agents-${client}`);
    }
    await page.getByText("Criar token").first().click();
    await page.getByLabel("Só o que eu marcar abaixo").check();
    await page.getByLabel("Gerar imagens").check();
    await fit(page, "agents-token-form");
    await page.getByLabel("Nome").fill("Token de um computador");
    await page.getByRole("button", { name: "Criar token" }).click();
    await page.getByRole("heading", { name: "Token criado" }).waitFor();
    await fit(page, "agents-token");
    await page.goto(`${stage.demo.url}/equipe`);
    await page.getByRole("heading", { name: "E-mails que não chegaram" }).waitFor();
    await page.getByText("Pergunte à pessoa se o convite chegou; se não, refaça-o.").waitFor();
    await page.getByText("Convidar uma pessoa").click();
    await fit(page, "team");
    await page.getByLabel("Nome").fill("Pessoa com um nome muito comprido de propósito e mais um sobrenome");
    await page.getByLabel("E-mail").fill(`convite-${look.width}-${look.colorScheme}@equipe.test`);
    await page.getByRole("button", { name: "Convidar" }).click();
    await page.getByRole("heading", { name: "Convite feito" }).waitFor();
    await fit(page, "invitation");
    await page.goto(`${stage.demo.url}/equipe`);
    await page.getByRole("link", { name: "Luana Ferreira" }).click();
    await page.getByRole("heading", { name: "Desligamento" }).waitFor();
    await fit(page, "member");
    await page.getByRole("link", { name: "Desligar…" }).click();
    await page.getByRole("heading", { name: "Desligar Luana Ferreira?" }).waitFor();
    await fit(page, "offboarding");
    await page.goto(`${stage.demo.url}/auditoria?desfecho=succeeded&porta=cli`);
    await fit(page, "audit");
    await page.goto(`${stage.demo.url}/conta`);
    await fit(page, "account");
  });
}

test("an admin ends the calendar and the device of a colleague", async () => {
  const page = await stage.signedIn({ width: 360 }, "/equipe");
  await page.getByRole("link", { name: "Marina Duarte" }).click();
  await page.getByRole("heading", { name: "Aparelhos que recebem avisos" }).waitFor();
  await fit(page, "member-reach");
  await page.getByRole("button", { name: "Revogar o endereço de Agenda da equipe" }).click();
  await page.getByText("Calendário revogado.").waitFor();
  await page.getByRole("button", { name: "Remover o aparelho Firefox em Linux" }).click();
  await page.getByText("Aparelho removido.").waitFor();
  assert.equal(await page.locator("#calendarios, #aparelhos").getByText("Nenhum.").count(), 2);
  await page.context().close();
});

for (const look of LOOKS) {
  test(`the privacy page fits and is public: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.page(look);
    await page.goto(`${stage.demo.url}/entrar`);
    await page.getByRole("link", { name: "Privacidade" }).click();
    await page.getByRole("heading", { level: 1, name: "Privacidade" }).waitFor();
    await fit(page, "privacy");
    const outside = await page.$$eval("[src], link[href]", (all) => all.map((one) => one.src || one.href));
    assert.ok(outside.every((address) => address.startsWith(stage.demo.url)), outside.join());
  });
}

test("the buttons of Cursor and VS Code hold the address of the server and no credential", async () => {
  const page = await stage.signedIn({ width: 360 });
  const mcp = `${stage.demo.url}/api/mcp`;
  await page.goto(`${stage.demo.url}/agentes?cliente=cursor`);
  const cursor = new URL(await page.getByRole("link", { name: "Adicionar ao Cursor" }).getAttribute("href"));
  assert.equal(cursor.protocol, "cursor:");
  assert.equal(cursor.searchParams.get("name"), "pauta");
  const config = Buffer.from(cursor.searchParams.get("config"), "base64").toString();
  assert.deepEqual(JSON.parse(config), { url: mcp });
  await page.goto(`${stage.demo.url}/agentes?cliente=vscode`);
  const vscode = await page.getByRole("link", { name: "Adicionar ao VS Code" }).getAttribute("href");
  const [scheme, query] = vscode.split("?");
  assert.equal(scheme, "vscode:mcp/install");
  assert.deepEqual(JSON.parse(decodeURIComponent(query)), { name: "pauta", type: "http", url: mcp });
});

test("the secret of a new token can be copied and used, and is not shown again", async () => {
  const page = await stage.signedIn({});
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${stage.demo.url}/agentes`);
  await page.getByText("Criar token").first().click();
  await page.getByLabel("Nome").fill("Cursor do notebook");
  await page.getByRole("button", { name: "Criar token" }).click();
  await page.getByRole("heading", { name: "Token criado" }).waitFor();
  await fit(page, "token");
  const secret = await page.textContent("#segredo");
  await page.getByRole("button", { name: "Copiar" }).first().click();
  await page.getByText("Copiado.").waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), secret);
  const headers = { authorization: `Bearer ${secret}` };
  const me = await fetch(`${stage.demo.url}/api/me`, { headers });
  assert.equal(me.status, 200);
  await page.reload();
  await page.getByRole("heading", { name: "Agentes", exact: true }).waitFor();
  assert.ok(!(await page.content()).includes(secret));
  const card = page.locator("article", { hasText: "Cursor do notebook" });
  await card.getByText("Revogar").first().click();
  await card.getByRole("button", { name: "Revogar o token" }).click();
  await page.getByText("Token revogado.").waitFor();
  assert.equal((await fetch(`${stage.demo.url}/api/me`, { headers })).status, 401);
});

test("an admin limits what an agent may do in a day, and an empty field removes the limit", async () => {
  const { members } = await stage.demo.call("GET", "/api/access/members");
  const { id, agents } = members.find((member) => member.agents.length > 0);
  const limits = async () => {
    const { members } = await stage.demo.call("GET", "/api/access/members");
    const agent = members.flatMap((member) => member.agents).find((agent) => agent.id === agents[0].id);
    return [agent.uso_hoje.chamadas_por_dia, agent.uso_hoje.imagens_por_dia];
  };
  const page = await stage.signedIn(LOOKS[0]);
  for (const [calls, pictures] of [["2000", "50"], ["", "0"]]) {
    await page.goto(`${stage.demo.url}/equipe/${id}`); // the confirmation of the turn before is gone
    const card = page.locator("#agentes article").first();
    await card.getByText("Limites por dia").click();
    await fit(page, "agent-limits");
    await card.getByLabel("Chamadas por dia").fill(calls);
    await card.getByLabel("Imagens e vídeos por dia").fill(pictures);
    await card.getByRole("button", { name: "Salvar limites" }).click();
    await page.getByText("Limites salvos.").waitFor();
    assert.deepEqual(await limits(), [calls, pictures].map((limit) => (limit ? Number(limit) : null)));
  }
  await page.getByText("No limite até a meia-noite.").first().waitFor();
  await page.context().close();
});

test("the refusal of an invitation is shown beside its form, which keeps the typed text", async () => {
  const page = await stage.signedIn({ width: 360 });
  await page.goto(`${stage.demo.url}/equipe`);
  await page.getByText("Convidar uma pessoa").click();
  await page.getByLabel("Nome").fill("Luana de novo");
  await page.getByLabel("E-mail").fill("luana.ferreira@demo.pauta.test");
  await page.getByRole("button", { name: "Convidar" }).click();
  await page.locator("#convidar .outcome .notice").waitFor();
  assert.equal(await page.getByLabel("Nome").inputValue(), "Luana de novo");
  await fit(page, "invitation-refused");
  await page.getByLabel("E-mail").fill("lia@demo.pauta.test");
  await page.getByRole("button", { name: "Convidar" }).click();
  await page.getByRole("heading", { name: "Convite feito" }).waitFor();
  assert.match(await page.textContent("#convite"), /\/convite#/);
  await fit(page, "invitation-made");
});
