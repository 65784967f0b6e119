// The second part of `calendar.js`: dragging by mouse and by touch.

function begin(root, card) {
  dragged = card;
  for (const zone of root.querySelectorAll("[data-hour], .day-head, [data-day]:not(.by-hour)")) {
    if (zone.closest("[data-day]")) zone.classList.toggle("closed", !canLand(root, card, placeIn(zone, card)));
  }
  root.classList.add("dragging");
}

/** Marks the zone if the dragged card may be dropped on it. Returns whether it may. */
function over(root, element) {
  const zone = zoneOf(element);
  const isOpen = dragged && zone && root.contains(zone) && canLand(root, dragged, placeIn(zone, dragged));
  for (const old of root.querySelectorAll(".drop-here")) if (old !== zone || !isOpen) old.classList.remove("drop-here");
  if (isOpen) zone.classList.add("drop-here");
  return isOpen;
}

function drop(root, element) {
  if (over(root, element)) moveCard(root, dragged, placeIn(zoneOf(element), dragged));
}

function end(root) {
  dragged = undefined;
  root.classList.remove("dragging");
  for (const zone of root.querySelectorAll(".closed, .drop-here")) zone.classList.remove("closed", "drop-here");
}

function mouse(root) {
  root.addEventListener("dragstart", (event) => {
    const card = cardOf(event.target);
    if (!card?.draggable || held) return event.preventDefault();
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", linkOf(card).textContent);
    begin(root, card);
  });
  root.addEventListener("dragover", (event) => {
    // The browser allows a drop only where `preventDefault` is called.
    if (over(root, event.target)) event.preventDefault();
  });
  root.addEventListener("drop", (event) => {
    if (!dragged) return;
    event.preventDefault();
    drop(root, event.target);
  });
  root.addEventListener("dragend", () => end(root));
}

/** How long a finger must rest before it lifts a card (ms), how far it may move until then, and the edge that scrolls. */
const HOLD = 350;
const SLIP = 10;
const EDGE = 80;

// The touch on a card. It has a `ghost` after the card was lifted.
let held;

function lift(root) {
  const { card, x, y } = held;
  const box = card.getBoundingClientRect();
  const ghost = card.cloneNode(true);
  ghost.removeAttribute("id");
  ghost.classList.add("ghost");
  ghost.style.width = `${box.width}px`;
  Object.assign(held, { ghost, dx: box.left - x, dy: box.top - y });
  root.append(ghost);
  card.classList.add("lifted");
  begin(root, card);
  follow(root);
  scroll(root);
}

function follow(root) {
  const { ghost, x, y, dx, dy } = held;
  ghost.style.transform = `translate(${x + dx}px, ${y + dy}px)`;
  over(root, document.elementFromPoint(x, y));
}

/** Scrolls while the finger is near the top or the bottom, except over the links that switch the day. */
function scroll(root) {
  if (!held?.ghost) return;
  const { x, y } = held;
  const below = y - (innerHeight - EDGE);
  const by = y < EDGE ? y - EDGE : Math.max(below, 0);
  if (by && !document.elementFromPoint(x, y)?.closest(".day-switch")) {
    scrollBy({ top: by / 5, behavior: "instant" });
    follow(root);
  }
  requestAnimationFrame(() => scroll(root));
}

function release(root) {
  clearTimeout(held.timer);
  held.ghost?.remove();
  held.card.classList.remove("lifted");
  if (held.ghost) end(root);
  held = undefined;
}

function touch(root) {
  let wasDropped = false;
  root.addEventListener("pointerdown", (event) => {
    wasDropped = false;
    if (held) release(root);
    const card = event.pointerType === "touch" && event.isPrimary && cardOf(event.target);
    if (!card?.draggable || event.target.closest(".more")) return;
    held = { card, id: event.pointerId, x: event.clientX, y: event.clientY };
    held.timer = setTimeout(() => lift(root), HOLD);
  });
  root.addEventListener("pointermove", (event) => {
    if (held?.id !== event.pointerId) return;
    const { clientX: x, clientY: y } = event;
    if (held.ghost) {
      Object.assign(held, { x, y });
      follow(root);
    } else if (Math.hypot(x - held.x, y - held.y) > SLIP) release(root);
  });
  root.addEventListener("pointerup", (event) => {
    if (held?.id !== event.pointerId) return;
    const element = document.elementFromPoint(event.clientX, event.clientY);
    wasDropped = Boolean(held.ghost);
    if (wasDropped) drop(root, element);
    release(root);
  });
  root.addEventListener("pointercancel", (event) => held?.id === event.pointerId && release(root));
  // A touch that lifted a card must neither scroll nor click. Other touches may.
  root.addEventListener("touchmove", (event) => held?.ghost && event.cancelable && event.preventDefault(), { passive: false });
  root.addEventListener("touchend", (event) => wasDropped && event.cancelable && event.preventDefault(), { passive: false });
  root.addEventListener("contextmenu", (event) => held && event.preventDefault());
}
