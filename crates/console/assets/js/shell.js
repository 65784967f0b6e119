// Common to every page: notices, the palette, keys, lists that are put in order, and changes by others.

// Chromium (156) crashes when `moveBefore` moves a list of suggestions or the input that it belongs to. htmx moves what
// a page and the next one both have.
const moveBefore = Element.prototype.moveBefore;
if (moveBefore) {
  const holds = (node) => node.matches?.("datalist, [list]") || node.querySelector?.("datalist, [list]");
  Element.prototype.moveBefore = function (node, child) {
    return holds(node) ? this.insertBefore(node, child) : moveBefore.call(this, node, child);
  };
}

const base = () => document.documentElement.dataset.base;
const all = (query, root = document) => [...root.querySelectorAll(query)];
const shown = (element) => element.checkVisibility?.() ?? element.offsetParent !== null;

/** An element with these properties and children. */
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element && name !== "role") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// ---- Notices ----

const notices = () => document.getElementById("avisos");

function notice(text, label, action) {
  const element = make("div", { className: "toast" }, make("span", { textContent: text }));
  if (label) {
    const act = () => {
      element.remove();
      action();
    };
    element.append(make("button", { type: "button", textContent: label, onclick: act }));
  }
  notices()?.append(element);
  return element;
}

/** Shows a short notice. `undo` adds a button. Returns the element. */
export function toast(text, undo) {
  const element = notice(text, undo && "Desfazer", undo);
  setTimeout(() => element.remove(), undo ? 10_000 : 5_000);
  return element;
}

// ---- Dialogs of this module ----

/** Opens a dialog that is gone when it is closed. */
function dialog(name, label, ...children) {
  const element = make("dialog", { className: name, "aria-label": label }, ...children);
  const before = document.activeElement;
  element.addEventListener("close", () => {
    element.remove();
    before?.focus?.();
  });
  element.addEventListener("click", (event) => event.target === element && element.close());
  document.body.append(element);
  element.showModal();
  return element;
}

// ---- Palette ----

let offers;

const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("_", " ").toLowerCase();

/** How well a text has the letters of the query in this order; 0 where it has not. */
function score(query, text) {
  let at = -1;
  let points = 0;
  for (const letter of query) {
    if (letter === " ") continue;
    const found = text.indexOf(letter, at + 1);
    if (found < 0) return 0;
    const starts = found === 0 || text[found - 1] === " ";
    points += found === at + 1 ? 4 : starts ? 3 : 1;
    at = found;
  }
  return points + (text.includes(query) ? 10 : 0) + (text.startsWith(query) ? 5 : 0) - text.length / 100;
}

function ranked(list, typed) {
  const query = fold(typed.trim());
  if (!query) return list.slice(0, 12);
  const scored = list.map((offer) => {
    const best = Math.max(score(query, fold(offer.nome)), score(query, fold(offer.tambem)));
    return { offer, best };
  });
  const found = scored.filter(({ best }) => best > 0).sort((a, b) => b.best - a.best);
  return found.slice(0, 12).map(({ offer }) => offer);
}

async function palette() {
  if (document.querySelector("dialog[open]")) return;
  const input = make("input", {
    type: "search", role: "combobox", "aria-label": "Ir para", "aria-controls": "ofertas", "aria-expanded": "true",
    "aria-autocomplete": "list", autocomplete: "off", placeholder: "Página ou operação",
  });
  const list = make("ul", { id: "ofertas", role: "listbox", "aria-label": "Páginas e operações" });
  const box = dialog("palette-box", "Ir para", input, list);
  offers ??= fetch(`${base()}/paleta`).then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)));
  let choices;
  try {
    choices = await offers;
  } catch {
    offers = undefined;
    list.replaceChildren(make("li", { role: "option", textContent: "Não deu certo. Tente de novo." }));
    return;
  }
  let found = [];
  let chosen = 0;
  const mark = () => {
    for (const [at, option] of [...list.children].entries()) option.setAttribute("aria-selected", at === chosen);
    const option = list.children[chosen];
    option?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option?.id ?? "");
  };
  const go = (offer) => {
    box.close();
    location.assign(offer.endereco);
  };
  const show = () => {
    found = ranked(choices, input.value);
    chosen = 0;
    const options = found.map((offer, at) =>
      make("li", { role: "option", id: `oferta-${at}`, onclick: () => go(offer) },
        make("span", { textContent: offer.nome }), " ", make("small", { textContent: offer.tambem || offer.grupo })));
    list.replaceChildren(...(options.length ? options : [make("li", { role: "option", textContent: "Nada com isso." })]));
    mark();
  };
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      chosen = (chosen + step + found.length) % found.length;
      mark();
    } else if (event.key === "Enter" && found[chosen]) {
      event.preventDefault();
      go(found[chosen]);
    }
  });
  show();
}

// ---- Keys ----

