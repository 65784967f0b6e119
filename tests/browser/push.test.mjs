// A message to a device, from the service through a push service that decrypts it to the service worker in Chromium.
import assert from "node:assert/strict";
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import http from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { folder } from "./service.mjs";
import { launch } from "./stage.mjs";

const ADDRESS = /(http:\/\/127\.0\.0\.1:\d+)/;
const PASSWORD = "rapadura-com-coalho-52";
const PEOPLE = [
  ["Zoé Prado", "zoe@equipe.test"],
  ["Ana Dias", "ana@equipe.test"],
];
const SETTINGS = "/notificacoes/preferencias";
let place, service, browser, push, url;

/** The device: its keys, and what the browser says of its subscription. */
function makeDevice(origin) {
  const keys = createECDH("prime256v1");
  const auth = randomBytes(16);
  const subscription = {
    endpoint: `${origin}/aparelho`,
    keys: { p256dh: keys.generateKeys("base64url"), auth: auth.toString("base64url") },
  };
  return { keys, auth, subscription };
}

/** Decrypts a body (RFC 8188 with one record, RFC 8291). */
function decrypt(body, { keys, auth }) {
  const salt = body.subarray(0, 16);
  const length = body[20];
  const sender = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.getPublicKey(), sender]);
  const material = Buffer.from(hkdfSync("sha256", keys.computeSecret(sender), auth, info, 32));
  const derive = (what, size) => Buffer.from(hkdfSync("sha256", material, salt, Buffer.from(`Content-Encoding: ${what}\0`), size));
  const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  const end = plain.findLastIndex((byte) => byte !== 0);
  assert.equal(plain[end], 2, "the delimiter of the last record");
  return plain.subarray(0, end).toString();
}

/** A push service that keeps what it receives. */
function startPush() {
  const received = [];
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(201).end();
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ received, server, origin: `http://127.0.0.1:${server.address().port}` }));
  });
}

before(async () => {
  push = await startPush();
  place = folder({ PAUTA_PUSH_ORIGINS: push.origin, PAUTA_PUSH_CONTACT: "ti@equipe.test" });
  for (const [name, email] of PEOPLE) {
    await place.run(`${PASSWORD}\n`, "admin", "create", "--name", name, "--email", email, "--password-stdin");
  }
  [service, browser] = await Promise.all([place.serve(ADDRESS), launch()]);
  url = service.match[1];
});

after(async () => {
  await browser?.close();
  await service?.stop();
  push?.server.close();
  place?.remove();
});

/** A client of the interface with the session of a person. */
async function callAs(email) {
  const send = async (method, where, body, headers = {}) => {
    const answer = await fetch(url + where, { method, headers: { "content-type": "application/json", ...headers }, body: body && JSON.stringify(body) });
    assert.ok(answer.ok, `${method} ${where}: ${answer.status}`);
    return answer.json();
  };
  const { access_token } = await send("POST", "/auth/v1/token?grant_type=password", { email, password: PASSWORD });
  return (method, where, body) => send(method, where, body, { authorization: `Bearer ${access_token}` });
}

test("what the service encrypts is shown by the service worker, and leads to its piece", async () => {
  const device = makeDevice(push.origin);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "pt-BR" });
  context.setDefaultTimeout(30_000);
  await context.grantPermissions(["notifications"], { origin: url });
  await context.addInitScript((told) => {
    const subscription = { endpoint: told.endpoint, toJSON: () => told, unsubscribe: async () => true };
    PushManager.prototype.subscribe = async () => {
      sessionStorage.setItem("subscribed", "1");
      return subscription;
    };
    PushManager.prototype.getSubscription = async () => (sessionStorage.getItem("subscribed") ? subscription : null);
  }, device.subscription);
  const page = await context.newPage();
  const [[, giver], [, receiver]] = PEOPLE;
  await page.goto(`${url}/entrar?volta=${encodeURIComponent(SETTINGS)}`);
  await page.fill("[name=email]", receiver);
  await page.fill("[name=password]", PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL(url + SETTINGS);
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
  await page.getByRole("button", { name: "Receber avisos neste aparelho" }).click();
  await page.getByText("Este aparelho recebe avisos.", { exact: true }).waitFor();

  const call = await callAs(giver);
  const { membros } = await call("GET", "/api/membros");
  const { id: to } = membros.find(({ email }) => email === receiver);
  const { event_id: id } = await call("POST", "/api/demanda", { title: "Broa de milho", assignee_id: to });
  for (const began = Date.now(); push.received.length === 0; await pause(100)) {
    assert.ok(Date.now() - began < 60_000, "no message came");
  }
  const [message] = push.received;
  assert.equal(message.headers["content-encoding"], "aes128gcm");
  assert.ok(!message.body.includes("Broa"), "it is encrypted");

  const client = await context.newCDPSession(page);
  const registered = new Promise((resolve) => {
    client.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => registrations[0] && resolve(registrations[0]));
  });
  await client.send("ServiceWorker.enable");
  const { registrationId } = await registered;
  const data = decrypt(message.body, device);
  await client.send("ServiceWorker.deliverPushMessage", { origin: url, registrationId, data });
  const shown = () =>
    page.evaluate(async () => {
      const all = await (await navigator.serviceWorker.ready).getNotifications();
      return all.map(({ title, body, data }) => ({ title, body, caminho: data.caminho }));
    });
  for (let turn = 0; turn < 100 && (await shown()).length === 0; turn += 1) await page.waitForTimeout(100);
  const [notification] = await shown();
  assert.equal(notification.title, "Pauta");
  assert.equal(notification.body, "Zoé Prado atribuiu “Broa de milho” a você.");
  // A click cannot be made through the protocol, so its handler is called in the service worker itself.
  await context.serviceWorkers()[0].evaluate((caminho) => {
    const event = new ExtendableEvent("notificationclick");
    event.notification = { close() {}, data: { caminho } };
    self.dispatchEvent(event);
  }, notification.caminho);
  await page.waitForURL(`${url}/eventos/${id}`);
  assert.equal((await (await callAs(receiver))("GET", "/api/notificacoes")).nao_lidas, 0);
  await context.close();
});
