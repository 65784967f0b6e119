// The agenda with a script: a quick view (Space), moves by mouse, by touch and by Alt+arrows, several events at once
// (Shift+click or x), and undo. Links and forms of the page do the same without a script.
// `drag.js` is the second part of this module.

const base = document.documentElement.dataset.base;
const shell = import(document.querySelector('script[type="module"][src*="/shell."]').src);
const toast = async (text, undo) => (await shell).toast(text, undo);

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const NOON = "12:00";

const cardOf = (element) => element.closest?.("[data-rev]");
const linkOf = (card) => card?.querySelector("a.what");
const idOf = (card) => card.id.slice(2);
const findCard = (id) => document.getElementById(`e-${id}`);
const hourOf = (card) => card.querySelector("time")?.textContent;
const titleOf = (card) => card.querySelector(".title").textContent;
const parseHtml = (html) => new DOMParser().parseFromString(html, "text/html");
const noticeText = (notice) => notice.body.textContent.replace(/\s+/g, " ").trim();

let dragged;
let busy = false;
let takeBack;

// ---- Places: a place is a day and optionally an hour. The day "" is the tray of undated events. ----

const instant = ({ day, hour }) => Date.parse(`${day}T${hour}Z`);

function placeAt(milliseconds) {
  const [day, time] = new Date(milliseconds).toISOString().split("T");
  return { day, hour: time.slice(0, 5) };
}

const placeOf = (card) => ({ day: card.dataset.on, hour: hourOf(card) });

/** Returns the place where a card lands. If the place has no hour, the card keeps its own hour, or gets noon. */
const landingPlace = (card, { day, hour }) => ({ day, hour: day && (hour ?? hourOf(card) ?? NOON) });

/** Whether a card may move to a place. It may not move to its current place or into the past. */
function canLand(root, card, place) {
  const { day, hour } = landingPlace(card, place);
  if (day === card.dataset.on && (day === "" || hour === hourOf(card))) return false;
  return day === "" || `${day}T${hour}` > root.dataset.now;
}

const halfOf = (hour) => hour && `${hour.slice(0, 3)}${hour.slice(3) < "30" ? "00" : "30"}`;

/** The drop zone that contains the element. */
const zoneOf = (element) => element?.closest?.("[data-hour], .day-head, [data-day]:not(.by-hour)");

/** The place of a drop zone. A card that is dropped on its own half hour keeps its minutes. */
function placeIn(zone, card) {
  const { hour } = zone.dataset;
  return { day: zone.closest("[data-day]").dataset.day, hour: hour === halfOf(hourOf(card)) ? hourOf(card) : hour };
}

function placeName({ day, hour }) {
  if (day === "") return "a bandeja sem data";
  const words = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" };
  const text = new Date(`${day}T12:00:00Z`).toLocaleDateString("pt-BR", words).replaceAll(".", "");
  return hour ? `${text}, ${hour}` : text;
}

// ---- Drawing ----

/** The page to return to: this one if it shows the day, otherwise the page of that day. */
function returnPage(root, id, day) {
  const { from, to } = root.dataset;
  const isOneDay = root.querySelector(".day-switch")?.checkVisibility();
  const chosen = root.querySelector(".by-hour.chosen")?.dataset.day;
  const isSeen = day === "" || (isOneDay ? day === chosen : day >= from && day <= to);
  const url = new URL(location.href);
  url.searchParams.set("foco", id);
  if (!isSeen) url.searchParams.set("dia", day);
  return { path: url.pathname.slice(base.length) + url.search, isSeen };
}

function redraw(root, page) {
  const fresh = page.getElementById("agenda");
  if (!fresh) return;
  for (const name of ["now", "from", "to"]) root.dataset[name] = fresh.dataset[name];
  root.replaceChildren(...fresh.childNodes);
  window.htmx?.process(root);
}

/** Draws the page at this path. Its address goes into the history unless the day was already in view. */
async function show(root, { path, isSeen }) {
  const answer = await fetch(base + path);
  if (!answer.ok) return;
  redraw(root, parseHtml(await answer.text()));
  if (!isSeen) keep(answer.url);
}

