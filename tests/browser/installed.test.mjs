// The console as an installed app: manifest, service worker, offline page, and notifications on this device.
import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const SETTINGS = "/notificacoes/preferencias";

/** Waits until the service worker of a page controls it. */
async function controlled(page) {
  await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
}

/** The addresses of everything that is stored in caches. */
const stored = (page) =>
  page.evaluate(async () => {
    const names = await caches.keys();
    const all = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => `${name} ${new URL(url).pathname}`)));
    return all.flat();
  });

test("the manifest is valid, and its icons have their sizes", async () => {
  const page = await stage.signedIn({ width: 1280 });
  const client = await page.context().newCDPSession(page);
  const { errors, url } = await client.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  assert.equal(new URL(url).pathname, "/manifest.webmanifest");
  await controlled(page);
  const { installabilityErrors } = await client.send("Page.getInstallabilityErrors");
  // Playwright's contexts are as private windows.
  assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito"), []);
  const sizes = await page.evaluate(async (url) => {
    const { icons, shortcuts } = await (await fetch(url)).json();
    const apple = document.querySelector("link[rel=apple-touch-icon]").href;
    const all = [...icons, ...shortcuts.flatMap(({ icons }) => icons), { src: apple, sizes: "180x180" }];
    return Promise.all(
      all.map(async ({ src, sizes }) => {
        const image = await createImageBitmap(await (await fetch(src)).blob());
        return [sizes, `${image.width}x${image.height}`];
      }),
    );
  }, url);
  assert.ok(sizes.length >= 7);
  for (const [said, is] of sizes) assert.equal(is, said);
  await page.context().close();
});

for (const look of LOOKS) {
  test(`without a connection a page says so: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look);
    await controlled(page);
    await page.context().setOffline(true);
    await page.goto(`${stage.demo.url}/agenda`);
    await page.getByRole("heading", { name: "Sem conexão" }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/agenda");
    await fit(page, "offline");
    await page.context().setOffline(false);
    await page.getByRole("link", { name: "Tentar de novo" }).click();
    await page.locator("header.bar").waitFor();
    await page.context().close();
  });
}

/**
 * A server before the demo, on the same host, that stops answering when it is told to. When it answers again, the
 * requests without an answer end: the worker cannot abort them, and the browser waits for one before it asks again.
 */
async function hanging() {
  const demo = new URL(stage.demo.url);
  let isHanging = false;
  const unanswered = new Set();
  const server = http.createServer((request, response) => {
    if (isHanging) {
      unanswered.add(response);
      return;
    }
    const { method, url: path, headers } = request;
    const passed = http.request({ host: demo.hostname, port: demo.port, method, path, headers: { ...headers, host: demo.host } }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  await new Promise((resolve) => server.listen(0, demo.hostname, resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const hang = (yes) => {
    isHanging = yes;
    if (!yes) for (const response of unanswered) response.destroy();
  };
  return { origin: `http://${demo.hostname}:${server.address().port}`, hang, stop };
}

test("a network that answers nothing is taken for none after ten seconds", async (context) => {
  const proxy = await hanging();
  context.after(proxy.stop);
  const page = await stage.signedIn({ width: 360, hosts: [proxy.origin] });
  await page.goto(`${proxy.origin}/agenda`);
  await controlled(page);
  proxy.hang(true);
  const began = Date.now();
  await page.goto(`${proxy.origin}/aprovacoes`);
  await page.getByRole("heading", { name: "Sem conexão" }).waitFor();
  assert.ok(Date.now() - began > 5_000, "a slow answer is awaited");
  proxy.hang(false);
  await page.getByRole("link", { name: "Tentar de novo" }).click();
  await page.locator("header.bar").waitFor();
  await page.context().close();
});

test("a storage that is full or broken keeps no file from a page", async () => {
  const page = await stage.signedIn({ width: 1280 });
  await controlled(page);
  const worker = page.context().serviceWorkers()[0];
  const statuses = await worker.evaluate(async () => {
    const { put } = Cache.prototype;
    const { match } = caches;
    const path = [...FILES].find((one) => !RELEASE.needed.includes(one));
    Cache.prototype.put = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
    const full = await file(new Request(path));
    CacheStorage.prototype.match = () => Promise.reject(new DOMException("broken", "UnknownError"));
    const broken = await file(new Request(path));
    Cache.prototype.put = put;
    CacheStorage.prototype.match = match;
    return [full.status, (await full.text()).length > 0, broken.status];
  });
  assert.deepEqual(statuses, [200, true, 200]);
  await page.context().close();
});

test("a form that is sent without a connection says so and keeps its text", async () => {
  const page = await stage.signedIn({ width: 1280 }, "/demandas/nova");
  await controlled(page);
  const before = (await stage.demo.call("GET", "/api/eventos?q=Tapioca%20sem%20rede")).total;
  await page.getByLabel("Título").fill("Tapioca sem rede");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: /Criar/ }).first().click();
  await page.getByText("Sem conexão: nada foi enviado.").first().waitFor();
  assert.equal(await page.getByLabel("Título").inputValue(), "Tapioca sem rede");
  await page.context().setOffline(false);
  assert.equal((await stage.demo.call("GET", "/api/eventos?q=Tapioca%20sem%20rede")).total, before);
  await page.getByRole("button", { name: /Criar/ }).first().click();
  await page.getByRole("heading", { level: 1, name: "Tapioca sem rede" }).waitFor();
  await page.context().close();
});

