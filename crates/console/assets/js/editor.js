// The editors of a piece. This module stores typed captions in the browser, previews images, and remembers the
// revisions that the viewer has seen. `uploads.js` is the second part of this module.

// File names contain a hash of their content, so the file of the shell is looked up in the page.
const { toast, visit } = await import(document.querySelector("script[type=module]").src);

const PAUSE = 350;
const MOST_SEEN = 40;
let begun = false;

/** Starts the module. */
export function attach() {
  if (!begun) {
    begun = true;
    listen();
  }
  refresh();
}

function listen() {
  const on = (name, act) => document.addEventListener(name, act, true);
  document.addEventListener("htmx:after:swap", refresh);
  on("input", handleInput);
  on("change", handleInput);
  on("click", handleClick);
  on("pointerdown", press);
  on("pointermove", dragOver);
  on("submit", submitted);
  on("toggle", handleToggle);
  listenForFiles(on);
  // A change by another person must not replace a form that contains unsaved text.
  on("htmx:before:morph:node", (event) => {
    const form = event.target.closest?.("form[data-dirty]");
    if (form && !form.sending) event.preventDefault();
  });
  on("htmx:finally:request", () => {
    for (const form of document.querySelectorAll("form[data-dirty]")) form.sending = false;
  });
  on("htmx:error", () => toast("Sem conexão com a Pauta. O que você digitou continua aqui."));
  addEventListener("beforeunload", (event) => {
    if (document.querySelector("form[data-uploading]")) event.preventDefault();
  });
}

/** Prepares a page that was just shown. */
function refresh() {
  const form = document.querySelector("form[data-draft]");
  if (form) offerDraft(form);
  for (const making of document.querySelectorAll("[data-making]")) preview(making);
  for (const form of document.querySelectorAll("form[data-upload]")) offerSeveral(form);
  for (const overlay of document.querySelectorAll("[data-overlay]")) overlay.hidden = false;
  const seen = document.querySelector("[data-event][data-revision]");
  if (seen) setTimeout(() => seen.isConnected && remember(seen.dataset), 1_500);
}

// Typed captions

const storageKey = (id) => `pauta:legenda:${id}`;

function readDraft(id) {
  try {
    return JSON.parse(localStorage.getItem(storageKey(id)));
  } catch {
    return null;
  }
}

function storeDraft(id, draft) {
  try {
    if (draft) localStorage.setItem(storageKey(id), JSON.stringify(draft));
    else localStorage.removeItem(storageKey(id));
  } catch {
    // The browser's storage is full or forbidden. The text is still on the page.
  }
}

/** Offers to restore a text that was typed in this browser and not saved. */
function offerDraft(form) {
  const id = form.dataset.draft;
  const text = form.querySelector("[data-caption]");
  const draft = readDraft(id);
  if (draft?.text === text.value) storeDraft(id, null);
  form.querySelector("[data-kept]").hidden = !draft || draft.text === text.value;
}

function handleInput({ target }) {
  const overlay = target.closest("[data-overlay]");
  if (overlay) overlay.style.setProperty("--shown", `${target.value}%`);
  const form = target.closest("form");
  if (!form) return;
  if (target.matches("[data-caption]")) {
    count(form, target);
    if (form.dataset.draft) {
      form.dataset.dirty = "";
      storeDraft(form.dataset.draft, { text: target.value, revision: form.dataset.revision });
      showInPreviews(target.value);
    }
  }
  if ("guard" in form.dataset) form.dataset.dirty = "";
  if (target.name === "onde") showImage(form, target.selectedOptions[0].dataset.image);
  if (target.closest("[data-point]")) markPlace(form);
  const making = target.closest("[data-making]");
  if (target.matches("[data-text]")) previewAround(making);
  else if (target.matches("[data-look]") && making) preview(making);
  else if (target.matches("[data-look]")) form.querySelectorAll("[data-making]").forEach(preview);
}

const BRAZIL = new Intl.NumberFormat("pt-BR", { useGrouping: "always" });

function count(form, text) {
  const count = form.querySelector("[data-count]");
  const length = [...text.value].length;
  const over = Boolean(text.dataset.limit) && length > Number(text.dataset.limit);
  count.querySelector("[data-number]").textContent = BRAZIL.format(length);
  count.classList.toggle("over", over);
  const mark = count.querySelector("[data-over]");
  if (mark) mark.hidden = !over;
}

/** Shows the caption in each preview of the post. */
function showInPreviews(value) {
  const letters = [...value];
  for (const shown of document.querySelectorAll("[data-post]")) {
    const fold = Number(shown.dataset.fold) || letters.length;
    const [text, more] = shown.children;
    text.textContent = letters.slice(0, fold).join("");
    more.hidden = letters.length <= fold;
  }
}

// The point or the area of an image that a remark is about

/** How far a mouse must move to drag over an area instead of pressing a point, in pixels. */
const SMALLEST_DRAG = 6;

