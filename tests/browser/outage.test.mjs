// The console while its database is away, over PostgreSQL behind a proxy that can be cut.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fit, launch, LOOKS } from "./stage.mjs";
import { folder } from "./service.mjs";

const [EMAIL, PASSWORD] = ["zoe@equipe.test", "rapadura-com-coalho-52"];
const root = new URL("../../", import.meta.url).pathname;
const faults = [];
let cluster, proxy, place, service, browser, url;

/** Forwards connections to a server until it is cut. */
async function proxyTo(host, port) {
  const sockets = new Set();
  let open = true;
  const server = net.createServer((client) => {
    if (!open) return void client.destroy();
    const upstream = net.connect(port, host);
    for (const [one, other] of [[client, upstream], [upstream, client]]) {
      sockets.add(one);
      one.on("error", () => other.destroy()).on("close", () => other.destroy()).pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: server.address().port,
    cut() {
      open = false;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    restore: () => (open = true),
    close: () => server.close(),
  };
}

before(async () => {
  cluster = fs.mkdtempSync(path.join(os.tmpdir(), "pauta-outage-"));
  fs.chmodSync(cluster, 0o755);
  const options = { env: { ...process.env, FAST: "1" }, encoding: "utf8" };
  const database = new URL(execFileSync(`${root}.ci/pg-up`, [path.join(cluster, "c")], options).trim());
  proxy = await proxyTo(database.hostname, database.port);
  database.port = proxy.port;
  place = folder({ PAUTA_DATABASE_URL: database.href, PAUTA_SECRET: "a secret that only this test knows, long" });
  await place.run("", "migrate");
  await place.run(PASSWORD, "admin", "create", "--name", "Zoé Prado", "--email", EMAIL, "--password-stdin");
  [service, browser] = await Promise.all([place.serve(/(http:\/\/[\w.:]+)/), launch()]);
  url = service.match[1];
});

after(async () => {
  await browser?.close();
  proxy?.restore();
  await service?.stop();
  proxy?.cut();
  proxy?.close();
  place?.remove();
  if (cluster) execFileSync(`${root}.ci/pg-down`, [path.join(cluster, "c")]);
  assert.deepEqual(faults, [], "pages reported errors");
});

async function openSignedIn({ width = 1280, ...look } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, locale: "pt-BR", reducedMotion: "reduce", ...look });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(`${url}/entrar?volta=/projetos`);
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByLabel("Senha").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${url}/projetos`);
  return page;
}

const linkNamed = (page, name) => page.getByRole("link", { name, exact: true });

for (const look of LOOKS) {
  test(`a page recovers by itself: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await openSignedIn(look);
    proxy.cut();
    const answer = await page.goto(`${url}/projetos?estado=ativo`);
    assert.equal(answer.status(), 503);
    assert.equal(answer.headers()["retry-after"], "1");
    await page.getByText("O banco de dados da Pauta não responde agora.").waitFor();
    await fit(page, "away");
    proxy.restore();
    // The page reloads without any input.
    await page.getByRole("heading", { level: 1, name: "Projetos" }).waitFor();
    assert.equal(page.url(), `${url}/projetos?estado=ativo`);
    await page.context().close();
  });
}

test("a form that is sent during the outage stays on its page and can be sent again", async () => {
  const page = await openSignedIn();
  const field = page.getByLabel("Nome do novo projeto");
  await field.fill("Turma de inverno");
  proxy.cut();
  await page.keyboard.press("Enter");
  await page.getByText("O banco de dados da Pauta não responde agora.").waitFor();
  assert.equal(await field.inputValue(), "Turma de inverno");
  assert.equal(page.url(), `${url}/projetos`);
  await fit(page, "away-form");
  // Following a link while the database is away does not lose the typed text either.
  await page.getByRole("link", { name: "E-mails" }).first().click();
  await page.getByText("Tente de novo em alguns segundos.").waitFor();
  assert.equal(await field.inputValue(), "Turma de inverno");
  proxy.restore();
  for (let tries = 0; tries < 40 && page.url() === `${url}/projetos`; tries += 1) {
    await field.press("Enter", { timeout: 2_000 }).catch(() => {}); // the page may just have left
    await page.waitForTimeout(500);
  }
  await page.goto(`${url}/projetos`);
  assert.equal(await linkNamed(page, "Turma de inverno").count(), 1);
  await page.context().close();
});

for (const look of LOOKS) {
  test(`without a script the form is returned with all its fields: ${look.width} px, ${look.colorScheme}`, async () => {
    const name = `Turma <b>${look.width}</b> ${look.colorScheme}`;
    const page = await openSignedIn({ ...look, javaScriptEnabled: false });
    await page.getByLabel("Nome do novo projeto").fill(name);
    proxy.cut();
    await page.getByLabel("Nome do novo projeto").press("Enter");
    await page.getByText("O que você enviou ainda não foi gravado").waitFor();
    await page.getByText("O que você enviou", { exact: true }).click();
    await page.getByText(name).waitFor();
    proxy.restore();
    const again = page.getByRole("button", { name: "Enviar de novo" });
    for (let tries = 0; tries < 40 && (await again.count()); tries += 1) {
      await again.click();
      await page.waitForTimeout(200);
    }
    await page.goto(`${url}/projetos`);
    assert.equal(await linkNamed(page, name).count(), 1);
    await page.context().close();
  });
}
