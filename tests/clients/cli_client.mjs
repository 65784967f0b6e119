// Drives a running Pauta with the published command line, the rendered `cli.mjs`.
//
//     PAUTA_URL=… PAUTA_TOKEN=… PAUTA_SESSION=… PAUTA_READER_TOKEN=… PAUTA_GUEST=… node cli_client.mjs CLI
//
// CLI (or PAUTA_CLI) is the file's path; it needs only Node's own modules. A server in this process tests retries and
// trust. Each test chooses its responses.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { launch } from "../browser/stage.mjs";
import { typed } from "./people.mjs";

const { PAUTA_URL, PAUTA_TOKEN, PAUTA_SESSION, PAUTA_READER_TOKEN, PAUTA_GUEST } = process.env;
const source = process.argv[2] ?? process.env.PAUTA_CLI;
const home = fs.mkdtempSync(path.join(os.tmpdir(), "pauta-cli-"));
const CLI = path.join(home, "cli.mjs");
const CONFIG = path.join(home, "config", "pauta", "config.json");
const [OK, USAGE, CREDENTIAL, FORBIDDEN, NOT_FOUND, CONFLICT, INVALID] = [0, 2, 3, 4, 5, 6, 7];
const [RATE, SERVER, NETWORK, UNKNOWN, INTERRUPTED] = [8, 9, 10, 11, 130];
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
const PASSWORD = "rapadura-com-coalho-52"; // of the invited member
const SOMEONE = "0190a6b2-7c3e-7d41-9a25-3f6e8b0c1d2e"; // a valid id that no member has
const HOSTILE = "\u001b[2J\u009b31m\u202etítulo\u0007"; // clears the screen, sets a colour, reverses text, rings
const base = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: path.join(home, "config") };
const said = []; // the output of every run

/** Runs a command and returns its output. The exit code must be `exit` or, if that is a list, one of its codes. */
function execute(file, args, { env = {}, input = "", exit = OK, onSpawn } = {}) {
  const names = { PAUTA_URL, PAUTA_TOKEN, ...env };
  const given = Object.fromEntries(Object.entries({ ...base, ...names }).filter(([, value]) => value !== undefined));
  const child = spawn(file, args, { cwd: home, env: given });
  const [out, err] = [[], []];
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => err.push(chunk));
  child.stdin.on("error", () => {}); // the command may exit without reading its input
  child.stdin.end(input);
  onSpawn?.(child);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const result = { out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString(), code };
      said.push(result.out, result.err);
      const allowed = [exit].flat();
      const fault = `\`${args.join(" ")}\` ended with ${code}, expected ${allowed.join(" or ")}:\n${result.err}`;
      if (allowed.includes(code)) resolve(result);
      else reject(new assert.AssertionError({ message: fault }));
    });
  });
}

const cli = (args, options) => execute(process.execPath, [CLI, ...args], options);
const call = async (args, options) => JSON.parse((await cli(args, options)).out);
/** Runs a command, asserts this exit code, and returns the error object that it prints. */
const expectRefusal = async (exit, args, options) =>
  JSON.parse((await cli([...args, "--output", "json"], { ...options, exit })).err);

