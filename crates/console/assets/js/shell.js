// Notices and dialogs, for every page. Palette, keys, sortable lists, dates and changes by others are in other files
// (`palette.js`, `keys.js`, `sorting.js`, `dates.js`, `live.js`). All are served as one script.

// In Chromium 156, `moveBefore` crashes when it moves a datalist or the input of a datalist. htmx calls it for the
// elements that two pages have in common.
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

/** Creates an element with these properties and children. */
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

/** Shows another page without losing the typed text of the current page. */
export function visit(url) {
  const to = new URL(url, location.href);
  if (window.htmx) {
    window.htmx.ajax("GET", to.pathname + to.search, { target: document.body, swap: "innerMorph", push: "true" });
  } else {
    location.assign(to);
  }
}

/** Shows a short notice. `undo` adds a button. Returns the element. */
export function toast(text, undo) {
  const element = notice(text, undo && "Desfazer", undo);
  setTimeout(() => element.remove(), undo ? 10_000 : 5_000);
  return element;
}

// ---- Dialogs of this module ----

/** Opens a dialog. Closing removes it from the page. */
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
