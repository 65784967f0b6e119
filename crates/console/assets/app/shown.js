// The common part of all views: shows fragments and errors, opens links, and reports the size of the view.

const WAIT = "Um momento…";
const notice = document.getElementById("aviso");
/** The arguments of the tool call. */
let given = {};
/** The function that shows the result of the tool. Each view sets this variable. */
let showResult;

/** Shows a text or an error in the notice above the content. */
function tell(said) {
  notice.classList.toggle("bad", said instanceof Error);
  notice.textContent = said instanceof Error ? describe(said) : said;
  layOut();
}

const describe = ({ message, code }) => (code ? `${message} (${code})` : message || LOST);

/** Requests a fragment from the service, and parses its HTML. */
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

/** Replaces the content by a sentence and, if `again` is set, a button that calls it. */
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

/** Loads the content. An error replaces the content, with a button that loads again. */
async function load(work) {
  main.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    showSentence(error, () => load(work));
  }
}

/** Runs the action of a button. An error is shown in the notice, and the content stays. */
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

/** Returns the arguments of the call as a query, without the fields that only select a page of the list. */
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
// The microtask runs after the script of the view has set `showResult`.
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