async function anEventIsCreatedAndApproved() {
  const me = await call(["get-me"]);
  assert.ok(me.auth.kind === "personal_token" && me.caps.length, "get-me: not a token with capabilities");

  const title = `Pauta ${randomUUID().slice(0, 8)}: ação, pão e 咖啡`;
  const year = String(new Date().getFullYear() + 1);
  const created = await call(["create-demand", "--title", title, "--day=15", "--month", "6", "--year", year]);
  const id = created.event_id;
  assert.equal(created.event.title, title, "create-demand: title");
  const draft = ["save-draft", "--event_id", id, "--expected-revision"]; // the API's field names are valid flags
  const first = created.event.api_revision;
  const given = '{"caption": "De --json", "status": "a fazer"}';
  const saved = await call([...draft, String(first), "--json", given, "--caption", "Legenda"]);
  assert.equal(saved.status, "a fazer", "save-draft: --json was ignored");
  const stale = await expectRefusal(CONFLICT, [...draft, String(first), "--caption", "Tarde"]);
  assert.deepEqual([stale.code, stale.details.current], ["STALE_REVISION", saved.api_revision], "save-draft: a stale revision must be refused");
  const told = await cli([...draft, String(first)], { exit: CONFLICT });
  const forPeople = /^STALE_REVISION: .+\n {2}current: \d+\n {2}since: .+\n(?: {4}.+\n)+ {2}→ .+\n {2}pedido: \S+\n$/;
  assert.match(told.err, forPeople, "the error must be worded for people");

  const cards = ["Primeiro card", "Segundo card"].flatMap((text) => ["--cards", JSON.stringify({ text })]);
  const carousel = await call(["generate-carousel", ...cards, "--style", "editorial", "--event-id", id]);
  assert.equal(carousel.cards.length, 2, "generate-carousel: cards");
  const card = carousel.cards[0].url.split(/[/?&=]/);
  const link = ["--id", card.at(-5), "--exp", card.at(-3), "--sig", card.at(-1)];
  const kept = path.join(home, "card");
  await cli(["get-media", ...link, "--out", kept], { env: { PAUTA_TOKEN: undefined } });
  assert.ok(fs.statSync(kept).size > 1000, "get-media: the image is too small");
  const upload = ["upload-media", "--file", "foto.png", "--event-id", id, "--alt", 'Um "ponto"; pão'];
  const uploaded = await call(upload);
  assert.deepEqual([uploaded.media_type, uploaded.width, uploaded.bytes], ["image/png", 1, PNG.length], "upload-media");

  const { evento } = await call(["get-event", "--event-id", id]);
  assert.deepEqual([evento.description, evento.media.length], ["Legenda", 3], "get-event: caption and media");
  const revision = String(evento.api_revision);
  const sent = await call(["submit-for-approval", "--event-id", id, "--expected-revision", revision]);
  assert.equal(sent.status, "em aprovação", "submit-for-approval: status");
  const pending = await call(["list-pending-approvals", "--all", "--limit", "1"]);
  assert.ok(pending.pendentes.some((event) => event.id === id), "--all missed an event");
  assert.equal(pending.next_cursor, null, "--all left pages");
  const decided = await call(["decide-approval", "--event-id", id, "--action", "aprovar"]);
  assert.equal(decided.status, "aprovado", "decide-approval: status");
  assert.equal((await call(["get-event", "--event-id", id])).evento.status, "aprovado", "get-event: status");
}

async function eachRefusalHasItsExitCode() {
  const impossible = ["create-demand", "--title", "Pauta", "--day", "31", "--month", "2"];
  assert.equal((await expectRefusal(INVALID, impossible)).details.fields[0].field, "day", "the field is not named");
  const { err } = await cli(impossible, { exit: INVALID });
  assert.match(err, /^INVALID_INPUT: .+\n {2}--day: /, "the error must name the field as a flag");
  assert.equal((await expectRefusal(NOT_FOUND, ["get-event", "--event-id", SOMEONE])).code, "NOT_FOUND");
  const reader = { env: { PAUTA_TOKEN: PAUTA_READER_TOKEN } };
  assert.equal((await expectRefusal(FORBIDDEN, ["create-demand", "--title", "Pauta"], reader)).code, "CAPABILITY_REQUIRED");
  assert.equal((await expectRefusal(FORBIDDEN, ["list-my-tokens"])).code, "SESSION_REQUIRED");
  const wrong = { env: { PAUTA_TOKEN: `svc_live_${"x".repeat(16)}.${"y".repeat(43)}` } };
  assert.equal((await expectRefusal(CREDENTIAL, ["get-me"], wrong)).code, "UNAUTHENTICATED");
  await expectRefusal(CREDENTIAL, ["get-me"], { env: { PAUTA_TOKEN: undefined } });
  await expectRefusal(CREDENTIAL, ["get-me"], { env: { PAUTA_TOKEN: "two words" } });
  const nobody = { env: { PAUTA_URL: "http://127.0.0.1:1" } };
  assert.equal((await expectRefusal(NETWORK, ["create-demand", "--title", "Pauta"], nobody)).code, "NETWORK");
}