const TEXT = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button], [type=submit])";
const isTyped = (element) => element?.matches?.(TEXT) ?? false;
let leading = 0;

/** Moves the focus among the items of the page's lists. */
function step(by) {
  const items = all("[data-list] [data-item]").filter(shown);
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + by, 0), items.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** The element that a key presses: first within the item in focus. Enter and space are the focused element's own. */
function pressed(key, root) {
  const focused = document.activeElement;
  const item = focused?.closest?.("[data-item]");
  const named = `[data-key="${CSS.escape(key)}"]`;
  if (key === "Enter" || key === " ") {
    const isPlain = item === focused && !focused.matches("a, button, summary, input");
    return isPlain ? all(named, item)[0] : undefined;
  }
  return (item && all(named, item).find(shown)) ?? all(named, root).find(shown);
}

const words = (element) =>
  element.dataset.keyLabel ?? element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent.trim() ?? element.textContent.trim();

/** Lists the keys of this page. */
function help() {
  const keys = [["Ctrl K", "Ir para uma página ou operação"], ["?", "Estas teclas"]];
  if (document.querySelector("[data-list] [data-item]") && !document.querySelector("[data-key=j]")) keys.push(["j  k", "Próximo e anterior da lista"]);
  if (document.querySelector("[data-sort]")) keys.push(["Alt ↑ ↓", "Mover o que está em foco"]);
  const named = new Map(all("[data-key]").filter(shown).map((element) => [element.dataset.key, words(element)]));
  keys.push(...named);
  for (const list of all("[data-keys]")) {
    const [names, what] = ["dt", "dd"].map((tag) => all(tag, list).map((element) => element.textContent));
    keys.push(...names.map((name, at) => [name, what[at]]));
  }
  const places = new Map(all("[data-go]").map((link) => [link.dataset.go, link.firstElementChild.textContent.trim()]));
  for (const [key, place] of places) keys.push([`g ${key}`, place]);
  const rows = keys.map(([key, what]) => [make("dt", {}, make("kbd", { textContent: key })), make("dd", { textContent: what })]);
  const close = make("button", { type: "button", className: "quiet", textContent: "Fechar" });
  const box = dialog("keys-box", "Teclas", make("h2", { textContent: "Teclas" }), make("dl", {}, ...rows.flat()), close);
  close.addEventListener("click", () => box.close());
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    palette();
    return;
  }
  const open = document.querySelector("dialog[open]");
  if (event.altKey && !open && event.key.startsWith("Arrow")) {
    if (moveByKey(event.key)) event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyped(event.target)) return;
  const led = Date.now() - leading < 1500;
  leading = 0;
  if (open) {
    const element = pressed(event.key, open);
    if (element) press(element, event);
  } else if (led) {
    const link = all(`[data-go="${CSS.escape(event.key)}"]`)[0];
    if (link) location.assign(link.href);
  } else if (event.key === "g") {
    leading = Date.now();
  } else if (event.key === "?") {
    event.preventDefault();
    help();
  } else {
    const element = pressed(event.key, document);
    if (element) press(element, event);
    else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  }
});

function press(element, event) {
  event.preventDefault();
  if (isTyped(element)) element.focus();
  else element.click();
}

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-palette]")) palette();
});

// ---- Lists that are put in order ----
// `data-sort` names the change, `data-into` the list and `data-id` each thing in it. A move is sent by the form that has
// a field `mover`.

let dragged;
let moving;

const isIn = (list, element) => element.parentElement === list;
const things = (list) => all("[data-id]", list).filter((thing) => isIn(list, thing));
const listOf = (thing) => thing.parentElement?.closest("[data-sort]");

/** Sends a move; the focus stays with what is moved. */
function send(thing, list, place) {
  const field = document.querySelector("form [name=mover]");
  if (!field || moving) return;
  moving = { id: thing.id, until: Date.now() + 5000 };
  field.value = [list.dataset.sort, thing.dataset.id, list.dataset.into ?? "", place].join(":");
  field.disabled = false;
  field.form.requestSubmit();
  field.disabled = true;
}

function moveByKey(key) {
  const thing = document.activeElement?.closest?.("[data-sort] > [data-id]");
  if (!thing) return false;
  if (moving && Date.now() > moving.until) moving = undefined;
  const list = listOf(thing);
  const at = things(list).indexOf(thing);
  if (key === "ArrowUp" && at > 0) send(thing, list, at - 1);
  if (key === "ArrowDown" && at < things(list).length - 1) send(thing, list, at + 1);
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const lists = all(`[data-sort="${CSS.escape(list.dataset.sort)}"]`);
    const other = lists[lists.indexOf(list) + (key === "ArrowLeft" ? -1 : 1)];
    if (other) send(thing, other, Math.min(at, things(other).length));
  }
  return true;
}