test("caches hold files and the offline page only, before and after a sign-out", async () => {
  const page = await stage.signedIn({ width: 1280 });
  await controlled(page);
  for (const path of ["/agenda", "/aprovacoes", "/equipe", "/conta", "/vendas"]) await page.goto(stage.demo.url + path);
  const isPublic = (entry) => /^pauta-[0-9a-f]{12} (\/estatico\/|\/sem-conexao$)/.test(entry);
  const before = await stored(page);
  assert.ok(before.length >= 6 && before.every(isPublic), before.join("\n"));
  await page.getByRole("button", { name: "Sair" }).first().click();
  await page.waitForURL("**/entrar");
  const after = await stored(page);
  assert.ok(after.every(isPublic), after.join("\n"));
  // A page of the console asks for the sign-in again, also through the service worker.
  await page.goto(`${stage.demo.url}/agenda`);
  await page.waitForURL("**/entrar*");
  await page.context().close();
});

test("the service worker leaves the interface, guests, sign-in, downloads and streams alone", async () => {
  const page = await stage.signedIn({ width: 1280 });
  await controlled(page);
  const through = [];
  page.on("response", (answer) => answer.fromServiceWorker() && through.push(new URL(answer.url()).pathname));
  await page.goto(`${stage.demo.url}/agenda`);
  await page.evaluate(() => fetch("/api/health").then(() => fetch("/manifest.webmanifest")));
  await page.goto(`${stage.demo.url}/privacidade`);
  await page.goto(`${stage.demo.url}/convidado/svc_guest_nenhum`);
  const other = through.filter((path) => !path.startsWith("/estatico/") && path !== "/agenda");
  assert.deepEqual(other, []);
  assert.ok(through.includes("/agenda") && through.some((path) => path.startsWith("/estatico/console.")), through.join("\n"));
  await page.context().close();
});

/** A browser that has given its permission and whose push service answers without a network. */
async function withDevice(look, person) {
  const page = await stage.page(look);
  await page.context().grantPermissions(["notifications"], { origin: stage.demo.url });
  await page.context().addInitScript(() => {
    const subscription = {
      endpoint: "https://push.exemplo.invalid/navegador",
      toJSON: () => ({
        endpoint: subscription.endpoint,
        keys: {
          p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
          auth: "BTBZMqHH6r4Tts7J_aSIgg",
        },
      }),
      unsubscribe: async () => sessionStorage.removeItem("subscribed") ?? true,
    };
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      if (applicationServerKey.length !== 65) throw new Error("no key");
      sessionStorage.setItem("subscribed", "1");
      return subscription;
    };
    PushManager.prototype.getSubscription = async () => (sessionStorage.getItem("subscribed") ? subscription : null);
  });
  await page.goto(`${stage.demo.url}/entrar?volta=${encodeURIComponent(SETTINGS)}`);
  await page.fill("[name=email]", person.email);
  await page.fill("[name=password]", person.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(stage.demo.url + SETTINGS);
  await controlled(page);
  return page;
}