async function aRepeatedKeyHasOneEffect() {
  const create = (title) => ["create-demand", "--title", title, "--idempotency-key", key];
  const key = `cli-test:${randomUUID()}`;
  const one = await call(create("Pauta com chave"));
  const again = await cli([...create("Pauta com chave"), "--verbose"]);
  assert.equal(JSON.parse(again.out).event_id, one.event_id, "the same key made a second event");
  assert.ok(again.err.includes(key), "--verbose does not show the key");
  assert.equal((await expectRefusal(CONFLICT, create("Outra pauta"))).code, "IDEMPOTENCY_KEY_REUSED");
}

async function inputsAndOutputsHaveTheirForms() {
  const input = JSON.stringify({ title: "Da entrada padrão" });
  assert.equal((await call(["create-demand", "--json", "-"], { input })).event.title, "Da entrada padrão");
  fs.writeFileSync(path.join(home, "demanda.json"), input);
  const over = await call(["create-demand", "--json", "@demanda.json", "--title", "Da opção"]);
  assert.equal(over.event.title, "Da opção", "a flag must override --json");

  const wide = (columns) => ({ env: { COLUMNS: String(columns) } });
  const table = await cli(["list-events", "--output", "table", "--limit", "5"], wide(90));
  const lines = table.out.split("\n");
  assert.match(lines[0], /^id +title +status/, "the table must begin with its column names");
  assert.ok(lines.slice(0, 6).every((line) => [...line].length <= 90), "a line is longer than the terminal");
  assert.match(table.err, /--cursor \S+/, "the table does not mention that there are more pages");
  const chosen = await cli(["list-events", "--columns", "status,id", "--limit", "1"]);
  assert.match(chosen.out, /^status +id\n\S/, "--columns");
  assert.match((await cli(["get-me", "--output", "table"])).out, /^caps .+\n[^]*\nmember\n {2}id +\S+\n/, "a record must list its fields by name");
  await cli(["get-me", "--out", "me.json"]);
  assert.ok(JSON.parse(fs.readFileSync(path.join(home, "me.json"), "utf8")).member, "--out");
  assert.ok((await call(["get-openapi-json-artifact"])).paths, "a document must be written unchanged");
  const pipe = await execute("sh", ["-c", `node cli.mjs get-openapi-json-artifact | head -c 1`]);
  assert.deepEqual([pipe.out, pipe.err], ["{", ""], "a closed pipe must cause no error output");
}

async function tablesAreReadable() {
  const wide = { env: { COLUMNS: "120" } };
  const INSTANT = /\d\d\/\d\d\/\d{4} \d\d:\d\d/;
  const title = "Pauta à noite";
  const words = ["--day", "1", "--month", "3", "--year", "2031", "--hour", "22:30", "--channel", "linkedin"];
  const { member } = await call(["get-me"]);
  const { event_id: id } = await call(["create-demand", "--title", title, ...words, "--assignee-id", member.id]);
  const narrow = await cli(["list-events", "--limit", "9", "--output", "table"], { env: { COLUMNS: "100" } });
  assert.match(narrow.out, /^id +title +status +due_at/, "no room for the date beside long titles");
  const { out: events } = await cli(["list-events", "--de", "2031-03-01", "--output", "table"], wide);
  const [head, line] = events.split("\n");
  for (const column of ["due_at", "channel", "assignees_names"]) assert.ok(head.includes(column), `no column ${column}`);
  assert.ok(!/ day | month |assignee_member_ids/.test(head), "the table has redundant columns");
  assert.ok(line.includes("01/03/2031 22:30"), `not the time in Brasília: ${line}`); // 02/03 in UTC
  assert.ok(line.includes(member.name), "the person has no name");

  await cli(["submit-for-approval", "--event-id", id, "--expected-revision", "1"]);
  await cli(["decide-approval", "--event-id", id, "--action", "recusar", "--motivo", "O card 3 traz a temperatura errada."]);
  const { out: read } = await cli(["get-event", "--event-id", id, "--output", "table"], { env: { COLUMNS: "70" } });
  const [, history] = read.split("historico\n");
  const lines = history.split("\n").map((text) => text.trim());
  assert.match(lines[0], new RegExp(`^${INSTANT.source} {2}${member.name} {2}decide_approval {2}\\(revisão 3\\)$`));
  assert.equal(lines[1], "motivo: O card 3 traz a temperatura errada.", "the reason is not whole");
  assert.equal(lines[2], "mudou: status: em aprovação → recusado");

  const { media } = await call(["list-media"]);
  const { out: listed } = await cli(["list-media", "--output", "table"], wide);
  for (const { url } of media) assert.ok(listed.includes(url), "a link is cut");
}

