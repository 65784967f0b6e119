
// ---- Sortable lists ----
// `data-sort` contains the type of the change, `data-into` the id of the list, and `data-id` the id of each item. A move
// is sent by the form that has a field `mover`.

let dragged;
let moving;

const isIn = (list, element) => element.parentElement === list;
const things = (list) => all("[data-id]", list).filter((thing) => isIn(list, thing));
const listOf = (thing) => thing.parentElement?.closest("[data-sort]");

/** Sends a move. The moved item keeps the focus. */
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

/** Finds the list under the pointer that accepts the dragged item, and the position in it: next item and number. */
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
  // An item that is dragged by its handle is shown as a whole.
  if (event.target !== thing) event.dataTransfer.setDragImage(thing, 16, 16);
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
