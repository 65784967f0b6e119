// The caption editor, uploads and approvals: what is typed is kept, files show their progress, and a decision waits
// five seconds, in which it can be undone.

// The names of the files change with their content.
const { toast } = await import(document.querySelector("script[type=module]").src);

const HOLD = 5_000;
const MOST_SEEN = 40;
const waiting = [];
let begun = false;

/** Begins on the element that names this module. */
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
  on("input", typed);
  on("change", typed);
  on("click", clicked);
  on("submit", submitted);
  on("toggle", opened);
  // A change of somebody else does not replace a form in which something is typed.
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
  addEventListener("pagehide", () => [...waiting].forEach((decision) => send(decision, true)));
}

/** What a page that was just shown needs. */
function refresh() {
  const form = document.querySelector("form[data-draft]");
  if (form) offer(form);
  for (const making of document.querySelectorAll("[data-making]")) face(making);
  const seen = document.querySelector("[data-event][data-revision]");
  if (seen) setTimeout(() => seen.isConnected && remember(seen.dataset), 1_500);
}

// What is typed

const place = (id) => `pauta:legenda:${id}`;

function kept(id) {
  try {
    return JSON.parse(localStorage.getItem(place(id)));
  } catch {
    return null;
  }
}

function keep(id, draft) {
  try {
    if (draft) localStorage.setItem(place(id), JSON.stringify(draft));
    else localStorage.removeItem(place(id));
  } catch {
    // A full or forbidden storage: the text is still on the page.
  }
}

/** Offers a text back that was typed here and not saved. */
function offer(form) {
  const id = form.dataset.draft;
  const text = form.querySelector("[data-caption]");
  const draft = kept(id);
  if (draft?.text === text.value) keep(id, null);
  form.querySelector("[data-kept]").hidden = !draft || draft.text === text.value;
}

