
// ---- Palette ----

let offers;

const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("_", " ").toLowerCase();

/** How well a text has the letters of the query in this order; 0 where it has not. */
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

function ranked(list, typed) {
  const query = fold(typed.trim());
  if (!query) return list.slice(0, 12);
  const scored = list.map((offer) => {
    const best = Math.max(score(query, fold(offer.nome)), score(query, fold(offer.tambem)));
    return { offer, best };
  });
  const found = scored.filter(({ best }) => best > 0).sort((a, b) => b.best - a.best);
  return found.slice(0, 12).map(({ offer }) => offer);
}

async function palette() {
  if (document.querySelector("dialog[open]")) return;
  const input = make("input", {
    type: "search", role: "combobox", "aria-label": "Ir para", "aria-controls": "ofertas", "aria-expanded": "true",
    "aria-autocomplete": "list", autocomplete: "off", placeholder: "Página ou operação",
  });
  const list = make("ul", { id: "ofertas", role: "listbox", "aria-label": "Páginas e operações" });
  const keys = make("button", { type: "button", className: "plain", textContent: "Teclas" });
  const box = dialog("palette-box", "Ir para", input, list, make("p", {}, keys));
  keys.addEventListener("click", () => {
    box.close();
    help();
  });
  offers ??= fetch(`${base()}/paleta`).then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)));
  let choices;
  try {
    choices = await offers;
  } catch {
    offers = undefined;
    list.replaceChildren(make("li", { role: "option", textContent: "Não deu certo. Tente de novo." }));
    return;
  }
  let found = [];
  let chosen = 0;
  const mark = () => {
    for (const [at, option] of [...list.children].entries()) option.setAttribute("aria-selected", at === chosen);
    const option = list.children[chosen];
    option?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option?.id ?? "");
  };
  const go = (offer) => {
    box.close();
    location.assign(offer.endereco);
  };
  const show = () => {
    found = ranked(choices, input.value);
    chosen = 0;
    const options = found.map((offer, at) =>
      make("li", { role: "option", id: `oferta-${at}`, onclick: () => go(offer) },
        make("span", { textContent: offer.nome }), " ", make("small", { textContent: offer.tambem || offer.grupo })));
    list.replaceChildren(...(options.length ? options : [make("li", { role: "option", textContent: "Nada com isso." })]));
    mark();
  };
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      chosen = (chosen + step + found.length) % found.length;
      mark();
    } else if (event.key === "Enter" && found[chosen]) {
      event.preventDefault();
      go(found[chosen]);
    }
  });
  show();
}
