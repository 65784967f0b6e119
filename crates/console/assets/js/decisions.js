// Decisions about pieces. A decision is sent after five seconds, in which it can be undone, while the next piece is
// shown. One notice counts the decisions. A decided piece is marked even before the service has received the decision.

// File names contain a hash of their content, so the file of the shell is looked up in the page.
const { toast, visit } = await import(document.querySelector("script[type=module]").src);

const HOLD = 5_000;
/** Decisions that are not sent yet, and sent decisions whose pieces the page still lists. The newest is last. */
let held = [];
let sent = [];
/** The notice, and how many decisions of each kind it counts. */
let notice;
let counts = {};
let newest;
let isListening = false;

/** Starts in the inbox. */
export function attach() {
  if (!isListening) {
    isListening = true;
    document.addEventListener("submit", submitted, true);
    document.addEventListener("click", clicked, true);
    // Without this, a key that is held down on a button would press the button repeatedly.
    document.addEventListener("keydown", (event) => {
      const isPress = event.key === "Enter" || event.key === " ";
      if (event.repeat && isPress && event.target.closest?.(".decision, .toast")) event.preventDefault();
    }, true);
    document.addEventListener("htmx:after:swap", refresh);
    addEventListener("pagehide", () => [...held].forEach((decision) => send(decision, true)));
  }
  refresh();
}

const inbox = () => document.getElementById("aprovacoes");
const shownPiece = () => inbox()?.querySelector("[data-event][data-revision]")?.dataset;
const waitingRows = () => [...document.querySelectorAll("#aprovacoes [data-waiting]")];
const find = (id, revision) => [...held, ...sent].find((one) => one.id === id && one.revision === revision);

// ---- What the page shows ----

/** Marks the decided pieces in the list, and disables the forms of the shown piece if it is decided. */
function refresh() {
  if (!inbox()) return;
  const listed = new Set(waitingRows().map(({ dataset }) => `${dataset.waiting} ${dataset.revision}`));
  sent = sent.filter(({ id, revision }) => listed.has(`${id} ${revision}`));
  for (const row of waitingRows()) {
    const decision = find(row.dataset.waiting, row.dataset.revision);
    if (decision) row.dataset.decided = decision.label;
    else delete row.dataset.decided;
  }
  const piece = shownPiece();
  const decision = piece && find(piece.event, piece.revision);
  const panel = inbox().querySelector(".decision");
  if (!panel) return;
  panel.classList.toggle("held", Boolean(decision));
  for (const form of panel.querySelectorAll("form, details")) form.inert = Boolean(decision);
  const told = panel.querySelector("[data-held]");
  told.hidden = !decision;
  if (decision) told.querySelector("[data-label]").textContent = decision.label;
  told.querySelector("button").hidden = !held.includes(decision);
}

/** The address of the next undecided piece of the list. */
function next() {
  const all = waitingRows();
  const at = all.findIndex(({ dataset }) => dataset.waiting === shownPiece()?.event);
  const after = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
  return after.find((row) => !row.dataset.decided)?.href;
}

const piecePath = (decision, more = "") => `${decision.home}?evento=${encodeURIComponent(decision.id)}${more}`;

// ---- Deciding ----

function submitted(event) {
  const form = event.target;
  if (!form.dataset.hold) return;
  event.preventDefault();
  event.stopPropagation();
  const fields = new FormData(form);
  const { event: id, revision } = shownPiece();
  if (find(id, revision)) return;
  if (fields.get("action") === "recusar" && ![...fields.getAll("rapido"), fields.get("motivo")].some((text) => text.trim())) {
    form.querySelector(".outcome").textContent = "Diga o motivo, para quem vai refazer.";
    form.querySelector("textarea").focus();
    return;
  }
  const decision = {
    id,
    revision,
    label: form.dataset.hold,
    action: form.getAttribute("action"),
    body: new URLSearchParams(fields),
    title: form.dataset.title,
    home: inbox().dataset.home,
  };
  decision.timer = setTimeout(() => send(decision), HOLD);
  held.push(decision);
  counts[decision.label] = (counts[decision.label] ?? 0) + 1;
  newest = decision;
  showNotice();
  refresh();
  const to = next();
  if (to) visit(to);
}

