// The agenda: a quick look (Space), moving by mouse and by Alt+arrows, taking a move back, and changing several
// (Shift+click or x).
// Everything that it does, links and forms of the page do too.

const base = document.documentElement.dataset.base;
const shell = import(document.querySelector('script[type="module"][src*="/shell."]').src);
const toast = async (text, undo) => (await shell).toast(text, undo);

const cardOf = (element) => element.closest?.("[data-rev]");
const linkOf = (card) => card?.querySelector("a.what");
const hourOf = (card) => card.querySelector("time")?.textContent;
const parsed = (html) => new DOMParser().parseFromString(html, "text/html");

let dragged;
let busy = false;
let takeBack;

/** Whether a card may land on this day. Without a day it loses its date. */
function lands(root, card, day) {
  if (day === card.dataset.on) return false;
  return day === "" || `${day}T${hourOf(card) ?? "12:00"}` > root.dataset.now;
}

function plusDays(day, days) {
  const date = new Date(`${day}T12:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

function named(day, hour) {
  if (day === "") return "a bandeja sem data";
  const words = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" };
  const text = new Date(`${day}T12:00:00Z`).toLocaleDateString("pt-BR", words).replaceAll(".", "");
  return hour ? `${text}, ${hour}` : text;
}

/** The page to come back to: this one, or the one that shows the day. */
function back(root, id, day) {
  const { from, to } = root.dataset;
  const url = new URL(location.href);
  url.searchParams.set("foco", id);
  const isSeen = day === "" || (day >= from && day <= to);
  if (!isSeen) url.searchParams.set("dia", day);
  return { path: url.pathname.slice(base.length) + url.search, isSeen };
}

/** What is drawn, from a page that the service just made. */
function redraw(root, page) {
  const fresh = page.getElementById("agenda");
  if (!fresh) return;
  for (const name of ["now", "from", "to"]) root.dataset[name] = fresh.dataset[name];
  root.replaceChildren(...fresh.childNodes);
  window.htmx?.process(root);
}

function keep(url) {
  const address = new URL(url, location.href);
  address.searchParams.delete("foco");
  address.searchParams.delete("feito");
  return address;
}

async function refused(answer, root) {
  const notice = parsed(await answer.text());
  if (answer.headers.get("hx-retarget") === "#sessao") {
    document.getElementById("sessao").replaceChildren(...notice.body.childNodes);
    return;
  }
  toast(told(notice));
  await refresh(root);
}

async function refresh(root) {
  const now = await fetch(location.href);
  if (now.ok) redraw(root, parsed(await now.text()));
}

/** Calls an operation as a form does, with a key of its own. */
function send(operation, fields) {
  const key = crypto.getRandomValues(new Uint8Array(16));
  const body = new URLSearchParams(fields);
  body.set("idempotency_key", Array.from(key, (byte) => byte.toString(16).padStart(2, "0")).join(""));
  return fetch(`${base}/acao/${operation}`, { method: "POST", body, headers: { "HX-Request": "true" } });
}

/** A day as the operations take it; `""` is no day. */
function dated(day, hour) {
  if (day === "") return { sem_data: "true" };
  const [year, month, number] = day.split("-").map(Number);
  return { year, month, day: number, ...(hour ? { hour } : {}) };
}

const told = (notice) => notice.body.textContent.replace(/\s+/g, " ").trim();

/** Gives an event another day, and its hour where one is named. Returns whether it did. */
async function change(root, { id, revision, day, hour }) {
  if (busy) return false;
  busy = true;
  root.setAttribute("aria-busy", "true");
  const { path, isSeen } = back(root, id, day);
  try {
    const fields = { _volta: path, eventId: id, expected_revision: revision, ...dated(day, hour) };
    const answer = await send("update_event", fields);
    if (!answer.ok) {
      await refused(answer, root);
      return false;
    }
    redraw(root, parsed(await answer.text()));
    if (!isSeen) history.pushState(null, "", keep(answer.url));
    return true;
  } catch {
    toast("Sem conexão: nada foi movido.");
    return false;
  } finally {
    busy = false;
    root.removeAttribute("aria-busy");
    linkOf(document.getElementById(`e-${id}`))?.focus();
  }
}

async function move(root, card, day) {
  const id = card.id.slice(2);
  const revision = Number(card.dataset.rev);
  const before = { day: card.dataset.on, hour: hourOf(card) };
  if (!(await change(root, { id, revision, day }))) return;
  const undo = async () => {
    if (takeBack !== undo) return;
    takeBack = undefined;
    const done = await change(root, { id, revision: revision + 1, ...before });
    if (done) toast(`Voltou para ${named(before.day, before.hour)}.`);
  };
  takeBack = undo;
  toast(`Movido para ${named(day, day && (before.hour ?? "12:00"))}.`, undo);
}

async function look(root, card) {
  const dialog = root.querySelector("#olhar");
  const answer = await fetch(`${base}/agenda/eventos/${card.id.slice(2)}?parte=sim`);
  if (!answer.ok) return toast("Não deu para abrir agora.");
  dialog.replaceChildren(...parsed(await answer.text()).body.childNodes);
  window.htmx?.process(dialog);
  dialog.addEventListener("close", () => linkOf(document.getElementById(card.id))?.focus(), { once: true });
  dialog.showModal();
  dialog.querySelector("a.button")?.focus();
}

/** What can be done with several events: words, operation, what it takes of a card; nothing where it cannot. */
const DEEDS = [
  ["− 1 semana", "update_event", (root, card) => stepped(root, card, -7)],
  ["− 1 dia", "update_event", (root, card) => stepped(root, card, -1)],
  ["+ 1 dia", "update_event", (root, card) => stepped(root, card, 1)],
  ["+ 1 semana", "update_event", (root, card) => stepped(root, card, 7)],
  ["Enviar para aprovação", "submit_for_approval", (root, card) => ({ event_id: card.id.slice(2) })],
  ["Arquivar", "update_event", (root, card) => ({ eventId: card.id.slice(2), status: "arquivado" })],
];

function stepped(root, card, days) {
  const day = card.dataset.on && plusDays(card.dataset.on, days);
  if (!day || !card.draggable || !lands(root, card, day)) return undefined;
  return { eventId: card.id.slice(2), ...dated(day) };
}

const picked = (root) => [...root.querySelectorAll(".ev.picked")];

/** Adds a card to those that are chosen, or takes it out. */
function pick(root, card) {
  card.classList.toggle("picked");
  bar(root);
}

/** What can be done with the chosen cards. */
function bar(root) {
  const count = picked(root).length;
  let element = root.querySelector(".pick-bar");
  if (!count) return void element?.remove();
  if (!element) {
    element = document.createElement("div");
    element.className = "pick-bar row";
    const count = document.createElement("strong");
    count.setAttribute("role", "status");
    element.append(count);
    const may = root.dataset.may.split(" ");
    const offered = DEEDS.filter(([, operation]) => may.includes(operation));
    const clear = ["Limpar", undefined];
    for (const [words, operation, fields] of [...offered, clear]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.textContent = words;
      button.addEventListener("click", () => (operation ? together(root, operation, fields) : unpick(root)));
      element.append(button);
    }
    root.append(element);
  }
  element.firstChild.textContent = count === 1 ? "1 escolhido" : `${count} escolhidos`;
}

function unpick(root) {
  for (const card of picked(root)) card.classList.remove("picked");
  bar(root);
}

/** Changes the chosen events one by one: each answers for itself. */
async function together(root, operation, fieldsOf) {
  if (busy) return;
  busy = true;
  let done = 0;
  const reasons = new Set();
  const cards = picked(root);
  try {
    for (const card of cards) {
      const fields = fieldsOf(root, card);
      if (!fields) {
        reasons.add("no passado, sem data ou fechado.");
        continue;
      }
      const back = `/agenda/eventos/${card.id.slice(2)}?parte=sim`;
      const answer = await send(operation, { ...fields, expected_revision: card.dataset.rev, _volta: back });
      if (answer.ok) done += 1;
      else reasons.add(told(parsed(await answer.text())));
    }
    await refresh(root);
  } catch {
    reasons.add("Sem conexão.");
  } finally {
    busy = false;
    unpick(root);
    linkOf(document.getElementById(cards[0]?.id))?.focus();
  }
  const left = cards.length - done;
  toast(left ? `Feito em ${done}. Em ${left} não: ${[...reasons].join(" ")}` : `Feito em ${done}.`);
}

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

function pressed(root, event) {
  const card = cardOf(event.target);
  if (!card || event.target !== linkOf(card)) return;
  if (event.key === " ") {
    event.preventDefault();
    look(root, card);
    return;
  }
  if (event.key === "x" && !event.ctrlKey && !event.metaKey && !event.altKey) return pick(root, card);
  if (event.key === "Escape") return unpick(root);
  const step = STEPS[event.key];
  if (!step || !event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (!card.draggable) return void toast("Este evento não pode ser movido por você ou neste estado.");
  // Out of the tray, the first step leads to tomorrow.
  const from = card.dataset.on || root.dataset.now.slice(0, 10);
  const day = plusDays(from, card.dataset.on ? step : 1);
  if (lands(root, card, day)) move(root, card, day);
  else toast("Não dá para mover para o passado.");
}

/** Begins on the element that names this module. */
export function attach(root) {
  const zoneOf = (event) => event.target.closest?.("[data-day]");
  const mark = (zone) => {
    for (const old of root.querySelectorAll(".drop-here")) if (old !== zone) old.classList.remove("drop-here");
    zone?.classList.add("drop-here");
  };
  root.addEventListener("dragstart", (event) => {
    dragged = cardOf(event.target);
    if (!dragged?.draggable) return void (dragged = undefined);
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", linkOf(dragged).textContent);
    for (const zone of root.querySelectorAll("[data-day]")) {
      zone.classList.toggle("closed", !lands(root, dragged, zone.dataset.day));
    }
    root.classList.add("dragging");
  });
  root.addEventListener("dragover", (event) => {
    const zone = zoneOf(event);
    const isOpen = dragged && zone && lands(root, dragged, zone.dataset.day);
    // Only where this is called may be dropped.
    if (isOpen) event.preventDefault();
    mark(isOpen ? zone : undefined);
  });
  root.addEventListener("drop", (event) => {
    const zone = zoneOf(event);
    if (!dragged || !zone) return;
    event.preventDefault();
    move(root, dragged, zone.dataset.day);
  });
  root.addEventListener("dragend", () => {
    dragged = undefined;
    root.classList.remove("dragging");
    mark();
    for (const zone of root.querySelectorAll(".closed")) zone.classList.remove("closed");
  });
  root.addEventListener("click", (event) => {
    const card = event.shiftKey && event.target.closest?.("a.what") && cardOf(event.target);
    if (!card) return;
    event.preventDefault();
    event.stopPropagation();
    pick(root, card);
  }, true);
  root.addEventListener("keydown", (event) => pressed(root, event));
}

document.addEventListener("keydown", (event) => {
  const isUndo = event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
  if (!isUndo || !takeBack || event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  takeBack();
});