const devices = async (person) => (await person.call("GET", "/api/notificacoes/aparelhos")).aparelhos;

for (const look of LOOKS) {
  test(`a member switches notifications on and off: ${look.width} px, ${look.colorScheme}`, async () => {
    const person = await stage.demo.member(`Nara ${look.width} ${look.colorScheme}`, "criador");
    const page = await withDevice(look, person);
    await page.getByText("Este aparelho não recebe avisos.").waitFor();
    await fit(page, "push-off");
    await page.getByRole("button", { name: "Receber avisos neste aparelho" }).click();
    await page.getByText("Este aparelho recebe avisos.", { exact: true }).waitFor();
    assert.equal((await devices(person)).length, 1);
    await page.getByText("(este aparelho)").waitFor();
    await page.getByRole("group", { name: "Mandar aos aparelhos" }).waitFor();
    await fit(page, "push-on");
    // The last kind can be unchecked.
    const kinds = page.getByRole("group", { name: "Mandar aos aparelhos" }).getByRole("checkbox");
    for (const box of await kinds.all()) await box.uncheck();
    await page.getByRole("button", { name: "Salvar" }).click();
    await page.getByText("Preferências salvas.").waitFor();
    assert.deepEqual((await person.call("GET", "/api/notificacoes/preferencias")).por_push, []);
    await page.getByRole("button", { name: /^Remover/ }).click();
    await page.getByText("Este aparelho não recebe avisos.").waitFor();
    assert.deepEqual(await devices(person), []);
    assert.equal(await page.evaluate("sessionStorage.getItem('subscribed')"), null);
    await page.context().close();
  });
}

test("a sign-out ends the device, and another member does not inherit it", async () => {
  const [first, second] = [await stage.demo.member("Ivo Sales", "criador"), await stage.demo.member("Rui Melo", "criador")];
  const page = await withDevice({ width: 1280 }, first);
  await page.getByRole("button", { name: "Receber avisos neste aparelho" }).click();
  await page.getByText("Este aparelho recebe avisos.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Sair" }).first().click();
  await page.waitForURL("**/entrar");
  assert.deepEqual(await devices(first), []);
  assert.equal(await page.evaluate("sessionStorage.getItem('subscribed')"), null);
  assert.ok(!(await stored(page)).some((entry) => entry.includes("aparelho")));
  await page.fill("[name=email]", second.email);
  await page.fill("[name=password]", second.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${stage.demo.url}/`);
  await page.goto(stage.demo.url + SETTINGS);
  await page.getByText("Este aparelho não recebe avisos.").waitFor();
  assert.deepEqual(await devices(second), []);
  await page.context().close();
});

test("a sign-out ends the subscription of the browser even if the session does not know the device", async () => {
  const person = await stage.demo.member("Noa Pires", "criador");
  const page = await withDevice({ width: 1280 }, person);
  await page.getByRole("button", { name: "Receber avisos neste aparelho" }).click();
  await page.getByText("Este aparelho recebe avisos.", { exact: true }).waitFor();
  // In the next session the page cannot register the device again.
  await page.route("**/acao/add_push_device", (route) => route.abort());
  await page.context().clearCookies();
  await page.goto(`${stage.demo.url}/entrar`);
  await page.fill("[name=email]", person.email);
  await page.fill("[name=password]", person.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${stage.demo.url}/`);
  await page.getByRole("button", { name: "Sair" }).first().click();
  await page.waitForURL("**/entrar");
  assert.equal(await page.evaluate("sessionStorage.getItem('subscribed')"), null);
  assert.ok(!(await stored(page)).some((entry) => entry.includes("aparelho")));
  await page.context().close();
});