function keep(url) {
  const address = new URL(url, location.href);
  address.searchParams.delete("foco");
  address.searchParams.delete("feito");
  history.pushState(null, "", address);
}

const currentPage = () => ({ path: location.href.slice(location.origin.length + base.length), isSeen: true });

// ---- Changes: each change calls its operation with its own key and revision ----

/** Calls an operation as a form does. */
function send(operation, fields) {
  const key = crypto.getRandomValues(new Uint8Array(16));
  const body = new URLSearchParams(fields);
  body.set("idempotency_key", Array.from(key, (byte) => byte.toString(16).padStart(2, "0")).join(""));
  return fetch(`${base}/acao/${operation}`, { method: "POST", body, headers: { "HX-Request": "true" } });
}

/** A place as input fields of an operation. */
function placeFields({ day, hour }) {
  if (day === "") return { sem_data: "true" };
  const [year, month, number] = day.split("-").map(Number);
  return { year, month, day: number, ...(hour ? { hour } : {}) };
}

/** Returns the reason why a change was refused. If the session has ended, also shows the notice to sign in. */
async function reason(answer) {
  const notice = parseHtml(await answer.text());
  if (answer.headers.get("hx-retarget") !== "#sessao") return noticeText(notice);
  document.getElementById("sessao").replaceChildren(...notice.body.childNodes);
  return "A sessão terminou: entre de novo.";
}

/**
 * Makes changes one by one. Each change succeeds or fails independently. `changes` are
 * { id, title, revision, operation, fields }. An impossible change has its reason in `not`. Returns the changes that
 * were made (`done`), the changes that failed (`left`), and the reasons.
 */
async function make(root, changes, focus) {
  const outcome = { done: [], left: [], reasons: new Set() };
  if (busy) return outcome;
  busy = true;
  root.setAttribute("aria-busy", "true");
  const last = changes.findLast((change) => !change.not);
  let page;
  try {
    for (const change of changes) {
      if (change.not) {
        outcome.left.push(change);
        outcome.reasons.add(change.not);
        continue;
      }
      // The response to the last change is a whole page. The other responses are parts of a page.
      const to = change === last ? focus.path : `/agenda/eventos/${change.id}?parte=sim`;
      const fields = { ...change.fields, expected_revision: change.revision, _volta: to };
      const answer = await send(change.operation, fields);
      if (answer.ok) outcome.done.push(change);
      else {
        outcome.left.push(change);
        outcome.reasons.add(await reason(answer));
      }
      if (answer.ok && change === last) page = { drawn: parseHtml(await answer.text()), url: answer.url };
    }
  } catch {
    const seen = new Set([...outcome.done, ...outcome.left]);
    outcome.left.push(...changes.filter((change) => !seen.has(change)));
    outcome.reasons.add("Sem conexão.");
  }
  try {
    if (page) {
      redraw(root, page.drawn);
      if (!focus.isSeen) keep(page.url);
    } else if (outcome.done.length) await show(root, focus);
    else if (last) await show(root, currentPage());
  } catch {
    // Without a connection, the page does not change.
  } finally {
    busy = false;
    root.removeAttribute("aria-busy");
  }
  return outcome;
}

const MOST_NAMED = 3;

/** Says which events were not changed, and why. */
function describeUnchanged({ left, reasons }) {
  const titles = left.slice(0, MOST_NAMED).map(({ title }) => `“${title}”`).join(", ");
  const rest = left.length > MOST_NAMED ? ` e mais ${left.length - MOST_NAMED}` : "";
  return `Não: ${titles}${rest}. ${[...reasons].join(" ")}`;
}

const countWords = (count, one, many) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

// ---- Moves ----

/** The change that moves a card to a place. */
function moveOf(root, card, place) {
  const to = landingPlace(card, place);
  const move = { id: idOf(card), title: titleOf(card), revision: Number(card.dataset.rev), from: placeOf(card), to };
  if (!card.draggable) move.not = "Esta peça não pode ser movida por você ou neste estado.";
  else if (!canLand(root, card, place)) move.not = "Não dá para mover para o passado.";
  return asUpdate(move);
}

function asUpdate(move) {
  return { ...move, operation: "update_event", fields: { eventId: move.id, ...placeFields(move.to) } };
}

