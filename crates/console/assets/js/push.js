// Notifications on this device: asks the browser for a subscription, and sends it with the form of the page.

// File names contain a hash of their content, so the file of the shell is looked up in the page.
const { forgetDevice, noteDevice, readDevice } = await import(document.querySelector("script[type=module]").src);

const INSTALL =
  "No iPhone e no iPad, instale a Pauta antes: no Safari, toque em Compartilhar e em “Adicionar à Tela de Início”. Depois abra a Pauta por lá e volte a esta página.";
let begun = false;

/** Starts the module. */
export function attach() {
  if (!begun) {
    begun = true;
    document.addEventListener("htmx:after:swap", refresh);
    document.addEventListener("click", ({ target }) => target.closest?.("[data-switch-on]") && switchOn());
  }
  return refresh();
}

const part = () => document.querySelector("[data-module=push]");
const registered = () => navigator.serviceWorker.ready;

/** Returns the reason why this browser cannot receive notifications. */
function obstacle() {
  const { userAgent, maxTouchPoints } = navigator;
  const isApple = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
  if (!isSecureContext) return "Para receber avisos, abra a Pauta por https.";
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) {
    return isApple ? INSTALL : "Este navegador não recebe avisos.";
  }
  if (Notification.permission !== "denied") return undefined;
  return "Os avisos da Pauta estão bloqueados neste navegador. Permita-os nas configurações dele e volte aqui.";
}

/** Shows whether this device receives notifications. */
async function refresh() {
  const shown = part();
  if (!shown) return;
  const why = obstacle();
  if (why) return say(why, false);
  const items = [...shown.querySelectorAll("[data-device]")];
  await noteNew(items);
  const device = await readDevice();
  const item = device && items.find((one) => one.dataset.device === device.id);
  if (device && !item) {
    // The device was removed from the list, perhaps on another device.
    const subscription = await (await registered()).pushManager.getSubscription();
    await subscription?.unsubscribe();
    await forgetDevice();
  }
  for (const one of items) one.querySelector("[data-this]").hidden = one !== item;
  if (item) say("Este aparelho recebe avisos.", false);
  else say("Este aparelho não recebe avisos.", true);
}

function say(text, isOffered) {
  const shown = part();
  if (!shown) return;
  shown.querySelector("[data-state]").textContent = text;
  shown.querySelector("[data-switch-on]").hidden = !isOffered;
}

/** Stores the device that the form has just registered. The address of the page contains its id. */
async function noteNew(items) {
  const url = new URL(location.href);
  const id = url.searchParams.get("aparelho");
  if (!id) return;
  url.searchParams.delete("aparelho");
  history.replaceState(history.state, "", url);
  const subscription = await (await registered()).pushManager.getSubscription();
  if (!subscription || !items.some((one) => one.dataset.device === id)) return;
  const { person: pessoa, session: sessao } = document.documentElement.dataset;
  const device = { id, endpoint: subscription.endpoint, chave: part().dataset.key, nome: deviceName(), pessoa, sessao };
  await noteDevice(device);
}

/** Asks for the permission, subscribes and sends the form. */
async function switchOn() {
  const button = part().querySelector("[data-switch-on]");
  button.disabled = true;
  try {
    if ((await Notification.requestPermission()) !== "granted") return await refresh();
    const { endpoint, keys } = (await subscribe()).toJSON();
    const form = part().querySelector("form[action$=add_push_device]");
    const fields = { endpoint, p256dh: keys.p256dh, auth: keys.auth, nome: deviceName() };
    for (const [name, value] of Object.entries(fields)) form.querySelector(`[name=${name}]`).value = value;
    form.requestSubmit();
  } catch {
    say("O navegador não conseguiu ligar os avisos. Tente de novo daqui a pouco.", true);
  } finally {
    button.disabled = false;
  }
}

async function subscribe() {
  const { pushManager } = await registered();
  const options = { userVisibleOnly: true, applicationServerKey: decode(part().dataset.key) };
  try {
    return await pushManager.subscribe(options);
  } catch (error) {
    // The browser has a subscription for another key.
    if (error.name !== "InvalidStateError") throw error;
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  }
}

/** Decodes a text in base64url to bytes. */
function decode(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
}

/** The browser and the system, as the list of devices shows them. */
function deviceName() {
  const { userAgent } = navigator;
  const find = (names) => names.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = find([["Edge", /Edg/], ["Opera", /OPR/], ["Samsung Internet", /SamsungBrowser/], ["Firefox", /Firefox|FxiOS/], ["Chrome", /Chrom|CriOS/], ["Safari", /Safari/]]);
  const system = find([["iPhone", /iPhone/], ["iPad", /iPad/], ["Android", /Android/], ["Windows", /Windows/], ["Mac", /Macintosh/], ["ChromeOS", /CrOS/], ["Linux", /Linux/]]);
  return [browser ?? "Navegador", system].filter(Boolean).join(" em ");
}
