// ---- The installed app ----

/** The name of the cache, and of its entry, that stores this device. The service worker reads it too. It has no content. */
const DEVICE = "aparelho";
const noted = () => `${base()}/${DEVICE}`;

export async function readDevice() {
  const answer = await (await caches.open(DEVICE)).match(noted());
  return answer?.json();
}

export async function noteDevice(device) {
  await (await caches.open(DEVICE)).put(noted(), Response.json(device));
}

export const forgetDevice = () => caches.delete(DEVICE);

/** Registers a subscription of this device in the session of this page. Returns the status of the answer. */
async function sendDevice(device, { endpoint, keys }) {
  const body = new URLSearchParams({ endpoint, p256dh: keys.p256dh, auth: keys.auth, nome: device.nome, anterior: device.endpoint });
  const answer = await fetch(`${base()}/acao/add_push_device`, { method: "POST", body, redirect: "manual" });
  return answer.type === "opaqueredirect" ? 303 : answer.status;
}

/** Updates the registration of this device for the member of this page. Ends it if it belongs to another member. */
async function keepDevice() {
  const device = await readDevice();
  const { person, session } = document.documentElement.dataset;
  if (!device || !person) return;
  const registration = await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager?.getSubscription();
  const isTheirs = subscription && device.pessoa === person;
  if (isTheirs && device.sessao === session && device.endpoint === subscription.endpoint) return;
  const status = isTheirs ? await sendDevice(device, subscription.toJSON()) : 404;
  if (status === 303) await noteDevice({ ...device, endpoint: subscription.endpoint, sessao: session });
  if (status === 404) await dropSubscription();
}

async function dropSubscription() {
  const registration = await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager?.getSubscription();
  await subscription?.unsubscribe();
  await forgetDevice();
}

/** Ends the notifications of this browser at sign-out. If a step fails, the next page of a member repeats it. */
async function endDevice() {
  const device = await readDevice();
  if (!device) return;
  await noteDevice({ ...device, pessoa: "" });
  await dropSubscription();
}

if ("serviceWorker" in navigator && isSecureContext) {
  navigator.serviceWorker.register(`${base()}/app.js`).then(keepDevice).catch(() => {});
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (!data?.abrir) return;
    if (document.querySelector("form[data-dirty]")) notice("Você abriu um aviso.", "Ver", () => visit(data.abrir));
    else visit(data.abrir);
  });
}

/** The maximum time that a sign-out waits for `endDevice`, in milliseconds. */
const LEAVING = 2000;

/** Without a connection no form is sent, and forms keep their text. A sign-out first ends this device's notifications. */
document.addEventListener(
  "submit",
  (event) => {
    if (!navigator.onLine && event.target.getAttribute("method") === "post") {
      event.preventDefault();
      event.stopImmediatePropagation();
      check();
      toast("Sem conexão: nada foi enviado. O que você digitou continua aqui.");
    } else if (event.target.getAttribute("action") === `${base()}/sair` && "caches" in window) {
      event.preventDefault();
      const wait = new Promise((resolve) => setTimeout(resolve, LEAVING));
      Promise.race([endDevice().catch(() => {}), wait]).then(() => event.target.submit());
    }
  },
  true,
);