/** The moves of a card or, if it is picked, of all picked cards. Picked cards keep their distances. */
function moves(root, card, place) {
  const cards = card.classList.contains("picked") ? picked(root) : [card];
  const from = placeOf(card);
  if (!from.day || !place.day) return cards.map((one) => moveOf(root, one, place));
  const by = instant(landingPlace(card, place)) - instant(from);
  return cards.map((one) => moveOf(root, one, shiftedPlace(one, by) ?? place));
}

function shiftedPlace(card, by) {
  const from = placeOf(card);
  return from.day ? placeAt(instant(from) + by) : undefined;
}

/** Moves events, shows which of them could not be moved, and offers to undo the moves. */
async function move(root, changes, card) {
  if (busy) return;
  const id = idOf(card);
  const own = changes.find((change) => change.id === id);
  const outcome = await make(root, changes, own.not ? currentPage() : returnPage(root, id, own.to.day));
  const { done, left } = outcome;
  for (const { id } of left) if (changes.length > 1) findCard(id)?.classList.add("picked");
  drawBar(root);
  linkOf(findCard(id))?.focus();
  takeBack = done.length ? undo(root, done, id) : undefined;
  let words = done.length ? `${countWords(done.length, "peça movida", "peças movidas")}.` : "Nada foi movido.";
  if (changes.length === 1) words = done.length ? `Movido para ${placeName(done[0].to)}.` : [...outcome.reasons].join(" ");
  else if (left.length) words += ` ${describeUnchanged(outcome)}`;
  toast(words, takeBack);
}

/** Returns a function that undoes these moves together, each at the revision that the move created. */
function undo(root, done, id) {
  const act = async () => {
    if (takeBack !== act || busy) return;
    takeBack = undefined;
    const changes = done.map((move) => asUpdate({ ...move, revision: move.revision + 1, from: move.to, to: move.from }));
    const focused = changes.find((change) => change.id === id) ?? changes[0];
    const outcome = await make(root, changes, returnPage(root, focused.id, focused.to.day));
    const count = outcome.done.length;
    linkOf(findCard(focused.id))?.focus();
    let words = count ? `${countWords(count, "peça voltou", "peças voltaram")}.` : "Nada voltou.";
    if (changes.length === 1 && count) words = `Voltou para ${placeName(focused.to)}.`;
    else if (outcome.left.length) words += ` ${describeUnchanged(outcome)}`;
    toast(words);
  };
  return act;
}

// ---- Changes of several events at once ----

const dayStep = (days) => (root, card) => moveOf(root, card, shiftedPlace(card, days * DAY) ?? placeOf(card));
const changeBuilder = (operation, fields) => (root, card) => ({
  id: idOf(card), title: titleOf(card), revision: Number(card.dataset.rev), operation, fields: fields(idOf(card)),
});

/** The actions on several events: label, operation, and the function that makes the change of a card. */
const DEEDS = [
  ["− 1 semana", "update_event", dayStep(-7)],
  ["− 1 dia", "update_event", dayStep(-1)],
  ["+ 1 dia", "update_event", dayStep(1)],
  ["+ 1 semana", "update_event", dayStep(7)],
  ["Enviar para aprovação", "submit_for_approval", changeBuilder("submit_for_approval", (id) => ({ event_id: id }))],
  ["Arquivar", "update_event", changeBuilder("update_event", (id) => ({ eventId: id, status: "arquivado" }))],
];

const picked = (root) => [...root.querySelectorAll(".ev.picked")];

/** Picks a card, or unpicks it. */
function pick(root, card) {
  card.classList.toggle("picked");
  drawBar(root);
}

/** Draws the bar with the actions on the picked cards. */
function drawBar(root) {
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
    for (const [words, , changeOf] of [...offered, ["Limpar"]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.textContent = words;
      button.addEventListener("click", () => (changeOf ? changePicked(root, changeOf) : unpick(root)));
      element.append(button);
    }
    root.append(element);
  }
  element.firstChild.textContent = count === 1 ? "1 escolhido" : `${count} escolhidos`;
}

function unpick(root) {
  for (const card of picked(root)) card.classList.remove("picked");
  drawBar(root);
}