async function anInvitedPersonSignsIn() {
  const asAdmin = { env: { PAUTA_TOKEN: PAUTA_SESSION } };
  const email = `zoe.${randomUUID().slice(0, 8)}@demo.pauta.test`;
  const invite = ["invite-member", "--name", "Zoé Prado", "--email", email, "--access-level", "criador"];
  const { convite_url: link, membro } = await call(invite, asAdmin);
  const browser = await launch();
  const page = await browser.newPage();
  await page.goto(link);
  for (const field of ["#password", "#again"]) await page.fill(field, PASSWORD);
  await page.click("#send");
  await page.getByRole("heading", { name: "Hoje", exact: true }).waitFor();
  await browser.close();

  const mine = { PAUTA_TOKEN: undefined };
  const password = `${PASSWORD}\n`;
  const early = await cli(["login", "--email", email], { env: mine, input: password, exit: FORBIDDEN });
  assert.match(early.err, new RegExp(`API_ACCESS_DISABLED[^]+--member-id ${membro.id}`), "the error must contain the command for an admin");
  assert.ok(!fs.existsSync(CONFIG), "a failed login must store nothing");
  const levels = ["--api-access-level", "criador"];
  await cli(["update-member-api-access", "--member-id", membro.id, ...levels], asAdmin);
  await cli(["login", "--email", email], { env: mine, input: "outra senha\n", exit: CREDENTIAL });
  const entered = { ...mine, PAUTA_EMAIL: email, PAUTA_PASSWORD: PASSWORD };
  await cli(["login", "--level", "leitor", "--label", "Só leitura", "--days", "3"], { env: entered });
  const own = await call(["get-me"], { env: mine });
  assert.equal(own.auth.kind, "personal_token");
  assert.ok(own.caps.includes("tasks_view") && !own.caps.includes("draft_save"), "more capabilities were granted than the chosen level has");
  fs.chmodSync(CONFIG, 0o644);
  await cli(["login", "--label", "Perdido"], { env: entered, exit: CREDENTIAL });
  fs.chmodSync(CONFIG, 0o600);
  const refusedThere = await expectRefusal(FORBIDDEN, ["list-my-tokens"], { env: mine });
  assert.match(refusedThere.details.next, /`node cli\.mjs login --session`/, "the refusal does not say how to sign in");

  const given = JSON.stringify({ email, password: PASSWORD });
  await cli(["login", "--session", "--json", "-"], { env: mine, input: given });
  const mineNow = () => call(["list-my-tokens"], { env: mine });
  const { tokens } = await mineNow();
  assert.deepEqual(tokens.map(({ label, status }) => [label, status]), [["Só leitura", "active"]], "the session is not used");
  assert.equal((await call(["get-me"], { env: mine })).auth.kind, "personal_token", "the token is not used");
  const overToken = { env: { PAUTA_TOKEN } };
  assert.equal((await call(["list-my-tokens"], overToken)).tokens.length, 1, "a token must not replace the session of an operation that needs one");
  const kept = () => JSON.parse(fs.readFileSync(CONFIG, "utf8"));
  const before = kept();
  fs.writeFileSync(CONFIG, JSON.stringify({ ...before, session: { ...before.session, expires_at: 1 } }));
  await mineNow();
  assert.notEqual(kept().session.refresh_token, before.session.refresh_token, "the session was not renewed");
  const { err } = await cli(["logout"], { env: mine });
  assert.match(err, /A sessão terminou\. O token continua valendo/);
  fs.mkdirSync(path.dirname(CONFIG), { recursive: true });
  fs.writeFileSync(CONFIG, JSON.stringify({ ...before, session: { ...before.session, expires_at: 1 } }), { mode: 0o600 });
  const ended = await expectRefusal(CREDENTIAL, ["list-my-tokens"], { env: mine });
  assert.equal(ended.code, "SESSION_ENDED", "the session must end with the logout");
  fs.rmSync(CONFIG);

  const steps = [["E-mail em", email], ["Senha: ", PASSWORD], ["Nome do token", ""], ["Nível do token: leitor, criador", "criador"]];
  const terminal = async (answers) => {
    const run = await typed(`node ${CLI} login`, answers, { cwd: home, env: { ...base, PAUTA_URL } });
    said.push(run.text);
    return run;
  };
  const { text, code } = await terminal(steps);
  assert.equal(code, OK, text);
  assert.match(text, /Pronto: Zoé Prado, \d+ permissões/, text);
  assert.ok((await call(["get-me"], { env: mine })).caps.includes("draft_save"), "the token must have the typed level");
  const wrong = await terminal([["E-mail em", email], ["Senha: ", "errada"]]);
  assert.equal(wrong.code, CREDENTIAL, wrong.text);
  await cli(["logout"], { env: mine });
}

