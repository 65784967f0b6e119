// The first steps of a new team, with the keyboard alone: the first admin, a demand, its caption and image, the
// decision, an agent that works over MCP, and an operation called from the catalog.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { BINARY, launch } from "./stage.mjs";

const require = createRequire(new URL("../../.tools/node/", import.meta.url));
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const PASSWORD = "rapadura-com-coalho-52";
const faults = [];
let service, browser, folder, first;

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "pauta-tour-"));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PAUTA")));
  const options = { cwd: folder, env: { ...env, PAUTA_LISTEN: "127.0.0.1:0" }, stdio: ["ignore", "pipe", "ignore"] };
  service = spawn(BINARY, ["serve"], options);
  let said = "";
  service.stdout.on("data", (chunk) => (said += chunk));
  for (const began = Date.now(); !first; await pause(100)) {
    assert.ok(service.exitCode === null && Date.now() - began < 60_000, `no first access was offered:\n${said}`);
    first = said.match(/(http:\S+)\/primeiro-acesso[^]*: (\S+)\n/);
  }
  browser = await launch();
});

after(async () => {
  await browser?.close();
  service?.kill("SIGTERM");
  if (service?.exitCode === null) await once(service, "close");
  fs.rmSync(folder, { recursive: true, force: true });
  assert.deepEqual(faults, [], "pages reported errors");
});

/** Presses Tab until the element has the focus. */
async function focusByTab(page, locator) {
  await locator.waitFor();
  for (let presses = 0; presses < 200; presses += 1) {
    if (await locator.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`the keyboard does not reach ${locator}`);
}

async function type(page, locator, text) {
  await focusByTab(page, locator);
  await page.keyboard.type(text);
}

async function press(page, locator) {
  await focusByTab(page, locator);
  await page.keyboard.press("Enter");
}

/** Opens the first result of the palette for these words; waits for the page with this heading. */
async function openFromPalette(page, words, heading) {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Ir para" }).waitFor();
  await page.keyboard.type(words);
  await page.locator("#ofertas [role=option]").first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.waitForLoadState(); // the keys work when the scripts are loaded
}

test("a new team plans, generates, approves, connects an agent and tries an operation with the keyboard alone", async () => {
  const [, url, code] = first;
  const context = await browser.newContext({ locale: "pt-BR", reducedMotion: "reduce" });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));

  await page.goto(url);
  await type(page, page.getByLabel("Código"), code);
  await type(page, page.getByLabel("Nome"), "Zoé Prado");
  await type(page, page.getByLabel("E-mail"), "zoe@equipe.test");
  await type(page, page.getByLabel("Senha"), PASSWORD);
  await press(page, page.getByRole("button", { name: "Criar admin e entrar" }));

  await press(page, page.getByRole("link", { name: "Nova demanda", exact: true }));
  await type(page, page.getByLabel("Título"), "Pão de queijo de frigideira");
  await type(page, page.getByLabel("Canal"), "instagram");
  await press(page, page.getByRole("button", { name: "Criar demanda" }));

  await page.getByRole("heading", { level: 1, name: "Pão de queijo de frigideira" }).waitFor();
  await press(page, page.locator("summary", { hasText: "Gerar imagem" }));
  await type(page, page.locator("textarea[name=prompt]").first(), "# Pão de queijo\nem dez minutos");
  await press(page, page.locator("form", { has: page.locator("textarea[name=prompt]") }).getByRole("button", { name: "Gerar" }));
  await page.locator("#midia-1 img").waitFor(); // the first image of the page is the preview
  await type(page, page.locator("textarea[name=caption]").first(), "Sem forno e sem espera.");
  await press(page, page.getByRole("button", { name: "Enviar para aprovação" }));
  await page.getByText("Em aprovação").first().waitFor();

  await openFromPalette(page, "aprovacoes", "Aprovações");
  await page.getByText("Sem forno e sem espera.").first().waitFor();
  await page.keyboard.press("a");
  await page.getByRole("heading", { name: "Tudo decidido" }).waitFor();

  await openFromPalette(page, "agentes", "Agentes");
  await press(page, page.locator("summary", { hasText: "Criar token" }));
  await type(page, page.locator("input[name=nome]"), "Claude Code");
  const form = page.locator("form", { has: page.locator("input[name=nome]") });
  await press(page, form.getByRole("button"));
  const secret = (await page.getByText(/svc_live_\S+/).first().innerText()).match(/svc_live_\S+/)[0];
  const client = new Client({ name: "tour", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const headers = { Authorization: `Bearer ${secret}` };
  await client.connect(new StreamableHTTPClientTransport(new URL("/api/mcp", url), { requestInit: { headers } }));
  const { structuredContent } = await client.callTool({ name: "list_events", arguments: {} });
  assert.deepEqual(structuredContent.eventos.map(({ title, status }) => [title, status]), [["Pão de queijo de frigideira", "aprovado"]]);
  await client.close();

  await openFromPalette(page, "list_events", /list_events|Listar peças/);
  await press(page, page.getByRole("button", { name: "Chamar" }));
  await page.locator("pre:visible", { hasText: '"eventos"' }).first().waitFor();
});