test("a subscription that a sign-out could not end is ended by the next page", async () => {
  const [first, second] = [await stage.demo.member("Zeca Dias", "criador"), await stage.demo.member("Mel Cruz", "criador")];
  const page = await withDevice({ width: 1280 }, first);
  await page.getByRole("button", { name: "Receber avisos neste aparelho" }).click();
  await page.getByText("Este aparelho recebe avisos.", { exact: true }).waitFor();
  await page.evaluate(() => {
    const { getSubscription } = PushManager.prototype;
    PushManager.prototype.getSubscription = async () => ({ ...(await getSubscription()), unsubscribe: () => new Promise(() => {}) });
  });
  await page.getByRole("button", { name: "Sair" }).first().click();
  await page.waitForURL("**/entrar");
  assert.equal(await page.evaluate("sessionStorage.getItem('subscribed')"), "1");
  await page.fill("[name=email]", second.email);
  await page.fill("[name=password]", second.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${stage.demo.url}/`);
  await page.waitForFunction("sessionStorage.getItem('subscribed') === null");
  while ((await stored(page)).some((entry) => entry.includes("aparelho"))) await page.waitForTimeout(100);
  await page.context().close();
});

test("a browser in which another member signs in receives nothing of the first one any more", async () => {
  const [first, second] = [await stage.demo.member("Gil Braz", "criador"), await stage.demo.member("Ada Nery", "criador")];
  const page = await withDevice({ width: 1280 }, first);
  await page.getByRole("button", { name: "Receber avisos neste aparelho" }).click();
  await page.getByText("Este aparelho recebe avisos.", { exact: true }).waitFor();
  // The session of the first member has expired.
  await page.context().clearCookies();
  await page.goto(`${stage.demo.url}/entrar`);
  await page.fill("[name=email]", second.email);
  await page.fill("[name=password]", second.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${stage.demo.url}/`);
  await page.waitForFunction("sessionStorage.getItem('subscribed') === null");
  while ((await stored(page)).some((entry) => entry.includes("aparelho"))) await page.waitForTimeout(100);
  assert.deepEqual(await devices(second), []);
  await page.context().close();
});