async function usageErrorsComeFirst() {
  const nobody = { env: { PAUTA_URL: "http://127.0.0.1:1" }, exit: USAGE };
  const usage = async (words, pattern, options = nobody) =>
    assert.match((await cli(words, options)).err, pattern, words.join(" "));
  await usage([], /Falta o comando/);
  await usage(["create-demnd"], /Você quis dizer create-demand\?/);
  await usage(["create-demand", "--titel", "x"], /Você quis dizer --title\?/);
  await usage(["create-demand", "--json", '{"titel": 1}'], /--titel: não existe\. Você quis dizer title\?/);
  await usage(["create-demand"], /--title: é obrigatório/);
  await usage(["create-demand", "Pauta"], /está solto/);
  await usage(["create-demand", "--title"], /precisa de um valor/);
  await usage(["create-demand", "--title", "a", "--title", "b"], /mais de uma vez/);
  await usage(["create-demand", "--title", "a", "--idempotency-key", "curta"], /8 a 128 caracteres/);
  await usage(["list-events", "--limit", "dez"], /--limit: precisa ser um número inteiro/);
  await usage(["list-events", "--limit", "1e99", "--status", "x"], /--limit: .+\n {2}--status: precisa ser a fazer \|/);
  await usage(["list-events", "--de", "amanhã"], /--de: precisa ser uma data/);
  await usage(["create-demand", "--title", "x", "--day", "1", "--month", "2", "--hour", "9h"], /--hour: .+`HH:mm`/);
  await usage(["generate-art", "--prompt", "Pão", "--size", "grande"], /--size: .+`1080x1350`/);
  await usage(["login", "--email", "a@example.org", "--password", "x"], /--password: é segredo/);
  await usage(["login", "--session"], /falta o e-mail/);
  await usage(["login", "--level", "chefe"], /--level: precisa ser leitor \|/);
  await usage(["list-events", "--columns", "id", "--output", "json"], /só vale para tabela/);
  await usage(["get-event", "--event-id", ".."], /não pode ser vazio nem pontos/);
  await usage(["create-demand", "--json", "[1]"], /precisa ser um objeto JSON/);
  await usage(["upload-media", "--file", "nenhum.png"], /ENOENT/);
  await usage(["upload-media", "--file", "."], /não é um arquivo/);
  await usage(["get-me"], /não usa https/, { env: { PAUTA_URL: "http://pauta.example.org" }, exit: USAGE });
  await usage(["get-me"], /precisa ser http/, { env: { PAUTA_URL: "https://a:b@pauta.example.org" }, exit: USAGE });
  const secret = await cli(["issue-session", "--grant-type", "password", "--password", "secreta-123"], nobody);
  assert.match(secret.err, /--password: é segredo/, "a password must be refused on the command line");
  assert.ok(!secret.err.includes("secreta-123"), "the refusal repeats the password");
}

