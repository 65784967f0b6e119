
// ---- Changes by other people, and a lost connection ----

let source, since;
/** The position in the stream of the last change of each area. */
const changed = new Map();
/** The authors of the changes that no `look` has read yet, and of the changes in the notice: names, or null for the service. */
let unread = new Set();
let offered = new Set();
let pause = 1;
let told;
let away;
let served = "";

const content = () => document.getElementById("conteudo");
/** The areas whose content the page shows. */
const topics = () => content()?.dataset.live?.split(" ") ?? [];

/** The text and the revisions of a page, without the parts that differ in every render. */
function state(page) {
  const main = page.getElementById("conteudo")?.cloneNode(true);
  for (const element of main?.querySelectorAll("[data-toast], .outcome, #sessao, svg") ?? []) element.remove();
  const revisions = [...(main?.querySelectorAll("[name=expected_revision]") ?? [])].map((field) => field.value);
  return `${main?.textContent.replace(/\s+/g, " ")}${revisions}`;
}

function isChanged(field) {
  if (field.type === "hidden" || field.type === "submit") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
  const chosen = [...field.options].findIndex((option) => option.defaultSelected);
  return field.selectedIndex !== Math.max(chosen, 0);
}

/** Whether a new version of the page would disturb: a dialog is open, or the viewer drags, picks or edits. */
const isBusy = () =>
  document.querySelector("dialog[open], .dragging, .picked") !== null || dragged !== undefined || isTyped(document.activeElement) ||
  all("main input, main textarea, main select").some(isChanged);

/** Shows a new version of the page. Opened `details` stay open. */
function refresh(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const name = (element) => `${element.closest("[id]")?.id} ${element.querySelector("summary")?.textContent.trim()}`;
  const fresh = Map.groupBy(all("main details", page), name);
  for (const [its, here] of Map.groupBy(all("main details"), name)) {
    const there = fresh.get(its);
    // If the number of `details` with this name has changed, it is unknown which of them was open.
    if (there?.length === here.length) here.forEach(({ open }, at) => open && there[at].setAttribute("open", ""));
  }
  const shown = { text: page.documentElement.outerHTML, sourceElement: document.body, target: document.body };
  window.htmx.swap({ ...shown, swap: "innerMorph" });
}

/**
 * Says who changed the page. Empty if only the viewer changed it. A page of a piece has the newest lines of the history:
 * revision and author. The author is empty for the viewer. For other pages, the stream sends the authors of changes in
 * their areas.
 */
function sayWhoChanged(page) {
  const [here, there] = [document, page].map((root) => root.querySelector("main [data-lines]"));
  if (!here || !there) {
    const names = [...offered].filter(Boolean);
    if (!offered.size) return "";
    return names.length ? `${saySubject(names)} esta página.` : "Esta página mudou.";
  }
  if (here.id !== there.id) return "Esta peça já não espera.";
  const isNew = ([revision]) => revision > Number(here.dataset.revision);
  const names = [...new Set(JSON.parse(there.dataset.lines).filter(isNew).map(([, name]) => name))].filter(Boolean);
  // The history has no lines about remarks, so their authors come from the stream.
  const others = names.length ? names.reverse() : [...offered].filter(Boolean);
  return others.length ? `${saySubject(others)} esta peça.` : "";
}

const saySubject = (names) => `${new Intl.ListFormat("pt-BR").format(names)} ${names.length > 1 ? "mudaram" : "mudou"}`;

/** Requests the page again. Shows a changed page at once or, if that would disturb, offers it in a notice. */
async function look() {
  const [url, headers] = [location.href, { accept: "text/html", "x-pauta-background": "1" }];
  const authors = unread;
  unread = new Set();
  const answer = await fetch(url, { headers }).catch(() => undefined);
  if (answer?.status === 503) {
    unread = new Set([...authors, ...unread]);
    return void setTimeout(look, 5000);
  }
  if (!answer?.ok || answer.redirected) return;
  const text = await answer.text();
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = state(page);
  if (url !== location.href) return;
  // The bell is outside the content, so its update does not disturb the viewer.
  const [bell, ring] = [document, page].map((root) => root.getElementById("sino"));
  if (bell && ring && !bell.isEqualNode(ring)) bell.replaceChildren(...ring.childNodes);
  if (fresh === served) return;
  served = fresh;
  for (const name of authors) offered.add(name);
  if (!isBusy()) {
    refresh(text);
    return;
  }
  const said = sayWhoChanged(page);
  if (!said) return;
  told?.remove();
  told = notice(said, "Atualizar", () => refresh(text));
}

function hush() {
  source?.close();
  source = undefined;
}