/** Changes the picked events. Events that were not changed stay picked. */
async function changePicked(root, changeOf) {
  if (busy) return;
  const cards = picked(root);
  const changes = cards.map((card) => changeOf(root, card));
  if (changes[0].to) return move(root, changes.map(refuseUndated), cards[0]);
  const outcome = await make(root, changes, currentPage());
  for (const { id } of outcome.left) findCard(id)?.classList.add("picked");
  drawBar(root);
  linkOf(findCard(idOf(cards[0])))?.focus();
  const words = `${countWords(outcome.done.length, "peça mudada", "peças mudadas")}.`;
  toast(outcome.left.length ? `${words} ${describeUnchanged(outcome)}` : words);
}

const refuseUndated = (change) => (change.from.day ? change : { ...change, not: "Sem data." });

// ---- Keys ----

const STEPS = { ArrowLeft: -DAY, ArrowRight: DAY, ArrowUp: -7 * DAY, ArrowDown: 7 * DAY };
const SMALL_STEPS = { ArrowUp: -30 * MINUTE, ArrowDown: 30 * MINUTE };

function pressed(root, event) {
  const card = cardOf(event.target);
  if (!card || event.target !== linkOf(card)) return;
  if (event.key === " ") {
    event.preventDefault();
    openQuickView(root, card);
    return;
  }
  if (event.key === "x" && !event.ctrlKey && !event.metaKey && !event.altKey) return pick(root, card);
  if (event.key === "Escape") return unpick(root);
  const step = (event.shiftKey ? SMALL_STEPS : STEPS)[event.key];
  if (!step || !event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  // The first step of a card in the tray moves it to tomorrow.
  const tomorrow = () => ({ day: placeAt(Date.parse(`${root.dataset.now}Z`) + DAY).day });
  moveCard(root, card, shiftedPlace(card, step) ?? tomorrow());
}

/** Moves a card and the cards picked with it. If the only move is impossible, just shows the reason. */
function moveCard(root, card, place) {
  const changes = moves(root, card, place);
  if (changes.length === 1 && changes[0].not) toast(changes[0].not);
  else move(root, changes, card);
}

async function openQuickView(root, card) {
  const dialog = root.querySelector("#olhar");
  // The link of the card contains the view to return to, with its filters.
  const address = new URL(card.querySelector("a.more").href);
  address.searchParams.set("parte", "sim");
  const answer = await fetch(address);
  if (!answer.ok) return toast("Não deu para abrir agora.");
  dialog.replaceChildren(...parseHtml(await answer.text()).body.childNodes);
  window.htmx?.process(dialog);
  dialog.addEventListener("close", () => linkOf(findCard(idOf(card)))?.focus(), { once: true });
  dialog.showModal();
  dialog.querySelector("a.button")?.focus();
}

// ---- The line at the current time ----

/** Advances the current time by a minute, and moves the line. Places before that time are past. */
function tick(root) {
  const { day, hour } = placeAt(Date.parse(`${root.dataset.now}Z`) + MINUTE);
  root.dataset.now = `${day}T${hour}`;
  const line = root.querySelector("svg.now");
  const slot = line && root.querySelector(`[data-day="${day}"] [data-hour="${halfOf(hour)}"]`);
  if (!slot) return;
  slot.append(line);
  const at = `${((Number(hour.slice(3)) % 30) * 100) / 30}%`;
  for (const [shape, names] of [["line", ["y1", "y2"]], ["circle", ["cy"]]]) {
    for (const name of names) line.querySelector(shape).setAttribute(name, at);
  }
}

/** Starts on the element that names this module. */
export function attach(root) {
  mouse(root);
  touch(root);
  root.addEventListener("click", (event) => {
    const card = event.shiftKey && event.target.closest?.("a.what") && cardOf(event.target);
    if (!card) return;
    event.preventDefault();
    event.stopPropagation();
    pick(root, card);
  }, true);
  root.addEventListener("keydown", (event) => pressed(root, event));
  const minutes = setInterval(() => (root.isConnected ? tick(root) : clearInterval(minutes)), MINUTE);
}

document.addEventListener("keydown", (event) => {
  const isUndo = event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
  if (!isUndo || !takeBack || event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  takeBack();
});
