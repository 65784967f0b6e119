// The service worker of the console. `RELEASE`, in a line before this one, names the files and the pages of the
// release. Nothing that a member sees is stored.

const CACHE = `pauta-${RELEASE.version}`;
/** The cache in which a page of the console notes that this device receives notifications (`installed.js`). */
const DEVICE = "aparelho";
/** The time without an answer, in milliseconds, after which a page says that there is no connection. */
const PATIENCE = 10_000;
const FILES = new Set(RELEASE.files);
const PAGES = RELEASE.pages.map((path) => new RegExp(`^${RELEASE.base}${path.replace(/\{[^}]*\}/g, "[^/]+")}$`));

self.addEventListener("install", (event) => {
  event.waitUntil(store().then(() => self.skipWaiting()));
});

async function store() {
  const cache = await caches.open(CACHE);
  await cache.addAll(RELEASE.needed);
}

self.addEventListener("activate", (event) => {
  event.waitUntil(removeOld().then(() => self.clients.claim()));
});

async function removeOld() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith("pauta-") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (FILES.has(url.pathname)) event.respondWith(file(request));
  else if (request.destination === "document" && PAGES.some((page) => page.test(url.pathname))) event.respondWith(page(request));
});

async function file(request) {
  const stored = await find(request, { ignoreSearch: true });
  if (stored) return stored;
  const answer = await fetch(request);
  if (answer.status === 200) {
    // The page gets the file even if the storage is full or broken.
    const copy = answer.clone();
    await caches.open(CACHE).then((cache) => cache.put(request, copy)).catch(() => {});
  }
  return answer;
}

/** Finds a stored answer of this release. `undefined` if there is none, or the storage cannot be read. */
const find = (request, options) => caches.match(request, { ...options, cacheName: CACHE }).catch(() => undefined);

/**
 * Navigation preload is not used, because the browser would then send two requests for each page that this script does
 * not handle. Some addresses, such as the callback of a network, are valid only once.
 */
async function page(request) {
  const asked = fetch(request);
  let timer;
  const late = new Promise((_, refuse) => {
    timer = setTimeout(() => refuse(new Error("no answer in time")), PATIENCE);
  });
  try {
    return await Promise.race([asked, late]);
  } catch {
    return (await find(RELEASE.offline)) ?? asked;
  } finally {
    clearTimeout(timer);
  }
}

// ---- Notifications ----

self.addEventListener("push", (event) => event.waitUntil(show(event.data)));

async function show(data) {
  const { titulo, texto, caminho, etiqueta } = read(data);
  await self.registration.showNotification(titulo ?? "Pauta", {
    body: texto ?? "Há um aviso novo.",
    tag: etiqueta ?? "pauta",
    renotify: true,
    data: { caminho },
    lang: "pt-BR",
    icon: RELEASE.icon,
    badge: RELEASE.badge,
  });
}

function read(data) {
  try {
    return data.json() ?? {};
  } catch {
    return {};
  }
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data?.caminho));
});

/** Shows a page of the console in an open tab, which asks first if it has unsaved text, or in a new tab. */
async function openPage(path) {
  const inbox = `${self.location.origin}${RELEASE.base}/notificacoes`;
  const isPath = typeof path === "string" && /^\/(?![/\\])/.test(path);
  const url = isPath ? new URL(RELEASE.base + path, self.location.origin) : new URL(inbox);
  const to = url.origin === self.location.origin ? url.href : inbox;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  // Pages outside the console, such as the pages of guests, have no script that could show the page.
  const open = windows.filter((one) => PAGES.some((page) => page.test(new URL(one.url).pathname)));
  const tab = open.find((one) => one.focused) ?? open.find((one) => one.visibilityState === "visible") ?? open[0];
  if (!tab) return self.clients.openWindow(to);
  await tab.focus().catch(() => {});
  tab.postMessage({ abrir: to });
}

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

/** Registers the subscription that replaces the earlier subscription of this device. */
async function renew({ oldSubscription, newSubscription }) {
  const cache = await caches.open(DEVICE);
  const noted = await cache.match(`${RELEASE.base}/${DEVICE}`);
  const device = noted && (await noted.json());
  if (!device?.pessoa) return;
  const options = { userVisibleOnly: true, applicationServerKey: oldSubscription?.options?.applicationServerKey ?? device.chave };
  const subscription = newSubscription ?? (await self.registration.pushManager.subscribe(options));
  const { endpoint, keys } = subscription.toJSON();
  const body = new URLSearchParams({ endpoint, p256dh: keys.p256dh, auth: keys.auth, nome: device.nome, anterior: device.endpoint });
  const answer = await fetch(`${RELEASE.base}/acao/add_push_device`, { method: "POST", body });
  // Without a session the answer is the sign-in page. The next page then registers the subscription, because the stored
  // endpoint is still the earlier endpoint.
  if (!answer.ok || new URL(answer.url).pathname === `${RELEASE.base}/entrar`) return;
  await cache.put(`${RELEASE.base}/${DEVICE}`, Response.json({ ...device, endpoint }));
}