function listen() {
  if (document.hidden || !topics().length) return hush();
  if (source) return;
  const opened = new EventSource(`${base()}/vivo?desde=${since ?? content().dataset.since}`);
  source = opened;
  opened.onmessage = ({ data }) => {
    const { ate, areas, autores } = JSON.parse(data);
    since = ate;
    pause = 1;
    for (const area of areas ?? topics()) changed.set(area, ate);
    const mine = topics().filter((topic) => !areas || areas.includes(topic));
    for (const topic of mine) for (const name of autores?.[topic] ?? [null]) unread.add(name);
    if (mine.length) look();
  };
  opened.onerror = () => {
    check();
    if (opened !== source) return;
    hush();
    setTimeout(listen, pause * 1000);
    pause = Math.min(pause * 2, 60);
  };
}

/** Whether the service can be reached. */
async function check() {
  const icon = document.querySelector("link[rel=icon]").href;
  try {
    await fetch(icon, { method: "HEAD", cache: "no-store" });
    away?.remove();
    away = undefined;
  } catch {
    if (!away?.isConnected) away = notice("Sem conexão. O que você digitou continua aqui.");
    setTimeout(check, 4000);
  }
}

document.addEventListener("visibilitychange", listen);
window.addEventListener("pagehide", hush);
window.addEventListener("pageshow", listen);
window.addEventListener("offline", check);
window.addEventListener("online", check);
document.addEventListener("htmx:error", check);

// ---- The menu ----

const FOLDS = "pauta_menu";

/** Stores in a cookie whether a group of the menu is open or folded, so that the next page draws the same state. */
function rememberFold({ dataset, parentElement }) {
  const now = document.cookie.split("; ").find((pair) => pair.startsWith(`${FOLDS}=`));
  const others = (now?.slice(FOLDS.length + 1).match(/\d+[+-]/g) ?? []).filter((fold) => fold.slice(0, -1) !== dataset.group);
  // The click opens or folds the group after this listener.
  const value = [...others, `${dataset.group}${parentElement.open ? "-" : "+"}`].join("");
  document.cookie = `${FOLDS}=${value}; path=${base() || "/"}; max-age=31536000; samesite=lax`;
}

document.addEventListener("click", ({ target }) => {
  const group = target.closest?.("nav summary[data-group]");
  if (group) rememberFold(group);
});

// ---- Each page ----

/** Loads the module of each element that names one, and starts it. */
function attach() {
  for (const element of all("[data-module]")) {
    if (element.attached) continue;
    const file = document.documentElement.dataset[element.dataset.module];
    element.attached = import(file).then((module) => {
      module.attach(element);
      repeatInput(element);
      element.isReady = true;
    });
  }
}

/** Repeats the events of what the viewer entered or chose in an element before its module was loaded. */
function repeatInput(element) {
  for (const field of all("input, textarea, select", element).filter(isChanged)) {
    field.dispatchEvent(new Event(field.type === "file" ? "change" : "input", { bubbles: true }));
  }
}

function settle() {
  served = state(document);
  offered = new Set();
  told?.remove();
  attach();
  for (const element of all("[data-toast]")) {
    toast(element.textContent);
    element.remove();
  }
  const url = new URL(location.href);
  if (url.searchParams.has("feito")) {
    url.searchParams.delete("feito");
    history.replaceState(history.state, "", url);
  }
  if (moving) {
    document.getElementById(moving.id)?.focus();
    moving = undefined;
  }
  listen();
  // A change may have arrived while the page was loading. Its number can be compared only within one run of the
  // service.
  const [run, number] = content()?.dataset.since?.split("-") ?? [];
  const isNewer = ([ran, later]) => ran === run && parseInt(later, 16) > parseInt(number, 16);
  if (topics().some((topic) => isNewer(changed.get(topic)?.split("-") ?? []))) {
    unread.add(null);
    look();
  }
}

document.addEventListener("htmx:after:swap", settle);
settle();

/** Copies the text of the element that `data-copy` names. If the browser forbids that, selects the text. */
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy]");
  const source = button && document.querySelector(button.dataset.copy);
  if (!source) return;
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    toast("Copiado.");
  } catch {
    if (source.select) source.select();
    else getSelection().selectAllChildren(source);
    toast("Selecionado: copie com Ctrl+C.");
  }
});

/** Removes each secret from the page after its time (`data-hide-after`, in seconds). */
function hideSecrets() {
  for (const element of document.querySelectorAll("[data-hide-after]")) {
    if (element.timed) continue;
    element.timed = true;
    setTimeout(() => {
      const instead = element.parentNode?.querySelector("[data-hidden-instead]");
      element.remove();
      if (instead) instead.hidden = false;
    }, element.dataset.hideAfter * 1000);
  }
}

document.addEventListener("htmx:after:swap", hideSecrets);
hideSecrets();