async function loginStoresTheToken() {
  const none = { PAUTA_TOKEN: undefined };
  await cli(["login"], { env: none, input: `svc_live_${"x".repeat(16)}.${"y".repeat(43)}\n`, exit: CREDENTIAL });
  assert.ok(!fs.existsSync(CONFIG), "a wrong token was kept");
  await cli(["login"], { env: none, input: `${PAUTA_TOKEN}\n` });
  const mode = (file) => (fs.statSync(file).mode & 0o777).toString(8);
  assert.deepEqual([mode(CONFIG), mode(path.dirname(CONFIG))], ["600", "700"], "the configuration must be private");
  assert.deepEqual(fs.readdirSync(path.dirname(CONFIG)), ["config.json"], "login left other files behind");
  const away = { PAUTA_URL: undefined, PAUTA_TOKEN: undefined };
  assert.ok((await call(["get-me"], { env: away })).member, "the stored login was not used");

  await withServer([respond(200, {})], async (url, requests) => {
    await cli(["get-me"], { env: { ...none, PAUTA_URL: url }, exit: CREDENTIAL });
    assert.equal(requests.length, 0, "the token was sent to another URL");
  });
  await withServer([respond(200, {})], async (url, requests) => {
    const another = path.join(home, "another.mjs");
    fs.writeFileSync(another, fs.readFileSync(CLI, "utf8").replaceAll("https://pauta.test", url));
    await execute(process.execPath, [another, "get-me"], { env: { PAUTA_URL: undefined } });
    assert.equal(requests.length, 1, "the file of another service sent requests to the URL of the login");
    await execute(process.execPath, [another, "get-me"], { env: away, exit: CREDENTIAL });
    assert.equal(requests.length, 1, "the token was sent to another service");
  });
  fs.chmodSync(CONFIG, 0o644);
  assert.match((await cli(["get-me"], { env: away, exit: CREDENTIAL })).err, /chmod 600/, "a token that others can read must be refused");
  const file = path.join(home, "token");
  fs.writeFileSync(file, `${PAUTA_TOKEN}\n`, { mode: 0o600 });
  assert.ok((await call(["get-me", "--token-file", file], { env: none })).member, "--token-file");
  await cli(["logout"]);
  assert.ok(!fs.existsSync(CONFIG), "logout left the token");
}

