// E-mails: a forgotten password, an invitation, the settings and the page to unsubscribe, with a small SMTP server.
import assert from "node:assert/strict";
import { createHmac, hkdfSync } from "node:crypto";
import net from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fit, launch, LOOKS } from "./stage.mjs";
import { folder } from "./service.mjs";

const ADDRESS = /(http:\/\/127\.0\.0\.1:\d+)/;
const EMAIL = "zoe@equipe.test";
const PASSWORD = "rapadura-com-coalho-52";
const SECRET = "a secret that only this test knows, long enough";
const faults = [];
let place, service, browser, smtp, url;

/** Accepts every e-mail; `mails` are their raw texts. */
function startSmtp() {
  const mails = [];
  const server = net.createServer((socket) => {
    let pending = "";
    let isText = false;
    socket.on("error", () => {});
    socket.write("220 browser.test\r\n");
    socket.on("data", (chunk) => {
      pending += chunk;
      for (;;) {
        const end = pending.indexOf(isText ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const line = pending.slice(0, end);
        pending = pending.slice(end + (isText ? 5 : 2));
        if (isText) mails.push(line);
        socket.write(!isText && line === "DATA" ? "354 go on\r\n" : "250 ok\r\n");
        isText = !isText && line === "DATA";
      }
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ mails, server, port: server.address().port }));
  });
}

/** The parts of the next e-mail with this subject, decoded. */
async function nextMail(subject) {
  for (const began = Date.now(); Date.now() - began < 240_000; await pause(100)) {
    const at = smtp.mails.findIndex((mail) => mail.includes(subject));
    if (at >= 0) return decode(smtp.mails.splice(at, 1)[0]);
  }
  assert.fail(`no e-mail with ${subject}`);
}

function decode(mail) {
  const [, boundary] = mail.match(/boundary="([^"]+)"/);
  const parts = mail.split(`--${boundary}`).map((part) => {
    const [head, ...body] = part.split("\r\n\r\n");
    const text = body.join("\r\n\r\n");
    if (/base64/.test(head)) return [head, Buffer.from(text, "base64").toString()];
    if (!/quoted-printable/.test(head)) return [head, text];
    const bytes = text.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
    return [head, Buffer.from(bytes, "latin1").toString()];
  });
  const part = (kind) => parts.find(([head]) => head.includes(`text/${kind}`))[1];
  return { text: part("plain"), html: part("html") };
}

before(async () => {
  smtp = await startSmtp();
  place = folder({ PAUTA_SECRET: SECRET, PAUTA_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PAUTA_SMTP_FROM: "Pauta <avisos@equipe.test>" });
  await place.run(`${PASSWORD}\n`, "admin", "create", "--name", "Zoé Prado", "--email", EMAIL, "--password-stdin");
  [service, browser] = await Promise.all([place.serve(ADDRESS), launch()]);
  url = service.match[1];
});

after(async () => {
  await browser?.close();
  await service?.stop();
  smtp?.server.close();
  place?.remove();
  assert.deepEqual(faults, [], "pages reported errors");
});

async function openPage({ width = 1280, ...look } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, locale: "pt-BR", reducedMotion: "reduce", ...look });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    const refused = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !refused) faults.push(message.text());
  });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== url) faults.push(`asked ${request.url()}`);
  });
  return page;
}

async function signIn(page, password, path = "/") {
  await page.goto(`${url}/entrar?volta=${encodeURIComponent(path)}`);
  await page.fill("[name=email]", EMAIL);
  await page.fill("[name=password]", password);
  await page.getByRole("button", { name: "Entrar" }).click();
  await page.waitForURL(`${url}${path}`);
}

/** Shows the HTML of an e-mail as it is, in each look. */
async function look(html, name) {
  for (const one of LOOKS) {
    const page = await openPage(one);
    await page.setContent(html);
    await fit(page, name);
    await page.context().close();
  }
}

/** The address with which a member ends e-mails of a kind, as their e-mails have it. */
function unsubscribeAddress(id, kind) {
  const key = Buffer.from(hkdfSync("sha256", SECRET, "pauta", "unsubscribing from e-mails", 32));
  return `${url}/avisos/cancelar/${id}/${kind}/${createHmac("sha256", key).update(`${id}\n${kind}`).digest("base64url")}`;
}

/** A client of the interface with the session of the admin. */
async function signedCall() {
  const send = async (method, where, body, headers = {}) => {
    const answer = await fetch(url + where, { method, headers: { "content-type": "application/json", ...headers }, body: body && JSON.stringify(body) });
    const read = await answer.json();
    assert.ok(answer.ok, `${method} ${where}: ${JSON.stringify(read)}`);
    return read;
  };
  const { access_token } = await send("POST", "/auth/v1/token?grant_type=password", { email: EMAIL, password: PASSWORD });
  return (method, where, body) => send(method, where, body, { authorization: `Bearer ${access_token}` });
}

/** The day and the hour in Brasilia of an instant. */
function local(instant) {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: "America/Sao_Paulo", dateStyle: "short", timeStyle: "short" });
  const [, day, month, year, hour] = format.format(instant).match(/(\d+)\/(\d+)\/(\d+), (\d+:\d+)/);
  return { day: Number(day), month: Number(month), year: Number(year), hour };
}