// The image that a mouse is pressed on: its element, the position, and whether an area was dragged.
let pressed;

const placeFields = (form) => ["x", "y", "largura", "altura"].map((name) => form.elements[name]);

/** Shows the image that a remark is about, so that a point of it can be pressed. */
function showImage(form, image) {
  const spot = form.querySelector("[data-spot]");
  if (!spot) return;
  spot.hidden = !image;
  form.querySelector("[data-hint]").hidden = !image;
  if (image) spot.querySelector("img").src = image;
  setPlace(form, []);
}

/** Sets the fields to a point or an area, in percent. */
function setPlace(form, percents) {
  placeFields(form).forEach((field, at) => (field.value = percents[at]?.toFixed(1) ?? ""));
  markPlace(form);
}

/** The position of a pointer on the image of a spot, in percent. */
function percentsAt(spot, { clientX, clientY }) {
  const box = spot.querySelector("img").getBoundingClientRect();
  const parts = [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
  return parts.map((part) => Math.round(Math.min(Math.max(part, 0), 1) * 1000) / 10);
}

function press(event) {
  const spot = event.target.closest?.("[data-spot]");
  pressed = undefined;
  // A finger or a pen scrolls, and its tap is a click.
  if (!spot || event.pointerType !== "mouse" || event.button !== 0) return;
  pressed = { spot, x: event.clientX, y: event.clientY, from: percentsAt(spot, event) };
  spot.setPointerCapture(event.pointerId);
}

function dragOver(event) {
  if (!pressed || !event.buttons) return;
  const { spot, x, y, from } = pressed;
  if (!pressed.isArea && Math.hypot(event.clientX - x, event.clientY - y) < SMALLEST_DRAG) return;
  pressed.isArea = true;
  const to = percentsAt(spot, event);
  const start = from.map((percent, at) => Math.min(percent, to[at]));
  const sides = from.map((percent, at) => Math.abs(percent - to[at]));
  // A line is no area.
  setPlace(spot.closest("form"), sides.every((side) => side > 0) ? [...start, ...sides] : start);
}

/** Sets the point that a click presses, unless the click ends a drag. */
function clickSpot(spot, event) {
  if (!pressed?.isArea) setPlace(spot.closest("form"), percentsAt(spot, event));
  pressed = undefined;
}

function markPlace(form) {
  const [x, y, width, height] = placeFields(form).map((field) => field.value);
  const isPlace = x !== "" && y !== "";
  const isArea = isPlace && width !== "" && height !== "";
  const [point, area] = ["circle", "rect"].map((name) => form.querySelector(`[data-spot] ${name}`));
  point.toggleAttribute("hidden", !isPlace || isArea);
  area.toggleAttribute("hidden", !isArea);
  const set = (shape, values) => {
    for (const [name, value] of Object.entries(values)) shape.setAttribute(name, `${Number(value)}%`);
  };
  set(point, { cx: x, cy: y });
  set(area, { x, y, width, height });
}

// Previews of images

const typedText = (making) => making.querySelector("[data-text]").value.trim();
const cardsOf = (form) => [...form.querySelectorAll("[data-making]")].filter(typedText);

/** Draws the preview of a text again. If the number of cards changed, draws all, because their page marks changed. */
function previewAround(making) {
  const form = making.closest("form");
  const count = cardsOf(form).length;
  const others = form.drawnCards !== undefined && form.drawnCards !== count;
  form.drawnCards = count;
  if (others) form.querySelectorAll("[data-making]").forEach(preview);
  else preview(making);
}

const isUnchanged = (field) =>
  field.tagName === "SELECT" ? (field.selectedOptions[0]?.defaultSelected ?? true) : field.value === field.defaultValue;

/** Returns true if a card is unchanged, so that its stored picture is shown. */
function isStored(making) {
  if (!("stored" in making.dataset)) return false;
  const common = [...making.closest("form").querySelectorAll("[data-look]")].filter((field) => !field.closest("[data-making]"));
  return [...making.querySelectorAll("[data-text], [data-look]"), ...common].every(isUnchanged);
}

/** Shows the effect of saving on a card. Returns true if the card is unchanged. */
function showCardState(making) {
  const stored = isStored(making);
  const state = making.closest("li")?.querySelector("[data-state]");
  if (!state || !("stored" in making.dataset)) return stored;
  state.dataset.said ??= state.textContent;
  state.textContent = stored ? state.dataset.said : "Será desenhado de novo";
  state.classList.toggle("info", !stored || state.dataset.said !== "Fica como está");
  return stored;
}

/** Draws the preview of a text after a pause in typing. Aborts the previous request. */
function preview(making) {
  const face = making.querySelector("[data-face]");
  clearTimeout(making.timer);
  making.asking?.abort();
  if (showCardState(making)) {
    clearPreview(face);
    return;
  }
  if (!typedText(making)) {
    face.hidden = true;
    return;
  }
  if (!making.offsetParent) return;
  face.querySelector("[data-drawn]").classList.add("old");
  making.timer = setTimeout(() => draw(making), PAUSE);
}

/** The query of the preview of a text. */
function previewQuery(making) {
  const form = making.closest("form");
  const text = making.querySelector("[data-text]");
  const wanted = new URLSearchParams({ text: text.value });
  for (const name of ["page", "pages", "style", "card"]) if (making.dataset[name]) wanted.set(name, making.dataset[name]);
  for (const field of form.querySelectorAll("[data-look]")) {
    const around = field.closest("[data-making]");
    if (field.value.trim() && (!around || around === making)) wanted.set(field.dataset.look, field.value);
  }
  if (text.name === "card") {
    const cards = cardsOf(form);
    wanted.set("page", cards.indexOf(making) + 1);
    wanted.set("pages", cards.length);
  }
  return wanted;
}

async function draw(making) {
  const asking = new AbortController();
  making.asking = asking;
  const asked = previewQuery(making);
  let answer;
  let body;
  try {
    const options = { signal: asking.signal, headers: { "HX-Request": "true" } };
    answer = await fetch(`${making.dataset.preview}?${asked}`, options);
    body = await (answer.ok ? answer.blob() : answer.text());
  } catch {
    if (!asking.signal.aborted) showPreviewError(making, "Sem conexão: a prévia volta quando a Pauta responder.");
    return;
  }
  if (asking.signal.aborted || !making.isConnected) return;
  if (!answer.ok) return showPreviewError(making, refusalMessage(body));
  const face = making.querySelector("[data-face]");
  const image = face.querySelector("[data-drawn]");
  const [width, height] = (asked.get("size") ?? "1080x1350").split("x");
  Object.assign(image, { width, height, hidden: false, src: URL.createObjectURL(body) });
  image.onload = () => URL.revokeObjectURL(image.src);
  image.classList.remove("old");
  face.querySelector("[data-note]").textContent = JSON.parse(answer.headers.get("pauta-avisos") ?? "[]").join(" ");
  face.querySelector("[data-refused]").textContent = "";
  face.hidden = false;
  // The text stays the same, so a screen reader announces it once and not after each letter.
  making.closest("form").querySelector("[data-told]").textContent = "A prévia acompanha o texto.";
}

/** Removes a preview. */
function clearPreview(face) {
  const image = face.querySelector("[data-drawn]");
  image.hidden = true;
  image.removeAttribute("src");
  for (const said of face.querySelectorAll("[data-note], [data-refused]")) said.textContent = "";
}

/** Removes the last image, and says why there is no preview. */
function showPreviewError(making, text) {
  const face = making.querySelector("[data-face]");
  clearPreview(face);
  face.querySelector("[data-refused]").textContent = text;
  face.hidden = false;
}

/** The message on the page of a refusal. */
function refusalMessage(page) {
  const notice = new DOMParser().parseFromString(page, "text/html").querySelector(".notice p");
  return notice?.textContent.trim() ?? "A prévia não pôde ser desenhada.";
}

function handleClick(event) {
  const { target } = event;
  const spot = target.closest?.("[data-spot]");
  if (spot) return clickSpot(spot, event);
  const element = target.closest?.("[data-restore], [data-forget], [data-discard]");
  if (!element) return;
  if (element.dataset.discard) return storeDraft(element.dataset.discard, null);
  const form = element.closest("form");
  const text = form.querySelector("[data-caption]");
  if ("restore" in element.dataset) {
    text.value = readDraft(form.dataset.draft)?.text ?? text.value;
    text.dispatchEvent(new Event("input", { bubbles: true }));
  } else {
    storeDraft(form.dataset.draft, null);
  }
  form.querySelector("[data-kept]").hidden = true;
  text.focus();
}

function submitted(event) {
  const form = event.target;
  if ("upload" in form.dataset) {
    event.preventDefault();
    event.stopPropagation();
    return send(form);
  }
  form.sending = true;
}

/** Focuses the field of the reason in an opened refusal, and draws the previews that became visible. */
function handleToggle({ target }) {
  if (target.matches?.(".refuse[open]")) target.querySelector("textarea")?.focus();
  if (target.matches?.("details[open]")) target.querySelectorAll("[data-making]").forEach(preview);
}

// Seen revisions

/** Stores the revision that the viewer saw in a cookie, so that pages can show the changes since then. */
function remember({ event, revision }) {
  const name = "pauta_vistas";
  const now = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  const others = (now?.slice(name.length + 1) ?? "").split("|").filter((pair) => pair && !pair.startsWith(`${event}:`));
  const value = [...others.slice(1 - MOST_SEEN), `${event}:${revision}`].join("|");
  const path = document.documentElement.dataset.base || "/";
  document.cookie = `${name}=${value}; path=${path}; max-age=7776000; samesite=lax`;
}