/** Runs `steps` against a server that gives the `answers` in order, then repeats the last; records the requests. */
async function withServer(answers, steps) {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    const kept = { path: request.url, headers: request.headers, bytes: 0 };
    const answer = answers[Math.min(requests.push(kept), answers.length) - 1];
    for await (const chunk of request) kept.bytes += chunk.length;
    answer(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await steps(`http://127.0.0.1:${server.address().port}`, requests);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const respond = (status, body, headers = {}) => (response) => {
  response.writeHead(status, { "content-type": "application/json", "x-request-id": "pedido-1", ...headers });
  response.end(JSON.stringify(body));
};
const hangUp = (response) => response.destroy();
const busy = respond(503, { error: "Ocupado.", code: "INTERNAL" }, { "retry-after": "0" });
const READ = ["get-me"];
const KEYED = ["create-demand", "--title", "Pauta"];
const KEYLESS = ["issue-session", "--grant-type", "password", "--json", '{"email":"a@example.org","password":"x"}'];

/** Runs a command against these answers; asserts that it sends `tries` requests, all with one idempotency key. */
const expectTries = (answers, words, exit, tries, more = () => {}) =>
  withServer(answers, async (url, requests) => {
    const result = await cli(words, { env: { PAUTA_URL: url }, exit });
    assert.equal(requests.length, tries, `${words[0]} was sent ${requests.length} times, expected ${tries}`);
    const keys = new Set(requests.map(({ headers }) => headers["idempotency-key"]));
    assert.equal(keys.size, 1, `${words[0]}: the key changed between tries`);
    await more(result, requests);
  });

async function onlySafeCallsAreRetried() {
  const done = respond(200, { ok: true });
  const unknown = respond(409, { error: "Não se sabe.", code: "OUTCOME_UNKNOWN" });
  const inProgress = respond(409, { error: "Espere.", code: "IDEMPOTENCY_IN_PROGRESS" });
  const tomorrow = respond(429, { error: "Demais.", code: "RATE_LIMITED" }, { "retry-after": "86400" });
  const tellsTheKey = ({ err }, [{ headers }]) =>
    assert.ok(err.includes(headers["idempotency-key"]), "the error does not contain the idempotency key");
  const cases = [
    [[busy, done], READ, OK, 2],
    [[busy], READ, SERVER, 3],
    [[busy], [...READ, "--no-retry"], SERVER, 1],
    [[busy, done], KEYED, OK, 2],
    [[busy, done], KEYLESS, SERVER, 1],
    [[hangUp, done], READ, OK, 2],
    [[hangUp], READ, NETWORK, 3],
    [[hangUp, done], KEYED, OK, 2],
    [[hangUp], KEYED, UNKNOWN, 3, tellsTheKey],
    [[hangUp], KEYLESS, UNKNOWN, 1],
    [[hangUp, busy], KEYED, UNKNOWN, 3],
    [[respond(504, {})], KEYED, UNKNOWN, 1],
    [[unknown], KEYED, UNKNOWN, 1],
    [[inProgress, done], KEYED, OK, 2],
    [[tomorrow], READ, RATE, 1],
    [[() => {}], [...READ, "--no-retry", "--timeout", "0.2"], NETWORK, 1],
  ];
  await forEachInParallel(cases, (given) => expectTries(...given));
}

async function noOtherHostGetsTheToken() {
  await withServer([respond(200, { ok: true })], (other, elsewhere) =>
    expectTries([respond(307, {}, { location: `${other}/api/me` })], READ, SERVER, 1, () => {
      assert.equal(elsewhere.length, 0, "a redirect was followed");
    }),
  );
  const title = HOSTILE;
  const shows = [respond(200, { eventos: [{ id: "1", title, [HOSTILE]: 1 }], texto: title, next_cursor: null })];
  for (const output of ["table", "json"])
    await expectTries(shows, ["list-events", "--output", output], OK, 1, ({ out }) => {
      assert.doesNotMatch(out, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/, `${output}: control characters reach the terminal`);
      if (output === "json") assert.equal(JSON.parse(out).texto, title, "the JSON contains another text");
    });
  await expectTries([respond(400, { error: HOSTILE, code: "INVALID_INPUT" })], READ, INVALID, 1, ({ err }) => {
    assert.doesNotMatch(err, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/, "an error contains control characters");
  });
}

async function uploadsAreStreamed() {
  const size = 40_000_000;
  fs.writeFileSync(path.join(home, "longo.mp4"), "");
  fs.truncateSync(path.join(home, "longo.mp4"), size);
  const stored = respond(201, { id: "1" });
  await expectTries([stored], ["upload-media", "--file", "longo.mp4"], OK, 1, (_, [{ headers, bytes }]) => {
    assert.equal(Number(headers["content-length"]), bytes, "Content-Length is not the body's");
    assert.ok(bytes > size, "the file did not arrive whole");
  });
}

async function anInterruptedCallReportsItsOutcome() {
  let child;
  const onSpawn = (spawned) => (child = spawned);
  await withServer([() => child.kill("SIGINT")], async (url) => {
    const { err } = await cli(KEYED, { env: { PAUTA_URL: url }, exit: INTERRUPTED, onSpawn });
    assert.match(err, /Interrompido\.[^]*chave: cli:/, "the message does not say that the outcome is unknown");
  });
}

/** The names of the commands that the help lists. */
async function listCommands() {
  const { out } = await cli(["--help"]);
  const listed = out.split("Opções de todo comando")[0].matchAll(/^ {2}([a-z]+(?:-[a-z]+)*) {2}/gm);
  return [...listed].map(([, name]) => name);
}

/** The command of an operation: `signOut` → `sign-out`. */
const toKebabCase = (id) => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Runs `work` for all items, four at a time. */
async function forEachInParallel(items, work) {
  const left = [...items];
  const worker = async () => {
    for (let item; (item = left.shift()) !== undefined; ) await work(item);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}

/** Asserts that every command has help, and that the example in it succeeds on a fresh demo without changes. */
async function everyCommandHasHelpAndAnExample() {
  const names = (await listCommands()).filter((name) => !["login", "logout"].includes(name));
  assert.ok(names.length > 40, `only ${names.length} commands`);
  const examples = new Map();
  await forEachInParallel(names, async (name) => {
    const { out } = await cli([name, "--help"]);
    const [, example] = /\nExemplo\n {2}([^]+)\n$/.exec(out) ?? assert.fail(`${name}: no example`);
    const guest = /\nAcesso: link de convidado/.test(out);
    examples.set(name, { example, guest, session: /\nAcesso: só em sessão/.test(out) });
  });
  const { paths } = await call(["get-openapi-json-artifact"]);
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const ending = operations.filter((operation) => operation["x-ends-session"]).map(({ operationId }) => toKebabCase(operationId));
  assert.ok(ending.length > 0, "the contract marks no operation that ends a session");
  // A demo has no outside provider, so operations that need one may fail with the code in the contract.
  const exits = new Map();
  for (const { operationId, "x-without-provider": refusal } of operations) {
    if (refusal) exits.set(toKebabCase(operationId), [OK, { 401: CREDENTIAL, 404: NOT_FOUND }[refusal.status] ?? SERVER]);
  }
  fs.copyFileSync(path.join(home, "foto.png"), path.join(home, "pao-de-queijo.png"));
  for (const name of ["guia-de-legendas.md", "cardapio-de-setembro.md"]) {
    fs.writeFileSync(path.join(home, name), `# ${name}\n\nUm documento de exemplo.\n`);
  }
  const run = (name, token, exits) =>
    execute("sh", ["-c", examples.get(name).example], { exit: exits, env: { PAUTA_TOKEN: token } });
  // Runs the examples in the order of the table: no example changes data that a later one needs.
  for (const name of names) {
    const { session, guest } = examples.get(name);
    let token = session ? PAUTA_SESSION : guest ? PAUTA_GUEST : PAUTA_TOKEN;
    if (name === "enter-guest-code") token = PAUTA_GUEST.replace(/1$/, "2"); // the demo's link with a code
    if (ending.includes(name)) {
      const { out } = await run("issue-session", undefined, [OK]); // the command ends its own session
      token = JSON.parse(out).access_token;
    }
    // The example's link has no valid signature, the guest's link does not show the medium, and the addresses in e-mails have
    // secrets.
    const secret = { unsubscribe: NOT_FOUND, "unsubscribe-page": NOT_FOUND };
    const refused = { "get-media": FORBIDDEN, "get-guest-media": NOT_FOUND, ...secret }[name];
    await run(name, token, exits.get(name) ?? [refused ?? OK]);
  }
  return `${names.length} commands, each example run`;
}

function noSecretIsWritten() {
  const tokens = [PAUTA_SESSION, PAUTA_TOKEN, PAUTA_READER_TOKEN];
  const secrets = [PASSWORD, ...tokens.flatMap((token) => [token, token.split(".")[1]])];
  for (const secret of secrets) assert.ok(!said.some((text) => text.includes(secret)), "the output contains a secret");
}

const STEPS = [
  anEventIsCreatedAndApproved, eachRefusalHasItsExitCode, aRepeatedKeyHasOneEffect,
  inputsAndOutputsHaveTheirForms, usageErrorsComeFirst, tablesAreReadable, loginStoresTheToken,
  anInvitedPersonSignsIn, onlySafeCallsAreRetried, noOtherHostGetsTheToken, uploadsAreStreamed,
  anInterruptedCallReportsItsOutcome, everyCommandHasHelpAndAnExample, noSecretIsWritten,
];

setTimeout(() => {
  console.error("command line: FAILED: not done after 120 s");
  process.exit(1);
}, 120_000).unref();
const notes = [];
let step;
try {
  const wanted = { CLI: source, PAUTA_URL, PAUTA_TOKEN, PAUTA_SESSION, PAUTA_READER_TOKEN, PAUTA_GUEST };
  for (const [name, value] of Object.entries(wanted)) assert.ok(value, `${name} is missing`);
  fs.copyFileSync(source, CLI);
  fs.writeFileSync(path.join(home, "foto.png"), PNG);
  const { out } = await cli(["--version"]);
  notes.push(`version ${out.trim()}`);
  for (step of STEPS) notes.push(await step());
  console.log(`command line, ${notes.filter(Boolean).join(", ")}, an event approved: ok`);
} catch (error) {
  console.error(`command line: FAILED: ${step?.name ?? "start"}: ${error.message}`);
  process.exitCode = 1;
} finally {
  fs.rmSync(home, { recursive: true, force: true });
}
