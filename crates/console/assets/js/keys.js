
// ---- Keys ----

const TEXT = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button], [type=submit])";
const isTyped = (element) => element?.matches?.(TEXT) ?? false;
let leading = 0;
/** The key that is still held down after its shortcut. */
let down;

// People who dictate, or who press keys by mistake, can turn off the shortcuts that are a single character.
const LETTERS = "pauta:teclas";
let letters = true;

function turnLetters(isOn) {
  letters = isOn;
  document.documentElement.dataset.letters = isOn ? "on" : "off";
}

try {
  turnLetters(localStorage.getItem(LETTERS) !== "off");
} catch {
  turnLetters(true);
}

/** The checkbox that turns the single-character shortcuts on or off. */
function lettersSwitch() {
  const box = make("input", { type: "checkbox", checked: letters });
  box.addEventListener("change", () => {
    turnLetters(box.checked);
    try {
      localStorage.setItem(LETTERS, box.checked ? "on" : "off");
    } catch {
      // The browser's storage is forbidden, so the choice lasts only as long as the page.
    }
  });
  const said = make("span", {}, "Atalhos de uma tecla só ", make("small", { textContent: "Desligue se você dita texto, ou se aperta teclas sem querer." }));
  return make("label", { className: "choice" }, box, said);
}

/** Moves the focus among the items of the page's lists. */
function step(by) {
  const items = all("[data-list] [data-item]").filter(shown);
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + by, 0), items.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/**
 * The element that a key presses. Elements of the focused item come first. Enter and space press one only if the item
 * itself has the focus and is not a control.
 */
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

/** The label of an element in the list of keys. */
function words(element) {
  const said = element.dataset.keyLabel ?? element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent;
  if (said) return said.trim();
  const text = element.cloneNode(true);
  for (const key of all("kbd", text)) key.remove();
  return text.textContent.trim();
}

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
  const box = dialog("keys-box", "Teclas", make("h2", { textContent: "Teclas" }), make("dl", {}, ...rows.flat()), lettersSwitch(), close);
  close.addEventListener("click", () => box.close());
}

document.addEventListener("keyup", (event) => {
  if (event.key === down) down = undefined;
});

document.addEventListener("keydown", (event) => {
  // A shortcut that is held down acts once. Its repeats are dropped, so that they write nothing into a field that the
  // shortcut opened.
  if (event.repeat && event.key === down) return event.preventDefault();
  down = undefined;
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
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyped(event.target) || event.repeat) return;
  if (!letters && event.key.length === 1 && event.key !== " ") return;
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

/** Presses an element after the modules around it are loaded, because a module may handle the click itself. */
function press(element, event) {
  event.preventDefault();
  down = event.key;
  if (isTyped(element)) return element.focus();
  const owners = [];
  for (let at = element.closest("[data-module]"); at; at = at.parentElement.closest("[data-module]")) owners.push(at);
  if (owners.every((owner) => owner.isReady)) click(element);
  else Promise.all(owners.map((owner) => owner.attached)).then(() => click(element));
}

/** Clicks an element. If that opens a text field, focuses it, so that the next letters are text and not shortcuts. */
function click(element) {
  element.click();
  const opened = element.matches("summary") && element.closest("details[open]");
  if (opened) opened.querySelector("textarea")?.focus();
}

document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-palette]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  palette();
});