function typed({ target }) {
  const form = target.closest("form");
  if (!form) return;
  if (target.matches("[data-caption]")) {
    count(form, target);
    if (form.dataset.draft) {
      form.dataset.dirty = "";
      keep(form.dataset.draft, { text: target.value, revision: form.dataset.revision });
      post(target.value);
    }
  }
  if (target.matches("[data-text]")) face(target.closest("[data-making]"));
  if (target.matches("[data-style]")) form.querySelectorAll("[data-making]").forEach(face);
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

/** Shows the text in the post. */
function post(value) {
  const shown = document.querySelector("[data-post]");
  if (!shown) return;
  const letters = [...value];
  const fold = Number(shown.dataset.fold) || letters.length;
  const [text, more] = shown.children;
  text.textContent = letters.slice(0, fold).join("");
  more.hidden = letters.length <= fold;
}

/** Shows the text of an image on its card. */
function face(making) {
  const card = making.querySelector("[data-face]");
  const lines = making.querySelector("[data-text]").value.replaceAll("**", "").split("\n");
  const short = lines.length > 1 && lines[0].length <= 60;
  const [title, text] = card.children;
  title.textContent = short || /^#/.test(lines[0]) ? lines.shift().replace(/^#+\s*/, "") : "";
  text.textContent = lines.join("\n").replace(/^[-*]\s+/gm, "• ").trim();
  card.dataset.look = making.closest("form").querySelector("[data-style]")?.value ?? "";
  card.hidden = !(title.textContent || text.textContent);
}

function clicked({ target }) {
  const element = target.closest?.("[data-restore], [data-forget], [data-discard]");
  if (!element) return;
  if (element.dataset.discard) return keep(element.dataset.discard, null);
  const form = element.closest("form");
  const text = form.querySelector("[data-caption]");
  if ("restore" in element.dataset) {
    text.value = kept(form.dataset.draft)?.text ?? text.value;
    text.dispatchEvent(new Event("input", { bubbles: true }));
  } else {
    keep(form.dataset.draft, null);
  }
  form.querySelector("[data-kept]").hidden = true;
  text.focus();
}

function submitted(event) {
  const form = event.target;
  if (form.dataset.hold) return hold(event, form);
  if ("upload" in form.dataset) return upload(event, form);
  form.sending = true;
}

/** A reason is asked for: the field to write it in comes next. */
function opened({ target }) {
  if (target.matches?.(".refuse[open]")) target.querySelector("textarea")?.focus();
}

// Uploads

function upload(event, form) {
  event.preventDefault();
  event.stopPropagation();
  if ("uploading" in form.dataset) return;
  const bar = form.querySelector("progress");
  const told = form.querySelector("[data-progress]");
  const wrong = form.querySelector(".outcome");
  const request = new XMLHttpRequest();
  const ended = (text) => {
    delete form.dataset.uploading;
    bar.hidden = true;
    told.textContent = "";
    if (text) wrong.textContent = text;
  };
  request.open("POST", form.getAttribute("action"));
  request.setRequestHeader("HX-Request", "true");
  request.upload.onprogress = ({ loaded, total }) => {
    bar.value = total ? (100 * loaded) / total : 0;
    const done = Math.floor(bar.value);
    told.textContent = done < 100 ? `${done}% enviado` : "Enviado. Conferindo o arquivo…";
  };
  request.onload = () => {
    ended();
    if (request.status >= 400) {
      wrong.replaceChildren(...new DOMParser().parseFromString(request.response, "text/html").body.childNodes);
    } else {
      form.reset();
      visit(request.responseURL);
    }
  };
  request.onerror = () => ended("O envio parou: sem conexão. O arquivo continua escolhido; envie de novo.");
  form.dataset.uploading = "";
  wrong.textContent = "";
  bar.hidden = false;
  request.send(new FormData(form));
}

/** Shows another page without losing what is typed in this one. */
function visit(url) {
  const to = new URL(url, location.href);
  if (window.htmx) {
    window.htmx.ajax("GET", to.pathname + to.search, { target: document.body, swap: "innerMorph", push: "true" });
  } else {
    location.assign(to);
  }
}

// Decisions

/** Remembers which revision was looked at, for what changed since then. */
function remember({ event, revision }) {
  const name = "pauta_vistas";
  const now = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  const others = (now?.slice(name.length + 1) ?? "").split("|").filter((pair) => pair && !pair.startsWith(`${event}:`));
  const value = [...others.slice(1 - MOST_SEEN), `${event}:${revision}`].join("|");
  const path = document.documentElement.dataset.base || "/";
  document.cookie = `${name}=${value}; path=${path}; max-age=7776000; samesite=lax`;
}

/** Holds a decision back for five seconds, and goes on to the next piece. */
function hold(event, form) {
  event.preventDefault();
  event.stopPropagation();
  if ("held" in form.dataset) return;
  form.dataset.held = "";
  const fields = new FormData(form);
  const decision = {
    action: form.getAttribute("action"),
    body: new URLSearchParams(fields),
    title: form.dataset.title,
    home: document.getElementById("aprovacoes").dataset.home,
    id: form.closest(".inbox").querySelector("[data-event]").dataset.event,
    revision: fields.get("expected_revision"),
  };
  const refused = fields.get("action") === "recusar";
  if (refused && ![...fields.getAll("rapido"), fields.get("motivo")].some((text) => text.trim())) {
    delete form.dataset.held;
    form.querySelector(".outcome").textContent = "Diga o motivo, para quem vai refazer.";
    form.querySelector("textarea").focus();
    return;
  }
  decision.notice = toast(`${form.dataset.hold}: ${decision.title}`, () => undo(decision));
  decision.notice.querySelector("button").dataset.key = "u";
  decision.timer = setTimeout(() => send(decision), HOLD);
  waiting.push(decision);
  const next = document.querySelector("a[data-next]");
  decision.last = !next;
  if (next) next.click();
  else form.closest(".decision").classList.add("held");
}

function drop(decision) {
  clearTimeout(decision.timer);
  decision.notice?.remove();
  waiting.splice(waiting.indexOf(decision), 1);
}

const at = (decision, more = "") => `${decision.home}?evento=${encodeURIComponent(decision.id)}${more}`;

function undo(decision) {
  drop(decision);
  toast(`Desfeito: ${decision.title}`);
  visit(at(decision));
}

/** Sends a decision. `leaving`: the page goes away, and no answer is waited for. */
async function send(decision, leaving = false) {
  if (!waiting.includes(decision)) return;
  drop(decision);
  const { action, body } = decision;
  if (leaving) return navigator.sendBeacon(action, body);
  let answer;
  try {
    answer = await fetch(action, { method: "POST", body, headers: { "HX-Request": "true" }, redirect: "manual" });
  } catch {
    return wrong(decision, "Sem conexão: a decisão não foi gravada.", "Decidir de novo", at(decision));
  }
  if (answer.type === "opaqueredirect") {
    const shown = document.querySelector("#aprovacoes [data-event]")?.dataset.event;
    if (shown === decision.id || decision.last) visit(decision.home);
  } else if (answer.status === 401) {
    wrong(decision, "Sua sessão terminou: a decisão não foi gravada.", "Entrar e decidir", at(decision));
  } else if (answer.status === 409) {
    wrong(decision, "A peça mudou antes da decisão.", "Ver as duas versões", at(decision, `&vista=${decision.revision}`));
  } else {
    wrong(decision, "A decisão não foi gravada.", "Ver a peça", at(decision));
  }
}

/** Says that a decision was not taken, until it is looked into. */
function wrong(decision, text, label, to) {
  const notice = document.createElement("div");
  notice.className = "toast";
  const message = document.createElement("span");
  message.textContent = `${text} ${decision.title}`;
  const link = document.createElement("a");
  link.href = to;
  link.textContent = label;
  link.addEventListener("click", () => notice.remove());
  notice.append(message, link);
  document.getElementById("avisos").append(notice);
}