/** The list under the pointer that takes what is dragged, and the thing that it would stand before. */
function target(event) {
  const list = dragged && event.target.closest?.(`[data-sort="${CSS.escape(listOf(dragged)?.dataset.sort ?? "")}"]`);
  if (!list) return {};
  const others = things(list).filter((thing) => thing !== dragged);
  const before = others.find((thing) => {
    const box = thing.getBoundingClientRect();
    return event.clientY < box.top + box.height / 2;
  });
  return { list, before, place: before ? others.indexOf(before) : others.length };
}

function unmark() {
  for (const element of all(".drop-before, .drop-end")) element.classList.remove("drop-before", "drop-end");
}

document.addEventListener("dragstart", (event) => {
  const thing = event.target.closest?.("[data-sort] > [data-id]");
  if (!thing) return;
  dragged = thing;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", thing.dataset.id);
});
document.addEventListener("dragover", (event) => {
  const { list, before } = target(event);
  unmark();
  if (!list) return;
  event.preventDefault();
  if (before) before.classList.add("drop-before");
  else list.classList.add("drop-end");
});
document.addEventListener("drop", (event) => {
  const { list, place } = target(event);
  if (!list) return;
  event.preventDefault();
  if (list !== listOf(dragged) || things(list).indexOf(dragged) !== place) send(dragged, list, place);
});
document.addEventListener("dragend", () => {
  unmark();
  dragged = undefined;
});

// ---- Changes by others, and a lost connection ----

let source, since;
/** When something changed last in each area. */
const changed = new Map();
let pause = 1;
let told;
let away;
let served = "";

const content = () => document.getElementById("conteudo");
/** The areas whose content the page shows. */
const topics = () => content()?.dataset.live?.split(" ") ?? [];

/** What a page says, apart from what differs each time that it is asked for. */
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

/** Whether a new version of the page would disturb. */
const isBusy = () =>
  document.querySelector("dialog[open], .dragging, .picked") !== null || dragged !== undefined || isTyped(document.activeElement) ||
  all("main input, main textarea, main select").some(isChanged);

/** Shows a new version of the page. What was opened stays open. */
function refresh(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const name = (element) => `${element.closest("[id]")?.id} ${element.querySelector("summary")?.textContent.trim()}`;
  const fresh = Map.groupBy(all("main details", page), name);
  for (const [its, here] of Map.groupBy(all("main details"), name)) {
    const there = fresh.get(its);
    // Where there are others now, nobody can say which of them was open.
    if (there?.length === here.length) here.forEach(({ open }, at) => open && there[at].setAttribute("open", ""));
  }
  const shown = { text: page.documentElement.outerHTML, sourceElement: document.body, target: document.body };
  window.htmx.swap({ ...shown, swap: "innerMorph" });
}

/** Asks for the page again, and shows it where that does not disturb. */
async function look() {
  const [url, headers] = [location.href, { accept: "text/html", "x-pauta-background": "1" }];
  const answer = await fetch(url, { headers }).catch(() => undefined);
  if (answer?.status === 503) return void setTimeout(look, 5000);
  if (!answer?.ok || answer.redirected) return;
  const text = await answer.text();
  const fresh = state(new DOMParser().parseFromString(text, "text/html"));
  if (url !== location.href || fresh === served) return;
  served = fresh;
  if (!isBusy()) {
    refresh(text);
    return;
  }
  told?.remove();
  told = notice("Alguém mudou esta página.", "Atualizar", () => refresh(text));
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
    const { ate, areas } = JSON.parse(data);
    since = ate;
    pause = 1;
    for (const area of areas ?? topics()) changed.set(area, ate);
    if (!areas || topics().some((topic) => areas.includes(topic))) look();
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

// ---- Each page ----

/** Loads the module that each `data-module` names, and attaches it once. */
function attach() {
  for (const element of all("[data-module]")) {
    if (element.attached) continue;
    element.attached = true;
    import(document.documentElement.dataset[element.dataset.module]).then((module) => module.attach(element));
  }
}

function settle() {
  served = state(document);
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
  // What changed while the page was on its way. The numbers are of one run of the service.
  const [run, number] = content()?.dataset.since?.split("-") ?? [];
  const isNewer = ([ran, later]) => ran === run && parseInt(later, 16) > parseInt(number, 16);
  if (topics().some((topic) => isNewer(changed.get(topic)?.split("-") ?? []))) look();
}

document.addEventListener("htmx:after:swap", settle);
settle();

/** Copies what `data-copy` names; selects it where the browser does not allow that. */
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy]");
  const source = button && document.querySelector(button.dataset.copy);
  if (!source) return;
  try {
    await navigator.clipboard.writeText(source.textContent);
    toast("Copiado.");
  } catch {
    getSelection().selectAllChildren(source);
    toast("Selecionado: copie com Ctrl+C.");
  }
});

/** Takes a secret out of the page when its time is over (`data-hide-after`, seconds). */
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
