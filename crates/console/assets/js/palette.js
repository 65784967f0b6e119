
// ---- Palette ----

let offers;

const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("_", " ").toLowerCase();
const wordsOf = (text) => fold(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** Whether each of the words is the start of a word of the text. */
function hasStarts(words, text) {
  const known = wordsOf(text);
  return words.every((word) => known.some((one) => one.startsWith(word)));
}

/** Scores how well a text has the letters of the query in their order. 0 if it does not have them. */
function score(query, text) {
  let at = -1;
  let points = 0;
  for (const letter of query) {
    if (letter === " ") continue;
    const found = text.indexOf(letter, at + 1);
    if (found < 0) return 0;
    const starts = found === 0 || text[found - 1] === " ";
    points += found === at + 1 ? 4 : starts ? 3 : 1;
    at = found;
  }
  return points + (text.includes(query) ? 10 : 0) + (text.startsWith(query) ? 5 : 0) - text.length / 100;
}

/** The pages, actions and operations whose words start with the typed words, and those with similar words (`alike`). */
function choose(list, typed) {
  const query = fold(typed.trim());
  const words = wordsOf(typed);
  const isA = (type) => (offer) => offer.tipo === type;
  if (!words.length) return { places: list.filter(isA("lugar")), actions: list.filter(isA("acao")), operations: [], alike: [] };
  const scored = list.map((offer) => {
    const best = Math.max(score(query, fold(offer.nome)), score(query, fold(offer.tambem)));
    return { offer, best, starts: hasStarts(words, `${offer.nome} ${offer.tambem}`) };
  });
  scored.sort((a, b) => b.best - a.best);
  const started = scored.filter(({ starts }) => starts).map(({ offer }) => offer);
  const alike = scored.filter(({ starts, best }) => !starts && best > 0).map(({ offer }) => offer);
  const of = (type, most) => started.filter(isA(type)).slice(0, most);
  return { places: of("lugar", 5), actions: of("acao", 5), operations: of("operacao", 6), alike: alike.slice(0, 6) };
}

/** A text with its matching parts marked. */
const marked = (parts) => parts.map(([text, isMatch]) => (isMatch ? make("mark", { textContent: text }) : text));

function lineOf(item) {
  const title = make("span", { dir: "auto" }, ...(item.no_titulo ? marked(item.partes) : [item.titulo || "Sem título"]));
  const about = make("small", { textContent: [item.detalhe, item.quando].filter(Boolean).join(" · ") });
  const rest = item.no_titulo || !item.partes.length ? [] : [make("span", { className: "excerpt", dir: "auto" }, ...marked(item.partes))];
  return { address: item.endereco, parts: [title, about, ...rest] };
}

const offerLine = (offer) => ({
  address: offer.endereco,
  parts: [make("span", { textContent: offer.nome }), make("small", { textContent: offer.tipo === "lugar" ? offer.grupo : offer.tipo === "operacao" ? offer.tambem : "" })],
});

async function palette() {
  if (document.querySelector("dialog[open]")) return;
  const input = make("input", {
    type: "search", role: "combobox", "aria-label": "Procurar ou ir para", "aria-controls": "ofertas", "aria-expanded": "true",
    "aria-autocomplete": "list", autocomplete: "off", maxLength: 200, placeholder: "Peça, projeto, pessoa, página…",
  });
  const list = make("div", { id: "ofertas", role: "listbox", "aria-label": "Resultados", tabIndex: -1 });
  const said = make("span", { role: "status" });
  const keys = make("button", { type: "button", className: "plain", textContent: "Teclas" });
  const box = dialog("palette-box", "Procurar ou ir para", input, list, make("p", { className: "foot" }, said, keys));
  keys.addEventListener("click", () => {
    box.close();
    help();
  });
  let choices = [];
  let found = { typed: "", groups: [] };
  let lines = [];
  let chosen = 0;
  /** Whether the person has moved among the results. If so, results that arrive later keep the selection. */
  let hasMoved = false;
  /** Whether Enter was pressed before the results of the typed text arrived. */
  let isWaiting = false;
  let timer;
  let asking;

  const isFresh = () => found.typed === input.value.trimStart();
  const go = (line) => {
    box.close();
    location.assign(line.address);
  };
  const mark = () => {
    for (const [at, line] of lines.entries()) line.option.setAttribute("aria-selected", at === chosen);
    const option = lines[chosen]?.option;
    option?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option?.id ?? "");
  };
  const show = () => {
    const kept = hasMoved ? lines[chosen]?.address : undefined;
    const local = choose(choices, input.value);
    const everything = input.value.trim() && {
      address: `${base()}/busca?q=${encodeURIComponent(input.value.trim())}`,
      parts: [make("span", { textContent: `Ver tudo com “${input.value.trim()}”` })],
    };
    const groups = [
      ["Páginas", local.places.map(offerLine)],
      ["Ações", local.actions.map(offerLine)],
      ...found.groups.map((group) => [group.grupo, group.itens.map(lineOf)]),
      ["Operações", local.operations.map(offerLine)],
      ["Parecidos", found.groups.length ? [] : local.alike.map(offerLine)],
      ["Busca", everything && found.groups.length ? [everything] : []],
    ].filter(([, some]) => some.length);
    lines = groups.flatMap(([, some]) => some);
    for (const [at, line] of lines.entries()) {
      line.option = make("div", { role: "option", id: `oferta-${at}`, onclick: () => go(line) }, ...line.parts);
    }
    list.replaceChildren(...groups.map(([name, some]) =>
      make("div", { role: "group", "aria-label": name },
        make("div", { className: "group", role: "presentation", textContent: name }), ...some.map((line) => line.option))));
    chosen = Math.max(0, lines.findIndex((line) => line.address === kept));
    const count = lines.length - (everything && found.groups.length ? 1 : 0);
    if (isFresh()) said.textContent = count === 0 ? "Nada com isso." : count === 1 ? "1 resultado" : `${count} resultados`;
    mark();
  };
  const ask = async () => {
    asking?.abort();
    asking = new AbortController();
    const typed = input.value.trimStart();
    try {
      const answer = await fetch(`${base()}/paleta/busca?q=${encodeURIComponent(typed)}`, { signal: asking.signal });
      if (!answer.ok) throw answer.status;
      found = { typed, groups: await answer.json() };
      show();
    } catch (error) {
      if (error.name === "AbortError") return;
      found = { typed, groups: [] };
      show();
      said.textContent = "A busca não respondeu. Tente de novo.";
    }
    if (isWaiting && lines[chosen]) go(lines[chosen]);
    isWaiting = false;
  };
  /** Opens a page or an action at once. Otherwise waits for the results of the service. */
  const enter = () => {
    const local = choose(choices, input.value);
    const isSure = hasMoved || isFresh() || local.places.length + local.actions.length > 0;
    if (isSure && lines[chosen]) go(lines[chosen]);
    else isWaiting = !isSure;
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    hasMoved = false;
    isWaiting = false;
    if (input.value.trim()) timer = setTimeout(ask, 120);
    else {
      asking?.abort();
      found = { typed: "", groups: [] };
    }
    show();
  });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && lines.length) {
      event.preventDefault();
      hasMoved = true;
      chosen = (chosen + step + lines.length) % lines.length;
      mark();
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      enter();
    }
  });
  offers ??= fetch(`${base()}/paleta`).then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)));
  try {
    choices = await offers;
  } catch {
    offers = undefined;
    said.textContent = "As páginas não chegaram. Tente de novo.";
  }
  show();
}
