// What every view does: it shows a fragment, says what went wrong, opens links and reports its size.

const WAIT = "Um momento…";
const notice = document.getElementById("aviso");
/** The arguments of the tool call. */
let given = {};
/** Shows the result of the tool. Each view sets it. */
let showResult;

/** Says something beside what is shown. */
function tell(said) {
  notice.classList.toggle("bad", said instanceof Error);
  notice.textContent = said instanceof Error ? describe(said) : said;
  layOut();
}

const describe = ({ message, code }) => (code ? `${message} (${code})` : message || LOST);

/** Draws a fragment, which the service makes. */
async function draw(path) {
  const uri = `ui://pauta/${VIEW}/${path}`;
  const read = async () => (await request("resources/read", { uri })).contents?.[0]?.text;
  const html = host.serverResources ? await read() : (await callTool("draw_view", { uri })).html;
  if (typeof html !== "string") throw new Refusal("A resposta veio incompleta. Tente de novo.");
  return new DOMParser().parseFromString(html, "text/html").body;
}

function showNodes(...nodes) {
  main.replaceChildren(...nodes);
  main.setAttribute("aria-busy", "false");
  starts = [0];
  layOut();
}

async function show(path) {
  showNodes(...(await draw(path)).childNodes);
}

/** Shows only a sentence, and a button where something can be tried again. */
function showSentence(said, again) {
  const heading = document.createElement("h1");
  [heading.textContent] = document.title.split(" · ");
  const box = document.createElement("div");
  const text = document.createElement("p");
  box.className = said instanceof Error ? "notice bad" : "notice";
  box.setAttribute("role", said instanceof Error ? "alert" : "status");
  text.textContent = said instanceof Error ? said.message || LOST : said;
  box.append(text);
  if (said.code) {
    const small = document.createElement("small");
    small.textContent = said.request ? `${said.code}, pedido ${said.request}` : said.code;
    box.append(small);
  }
  if (again) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Tentar de novo";
    button.addEventListener("click", again);
    box.append(button);
  }
  notice.textContent = "";
  showNodes(heading, box);
}

/** Loads what the view shows. A failure takes its place, with a button that loads again. */
async function load(work) {
  main.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    showSentence(error, () => load(work));
  }
}

/** Does what the person asked for. A failure is said beside what is shown. */
async function act(button, work) {
  button.disabled = true;
  notice.classList.remove("bad");
  notice.textContent = WAIT;
  try {
    await work();
    if (notice.textContent === WAIT) tell("");
  } catch (error) {
    tell(error);
  } finally {
    button.disabled = false;
  }
}

notified["ui/notifications/tool-input"] = ({ arguments: input }) => {
  given = isObject(input) ? input : {};
};
notified["ui/notifications/tool-result"] = (result) => {
  notice.textContent = "";
  if (result.isError) showSentence(resultRefusal(result));
  else load(() => showResult(result));
};
notified["ui/notifications/tool-cancelled"] = () => showSentence("A chamada foi cancelada.");

/** The arguments of the call as a query, without those that only concern its page. */
function givenQuery(without = ["cursor"]) {
  const fields = Object.entries(given).filter(([name, value]) => !without.includes(name) && value !== null);
  return new URLSearchParams(fields.map(([name, value]) => [name, String(value)]));
}

async function openLink(url) {
  const { isError } = await request("ui/open-link", { url });
  if (isError) throw new Refusal("O aplicativo não abriu o endereço.");
}

// A host may forbid forms. A form then sends no submit event, so the views listen to clicks.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link) return;
  event.preventDefault();
  if (link.dataset.slide) {
    document.querySelector(link.getAttribute("href")).scrollIntoView({ block: "nearest", inline: "center" });
  } else {
    openLink(link.href).catch(tell);
  }
});
document.addEventListener("submit", (event) => event.preventDefault());

let reported;
const reportSize = () => {
  const height = Math.ceil(shownHeight());
  if (height === reported) return;
  reported = height;
  send({ method: "ui/notifications/size-changed", params: { height } });
};

const about = {
  appInfo: { name: `pauta-${VIEW}`, version: "1.0.0" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  protocolVersion: "2026-01-26",
};
// A microtask: the script of the view sets `showResult` first.
queueMicrotask(async () => {
  try {
    const { hostCapabilities, hostContext } = await request("ui/initialize", about);
    host = isObject(hostCapabilities) ? hostCapabilities : {};
    applyContext(isObject(hostContext) ? hostContext : {});
    send({ method: "ui/notifications/initialized", params: {} });
    new ResizeObserver(reportSize).observe(document.documentElement);
  } catch {
    showSentence(new Refusal("O aplicativo não respondeu à visão da Pauta."));
  }
});
