// Connecting an account and publishing, with a double of TikTok: the pages of the network's answer, of the connection and
// of a publication fit and pass axe in every look.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { folder } from "./service.mjs";
import { fit, launch, LOOKS } from "./stage.mjs";

const PERSON = { email: "zoe@equipe.test", password: "rapadura-com-coalho-52" };
const NAME = "Cozinha da Helena, a escola de cozinha de todo dia com um nome comprido";
const faults = [];
let network, place, service, browser, url, call;

/** The answers of the network, by path. `error` is the part that each answer of its API has. */
const error = { code: "ok", message: "", log_id: "1" };
const scope = "user.info.basic,video.publish,video.upload,video.list";
const token = { access_token: "a", refresh_token: "r", expires_in: 86_400, refresh_expires_in: 31_536_000, token_type: "Bearer" };
const ANSWERS = {
  "/v2/oauth/token/": { ...token, open_id: "conta", scope },
  "/v2/user/info/": { data: { user: { open_id: "conta", display_name: NAME, avatar_url: "" } }, error },
  "/v2/post/publish/creator_info/query/": {
    data: {
      creator_avatar_url: "", creator_username: "cozinha", creator_nickname: NAME, privacy_level_options: ["SELF_ONLY"],
      comment_disabled: false, duet_disabled: false, stitch_disabled: true, max_video_post_duration_sec: 600,
    },
    error,
  },
  "/v2/post/publish/status/fetch/": { data: { status: "FAILED", fail_reason: "picture_size_check_failed" }, error },
};

function answer(request, response) {
  const asked = new URL(request.url, `http://${request.headers.host}`);
  if (asked.pathname === "/v2/auth/authorize/") {
    const back = `${asked.searchParams.get("redirect_uri")}?code=conta&scopes=${scope}&state=${asked.searchParams.get("state")}`;
    return response.writeHead(302, { location: back }).end();
  }
  request.resume();
  if (asked.pathname === "/upload/p1") return response.writeHead(201).end();
  const started = { data: { publish_id: "p1", upload_url: `${asked.origin}/upload/p1` }, error };
  const found = asked.pathname === "/v2/post/publish/video/init/" ? started : ANSWERS[asked.pathname];
  return response.writeHead(found ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(found ?? {}));
}

before(async () => {
  network = http.createServer(answer).listen(0, "127.0.0.1");
  await once(network, "listening");
  const base = `http://127.0.0.1:${network.address().port}`;
  place = folder({
    PAUTA_TIKTOK_CLIENT_KEY: "chave", PAUTA_TIKTOK_CLIENT_SECRET: "segredo", PAUTA_TIKTOK_BASE_URL: base, PAUTA_TIKTOK_AUTH_BASE_URL: base,
  });
  await place.run("", "migrate");
  await place.run(PERSON.password, "admin", "create", "--name", "Zoé Prado", "--email", PERSON.email, "--password-stdin");
  service = await place.serve(/(http:\/\/[\w.:]+)/);
  url = service.match[1];
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await service?.stop();
  place?.remove();
  network?.close();
  assert.deepEqual(faults, [], "pages reported errors");
});

async function openPage(look, path) {
  const viewport = { width: look.width, height: look.width < 600 ? 740 : 800 };
  const context = await browser.newContext({ viewport, colorScheme: look.colorScheme, locale: "pt-BR", reducedMotion: "reduce" });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(`${url}/entrar?volta=${encodeURIComponent(path)}`);
  await page.fill("[name=email]", PERSON.email);
  await page.fill("[name=password]", PERSON.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(url + path);
  return page;
}

/** Opens a session and sets `call`, which calls operations in it; returns its token. */
async function openSession() {
  const ask = async (method, where, body, headers = {}) => {
    const options = { method, headers: { "content-type": "application/json", ...headers }, body: body && JSON.stringify(body) };
    const answer = await fetch(url + where, options);
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${where}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const { access_token: session } = await ask("POST", "/auth/v1/token?grant_type=password", PERSON);
  call = (method, where, body) => ask(method, where, body, { authorization: `Bearer ${session}` });
  return session;
}

/** A box of an MP4 file. */
function box(kind, ...parts) {
  const content = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(kind, 4);
  return Buffer.concat([head, content]);
}

/** A file whose boxes describe a video of 1080 × 1920 that lasts ten seconds. */
function createVideo() {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(1_000, 12);
  header.writeUInt32BE(10_000, 16);
  const track = Buffer.alloc(84);
  track.writeUInt16BE(1080, 76);
  track.writeUInt16BE(1920, 80);
  const movie = box("moov", box("mvhd", header), box("trak", box("tkhd", track)));
  return Buffer.concat([box("ftyp", Buffer.from("isom\0\0\x02\0isom", "latin1")), movie, box("mdat", Buffer.alloc(2_000, 7))]);
}

/** Creates an approved piece with one video for TikTok; returns its id. */
async function createApproved(session) {
  const { event_id: id } = await call("POST", "/api/demanda", { title: "Broa de milho", channel: "tiktok" });
  const body = new FormData();
  body.set("event_id", id);
  body.set("file", new Blob([createVideo()], { type: "video/mp4" }), "broa.mp4");
  const sent = await fetch(`${url}/api/upload`, { method: "POST", headers: { authorization: `Bearer ${session}` }, body });
  assert.ok(sent.ok, await sent.text());
  await call("POST", "/api/enviar", { event_id: id, expected_revision: 2, caption: "Crosta rachada, miolo macio." });
  await call("POST", "/api/aprovar", { event_id: id, expected_revision: 3, action: "aprovar" });
  return id;
}

test("an account is connected in a browser, and a piece is published", async () => {
  const session = await openSession();
  const piece = await createApproved(session);
  for (const look of LOOKS) {
    const page = await openPage(look, "/conexoes");
    await page.getByRole("button", { name: /Conectar/ }).first().click();
    await page.getByRole("link", { name: "Continuar no TikTok" }).waitFor();
    await fit(page, "connecting");
    const opened = page.waitForEvent("popup");
    await page.getByRole("link", { name: "Continuar no TikTok" }).click();
    const tab = await opened;
    await tab.getByText(NAME).first().waitFor();
    await fit(tab, "connected");
    await tab.close();
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${session}` });
    await page.goto(`${url}/oauth/shortvideo/status`);
    await fit(page, "connection-status");
    await page.setExtraHTTPHeaders({});
    await page.goto(`${url}/conexoes`);
    await fit(page, "connections");
    await page.goto(`${url}/publicar?evento=${piece}`);
    await fit(page, "publish");
    await page.context().close();
  }
  const page = await openPage({ width: 1280, colorScheme: "light" }, `/publicar?evento=${piece}`);
  await page.getByLabel("Quem vê").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Publicar no TikTok" }).click();
  await page.waitForURL("**/publicacoes/**");
  const path = new URL(page.url()).pathname;
  for (let turn = 0; turn < 100 && !(await page.getByText(/não (saiu|foi)|falhou|Falhou/i).count()); turn += 1) {
    await pause(300);
    await page.reload();
  }
  await page.context().close();
  for (const look of LOOKS) {
    const page = await openPage(look, path);
    await fit(page, "publication");
    await page.goto(`${url}/publicacoes`);
    await fit(page, "publications");
    await page.context().close();
  }
});