function clicked(event) {
  const element = event.target.closest?.("a[data-next], [data-undo], [data-undo-all]");
  if (!element) return;
  if ("undoAll" in element.dataset) return undoAll();
  if ("undo" in element.dataset) {
    const piece = element.closest(".decision") && shownPiece();
    undo(piece ? find(piece.event, piece.revision) : held.at(-1));
    return;
  }
  const to = next();
  if (!to || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  visit(to);
}

// ---- The notice ----

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const WORDS = { Aprovada: ["aprovada", "aprovadas"], Recusada: ["recusada", "recusadas"], "Ajustes pedidos": ["volta com ajustes", "voltam com ajustes"] };

/** The text of the notice: the title of a single decided piece, otherwise the number of decisions of each kind. */
function summary() {
  const all = Object.entries(counts).filter(([, count]) => count);
  if (all.length === 1 && all[0][1] === 1 && all[0][0] === newest.label) return `${newest.label}: ${newest.title}`;
  return all.map(([label, count]) => `${count} ${WORDS[label][Number(count > 1)]}`).join(", ");
}

/** Shows the notice. It is removed five seconds after the last waiting decision was sent or undone. */
function showNotice() {
  const text = summary();
  clearTimeout(notice?.timer);
  if (!text) {
    notice?.remove();
    notice = undefined;
    return;
  }
  if (!notice?.isConnected) {
    notice = make("div", { className: "toast" }, make("span"),
      make("button", { type: "button", textContent: "Desfazer " }, make("kbd", { textContent: "U" })));
    Object.assign(notice.lastChild.dataset, { undo: "", key: "u" });
    notice.append(make("button", { type: "button" }));
    notice.lastChild.dataset.undoAll = "";
    document.getElementById("avisos").append(notice);
  }
  const [said, button, all] = notice.children;
  if (said.textContent !== text) said.textContent = text;
  button.hidden = !held.length;
  // Sent decisions cannot be undone here, so the buttons name only the waiting decisions.
  const isOne = Object.values(counts).reduce((sum, count) => sum + count, 0) === 1;
  button.firstChild.data = isOne ? "Desfazer " : "Desfazer a última ";
  all.hidden = held.length < 2;
  all.textContent = `Desfazer as ${held.length} mais novas`;
  if (!held.length) {
    notice.timer = setTimeout(() => {
      notice?.remove();
      notice = undefined;
      counts = {};
    }, HOLD);
  }
}

// ---- Undoing and sending ----

/** Removes a decision from the decisions that wait. Returns false if it has already been sent or undone. */
function release(decision) {
  if (!held.includes(decision)) return false;
  clearTimeout(decision.timer);
  held = held.filter((one) => one !== decision);
  return true;
}

/** Removes a decision from the count of the notice. */
function removeFromCount(decision) {
  if (counts[decision.label]) counts[decision.label] -= 1;
  newest = held.at(-1) ?? newest;
  showNotice();
}

function undo(decision) {
  if (!decision || !release(decision)) return;
  removeFromCount(decision);
  toast(`Desfeita: ${decision.title}`);
  visit(piecePath(decision));
}

/** Undoes all decisions that still wait, and shows the piece of the first one. */
function undoAll() {
  const all = [...held];
  for (const decision of all) {
    release(decision);
    removeFromCount(decision);
  }
  toast(`Desfeitas: ${all.length} decisões`);
  visit(piecePath(all[0]));
}

/** Sends a decision. With `isLeaving` the page is closing, so no answer is awaited. */
async function send(decision, isLeaving = false) {
  if (!release(decision)) return;
  const { action, body } = decision;
  if (isLeaving) return void navigator.sendBeacon(action, body);
  body.set("adiada", "sim");
  sent.push(decision);
  showNotice();
  refresh();
  let answer;
  try {
    answer = await fetch(action, { method: "POST", body, headers: { "HX-Request": "true" }, redirect: "manual" });
  } catch {
    return showFailure(decision, "Sem conexão: a decisão não foi gravada.", "Decidir de novo", piecePath(decision));
  }
  if (answer.ok) {
    const warning = await answer.text();
    if (warning) showSticky(`${decision.title}: ${warning}`, "Ver a peça", `${decision.home.replace(/aprovacoes$/, "eventos")}/${decision.id}`);
    // The decided piece is still shown if no other piece was waiting.
    if (shownPiece()?.event === decision.id) visit(next() ?? decision.home);
  } else if (answer.status === 401) {
    showFailure(decision, "Sua sessão terminou: a decisão não foi gravada.", "Entrar e decidir", piecePath(decision));
  } else if (answer.status === 409) {
    showFailure(decision, "A peça mudou antes da decisão.", "Ver as duas versões", piecePath(decision, `&vista=${decision.revision}`));
  } else {
    showFailure(decision, "A decisão não foi gravada.", "Ver a peça", piecePath(decision));
  }
}

/** Says that a decision was not saved. The notice stays until the person follows its link. */
function showFailure(decision, text, label, to) {
  sent = sent.filter((one) => one !== decision);
  removeFromCount(decision);
  refresh();
  showSticky(`${text} ${decision.title}`, label, to);
}

/** Shows a notice that stays until the person follows its link. */
function showSticky(text, label, to) {
  const link = make("a", { href: to, textContent: label });
  const sticky = make("div", { className: "toast" }, make("span", { textContent: text }), link);
  link.addEventListener("click", () => sticky.remove());
  document.getElementById("avisos").append(sticky);
}