test("a device follows its member into the next session, and a new subscription replaces the earlier one", async () => {
  const person = await stage.demo.member("Bia Vaz", "criador");
  const page = await withDevice({ width: 1280 }, person);
  await page.getByRole("button", { name: "Receber avisos neste aparelho" }).click();
  await page.getByText("Este aparelho recebe avisos.", { exact: true }).waitFor();
  const [{ id }] = await devices(person);
  await page.context().serviceWorkers()[0].evaluate(async () => {
    const keys = {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    };
    const endpoint = "https://push.exemplo.invalid/depois";
    await renew({ newSubscription: { endpoint, toJSON: () => ({ endpoint, keys }) } });
  });
  const noted = () => page.evaluate(async () => (await (await caches.open("aparelho")).match("/aparelho")).json());
  const { endpoint, sessao } = await noted();
  assert.equal(endpoint, "https://push.exemplo.invalid/depois");
  // A session that has expired, and the next one. The browser of this test still has the first subscription.
  await page.context().clearCookies();
  await page.goto(`${stage.demo.url}/entrar?volta=${encodeURIComponent(SETTINGS)}`);
  await page.fill("[name=email]", person.email);
  await page.fill("[name=password]", person.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(stage.demo.url + SETTINGS);
  await page.getByText("Este aparelho recebe avisos.", { exact: true }).waitFor();
  while ((await noted()).sessao === sessao) await page.waitForTimeout(100);
  assert.equal((await noted()).endpoint, "https://push.exemplo.invalid/navegador");
  assert.deepEqual((await devices(person)).map((one) => one.id), [id]);
  await page.getByRole("button", { name: "Sair" }).first().click();
  await page.waitForURL("**/entrar");
  assert.deepEqual(await devices(person), []);
  await page.context().close();
});

test("a message shows a notification, and a click leads to its page in the open tab", async () => {
  const page = await stage.page({ width: 1280 });
  await page.context().grantPermissions(["notifications"], { origin: stage.demo.url });
  await page.goto(`${stage.demo.url}/entrar`);
  await page.fill("[name=email]", stage.demo.email);
  await page.fill("[name=password]", stage.demo.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${stage.demo.url}/`);
  await controlled(page);
  const client = await page.context().newCDPSession(page);
  const registered = new Promise((resolve) => {
    client.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => registrations[0] && resolve(registrations[0]));
  });
  await client.send("ServiceWorker.enable");
  const registration = await registered;
  const deliver = (data) =>
    client.send("ServiceWorker.deliverPushMessage", { origin: stage.demo.url, registrationId: registration.registrationId, data });
  const shown = () =>
    page.evaluate(async () => {
      const all = await (await navigator.serviceWorker.ready).getNotifications();
      return all.map(({ title, body, tag }) => [title, body, tag]);
    });
  // The protocol may lose a message while the worker starts or stops. A message that arrives twice shows one notification.
  const deliverUntil = async (data, text) => {
    const isShown = async () => (await shown()).some(([, body]) => body === text);
    for (let turn = 0; turn < 10 && !(await isShown()); turn += 1) {
      await deliver(data);
      for (let wait = 0; wait < 20 && !(await isShown()); wait += 1) await page.waitForTimeout(100);
    }
    return shown();
  };
  const message = { titulo: "Equipe", texto: "Ana atribuiu “Broa” a você.", caminho: "/agenda", etiqueta: "a".repeat(32) };
  assert.deepEqual(await deliverUntil(JSON.stringify(message), message.texto), [["Equipe", message.texto, message.etiqueta]]);
  // The same piece again, and a message that nobody understands.
  const later = "Ana mencionou você em “Broa”.";
  await deliverUntil(JSON.stringify({ ...message, texto: later }), later);
  const all = await deliverUntil("nada que se leia", "Há um aviso novo.");
  assert.deepEqual(all.map(([, body]) => body).sort(), [later, "Há um aviso novo."]);
  // A click cannot be made through the protocol, so its handler is called in the service worker itself.
  const worker = page.context().serviceWorkers()[0];
  const click = (caminho) =>
    worker.evaluate((path) => {
      const event = new ExtendableEvent("notificationclick");
      event.notification = { close() {}, data: { caminho: path } };
      self.dispatchEvent(event);
    }, caminho);
  await click("/agenda");
  await page.waitForURL("**/agenda");
  for (const strange of ["https://mal.example/", "//mal.example/", "/\\mal.example", undefined]) {
    await click(strange);
    await page.waitForURL("**/notificacoes");
    await click("/agenda");
    await page.waitForURL("**/agenda");
  }
  await page.context().close();
});

test("without a script the devices are listed and removed", async () => {
  const person = await stage.demo.member("Lua Reis", "criador");
  await person.call("POST", "/api/notificacoes/aparelhos", {
    endpoint: "https://push.exemplo.invalid/outro",
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
    nome: "Firefox em Android",
  });
  const page = await stage.signedIn({ width: 360, javaScriptEnabled: false }, SETTINGS, person);
  await page.getByText("o navegador precisa de JavaScript").waitFor();
  await page.getByRole("button", { name: "Remover Firefox em Android" }).click();
  await page.getByText("Aparelho removido.").waitFor();
  assert.deepEqual(await devices(person), []);
  await page.context().close();
});

test("an iPhone is told to install the app first", async () => {
  const person = await stage.demo.member("Davi Luz", "criador");
  const userAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1";
  const page = await stage.page({ width: 360, userAgent });
  await page.context().addInitScript(() => delete window.PushManager);
  await page.goto(`${stage.demo.url}/entrar?volta=${encodeURIComponent(SETTINGS)}`);
  await page.fill("[name=email]", person.email);
  await page.fill("[name=password]", person.password);
  await page.keyboard.press("Enter");
  await page.getByText("instale a Pauta antes").waitFor();
  assert.equal(await page.getByRole("button", { name: "Receber avisos neste aparelho" }).count(), 0);
  await fit(page, "push-iphone");
  await page.context().close();
});
