// Divides lists and texts into pages: inside the conversation a view has a maximum height. In full screen it scrolls.

const MOST_HEIGHT = 500;
const main = document.getElementById("conteudo");
const pager = document.getElementById("paginas");
const widen = document.getElementById("ampliar");
/** The selectors of the items of a list, and of their groups. */
let paged = {};
/** The index of the first item of each page until the current one. */
let starts = [0];

function heightLimit() {
  if (context.displayMode === "fullscreen") return Infinity;
  const { height, maxHeight } = isObject(context.containerDimensions) ? context.containerDimensions : {};
  const given = [height, maxHeight].filter((limit) => Number.isFinite(limit) && limit > 0);
  return Math.min(MOST_HEIGHT, ...given);
}

const shownHeight = () => document.documentElement.getBoundingClientRect().height;

/** Shows as many items as fit, from the start of the current page. */
function layOut() {
  const modes = Array.isArray(context.availableDisplayModes) ? context.availableDisplayModes : [];
  widen.hidden = context.displayMode === "fullscreen" || !modes.includes("fullscreen");
  document.documentElement.classList.toggle("inline", heightLimit() !== Infinity);
  layOutColumns();
  const items = paged.items ? [...main.querySelectorAll(paged.items)].filter(({ dataset }) => !dataset.out) : [];
  const show = (item, isShown) => (item.hidden = !isShown);
  const groups = paged.groups ? [...main.querySelectorAll(paged.groups)] : [];
  for (const item of [...items, ...groups]) show(item, true);
  pager.hidden = true;
  const limit = heightLimit();
  if (!items.length || shownHeight() <= limit) {
    starts = [0];
    return;
  }
  pager.hidden = false;
  if (starts.at(-1) >= items.length) starts = [0];
  const first = starts.at(-1);
  for (const item of [...items, ...groups]) show(item, false);
  let end = first;
  while (end < items.length) {
    const group = paged.groups && items[end].closest(paged.groups);
    const opens = group?.hidden;
    show(items[end], true);
    if (opens) show(group, true);
    if (shownHeight() > limit && end > first) {
      show(items[end], false);
      if (opens) show(group, false);
      break;
    }
    end += 1;
  }
  pager.querySelector("span").textContent = `${first + 1} a ${end} de ${items.length}`;
  pager.querySelector("[data-page='-1']").disabled = starts.length === 1;
  pager.querySelector("[data-page='1']").disabled = end === items.length;
  pager.dataset.end = end;
}

/** Opens the page that begins with the first item of this selector. */
function openAt(selector) {
  const index = [...main.querySelectorAll(paged.items)].findIndex((item) => item.matches(selector));
  starts = index > 0 ? [0, index] : [0];
  layOut();
}

pager.addEventListener("click", ({ target }) => {
  const step = target.closest("[data-page]")?.dataset.page;
  if (!step) return;
  if (step === "1") starts.push(Number(pager.dataset.end));
  else starts.pop();
  layOut();
});

/** Divides a text that is too long for its box into columns, and shows one column. */
function layOutColumns() {
  for (const text of main.querySelectorAll(".written")) {
    const buttons = text.nextElementSibling;
    const gap = Number.parseFloat(getComputedStyle(text).columnGap) || 0;
    const step = text.clientWidth + gap - 2 * (Number.parseFloat(getComputedStyle(text).paddingLeft) || 0);
    const count = Math.max(1, Math.round((text.scrollWidth - text.clientWidth) / step) + 1);
    const column = Math.min(Number(text.dataset.column ?? 0), count - 1);
    text.dataset.column = column;
    text.scrollLeft = column * step;
    buttons.hidden = count === 1;
    buttons.querySelector("span").textContent = `${column + 1} de ${count}`;
    for (const button of buttons.querySelectorAll("button")) {
      button.disabled = column + Number(button.dataset.column) < 0 || column + Number(button.dataset.column) >= count;
    }
  }
}

main.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-column]");
  if (!button) return;
  const text = button.closest(".pages").previousElementSibling;
  text.dataset.column = Number(text.dataset.column) + Number(button.dataset.column);
  layOutColumns();
});

widen.addEventListener("click", async () => {
  try {
    const { mode } = await request("ui/request-display-mode", { mode: "fullscreen" });
    if (typeof mode === "string") applyContext({ displayMode: mode });
  } catch (error) {
    tell(error);
  }
});

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  starts = [0];
  layOut();
});