test("an e-mail with notifications fits in the colours of a dark brand", async () => {
  const call = await signedCall();
  await call("POST", "/api/config", { key: "marca", value: { nome: "Casa do Pão", cores: ["#0b1f3a", "#ffd54f"] } });
  // Reminders are the notifications that are sent at once.
  // The hour has no seconds, so it is one to two minutes away.
  const soon = local(Date.now() + 120_000);
  for (const title of ["Bolo de fubá", `Receitas de ${"muitas-avós-de-Minas-Gerais-".repeat(6)}`]) {
    const { event_id: id } = await call("POST", "/api/demanda", { title });
    const { api_revision: read } = await call("POST", "/api/draft", { event_id: id, expected_revision: 1, caption: "Pão quente" });
    const variantes = [{ canal: "whatsapp", ...soon }];
    const { api_revision: written } = await call("PUT", `/api/eventos/${id}/variantes`, { expected_revision: read, variantes });
    await call("POST", "/api/enviar", { event_id: id, expected_revision: written });
    await call("POST", "/api/aprovar", { event_id: id, action: "aprovar" });
  }
  const mail = await nextMail("List-Unsubscribe:");
  assert.match(mail.text, /2 avisos de Casa do Pão/);
  assert.equal(mail.html.match(/hora de publicar/g).length, 2);
  await look(mail.html, "mail-notifications");
  for (const label of ["Preferências", "Não receber mais estes e-mails"]) assert.ok(mail.text.includes(label));
});

test("a member ends e-mails without signing in", async () => {
  const send = (where, body, headers = {}) =>
    fetch(url + where, { method: body ? "POST" : "GET", headers: { "content-type": "application/json", ...headers }, body: body && JSON.stringify(body) });
  const { access_token } = await (await send("/auth/v1/token?grant_type=password", { email: EMAIL, password: PASSWORD })).json();
  const session = { authorization: `Bearer ${access_token}` };
  const { membros } = await (await send("/api/membros", undefined, session)).json();
  const settings = async () => (await (await send("/api/notificacoes/preferencias", undefined, session)).json()).por_email;
  const address = unsubscribeAddress(membros[0].id, "mencao");
  for (const one of LOOKS) {
    const page = await openPage(one);
    await page.goto(address);
    await page.getByText("Não receber mais e-mails quando mencionam você, respondem ou um convidado comenta?").waitFor();
    await fit(page, "unsubscribe");
    await page.context().close();
  }
  assert.ok((await settings()).includes("mencao"), "opening the page changes nothing");
  const page = await openPage({ width: 360 });
  await page.goto(address);
  await page.getByRole("button", { name: "Não receber mais" }).click();
  await page.getByRole("heading", { name: "Pronto" }).waitFor();
  await fit(page, "unsubscribed");
  assert.ok(!(await settings()).includes("mencao"));
});

test("a member asks for a new password and sets it with the link of the e-mail", async () => {
  for (const one of LOOKS) {
    const page = await openPage(one);
    await page.goto(`${url}/entrar`);
    await page.getByRole("link", { name: "Esqueci a senha" }).click();
    await page.getByRole("heading", { name: "Esqueci a senha" }).waitFor();
    await fit(page, "forgotten");
    await page.context().close();
  }
  const page = await openPage();
  await page.goto(`${url}/senha/esquecida`);
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByRole("button", { name: "Mandar o link" }).click();
  await page.getByRole("heading", { name: "Confira seu e-mail" }).waitFor();
  await fit(page, "asked");
  const mail = await nextMail("Senha nova");
  await look(mail.html, "mail-reset");
  const link = mail.text.match(/http\S+redefinir-senha#\S+/)[0];
  for (const one of LOOKS) {
    const reset = await openPage(one);
    await reset.goto(link);
    await reset.getByText("Escolha uma senha nova.").waitFor();
    await fit(reset, "reset");
    await reset.context().close();
  }
  const next = "caju-vermelho-na-serra-9";
  await page.goto(link);
  await page.fill("#password", next);
  await page.fill("#again", next);
  await page.getByRole("button", { name: "Definir senha" }).click();
  await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
  await nextMail("foi trocada");
  const late = await openPage();
  await late.goto(link);
  await late.fill("#password", PASSWORD);
  await late.fill("#again", PASSWORD);
  await late.getByRole("button", { name: "Definir senha" }).click();
  await late.getByRole("heading", { name: "Este link não vale mais" }).waitFor();
  await fit(late, "reset-spent");
  // An invitation by e-mail, and the settings.
  await page.goto(`${url}/equipe`);
  await page.getByText("Convidar uma pessoa").click();
  await page.getByLabel("Nome").fill("Téo Lins");
  await page.getByLabel("E-mail", { exact: true }).fill("teo@equipe.test");
  await page.getByRole("button", { name: "Convidar" }).click();
  await page.getByText("O convite vai por e-mail à pessoa e vale 7 dias.").waitFor();
  await fit(page, "invited");
  const invitation = await nextMail("Convite para");
  await look(invitation.html, "mail-invitation");
  assert.match(invitation.text, /\/convite#/);
  for (const one of LOOKS) {
    const settings = await openPage(one);
    await signIn(settings, next, "/notificacoes/preferencias");
    await fit(settings, "mail-settings");
    await settings.context().close();
  }
  const settings = await openPage({ width: 360 });
  await signIn(settings, next, "/notificacoes/preferencias");
  await settings.getByLabel("Frequência").selectOption("9");
  await settings.getByRole("button", { name: "Salvar" }).click();
  await settings.getByText("Preferências salvas.").waitFor();
  await settings.reload();
  assert.equal(await settings.getByLabel("Frequência").inputValue(), "9");
});
