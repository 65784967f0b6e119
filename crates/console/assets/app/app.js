// A view inside the host of an agent (MCP Apps). It exchanges JSON-RPC messages with the host, reads its HTML fragments
// as resources, and calls tools through the host.

const VIEW = document.documentElement.dataset.view;
const main = document.getElementById("conteudo");
const told = document.getElementById("aviso");
const pending = new Map();
let last = 0;
let queue = [];
// The arguments of the tool call.
let given = {};

const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

function request(method, params) {
  last += 1;
  const id = last;
  const answered = new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
  send({ id, method, params });
  return answered;
}

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params } = data;
  if (method === "ui/notifications/tool-input") given = params?.arguments ?? {};
  else if (method === "ui/notifications/tool-result") answered(params).catch(wrong);
  else if (method) {
    if (id !== undefined) send({ id, result: {} });
  } else if (pending.has(id)) {
    const { resolve, reject } = pending.get(id);
    pending.delete(id);
    if (data.error) reject(new Error(data.error.message));
    else resolve(data.result);
  }
});

function wrong(error) {
  told.textContent = error.message || "Não deu certo. Tente de novo.";
}

/** Shows a fragment that the service draws. */
async function show(path) {
  const { contents } = await request("resources/read", { uri: `ui://pauta/${VIEW}/${path}` });
  const drawn = new DOMParser().parseFromString(contents[0].text, "text/html");
  main.replaceChildren(...drawn.body.childNodes);
}

/** Shows the result of the tool that this view belongs to. */
async function answered({ structuredContent }) {
  told.textContent = "";
  if (VIEW === "agenda") {
    const filters = Object.entries(given).filter(([name, value]) => name !== "cursor" && value !== null);
    await show(`lista?${new URLSearchParams(filters)}`);
    return;
  }
  queue = (structuredContent?.pendentes ?? []).map((event) => event.id);
  await next();
}

async function next() {
  const id = queue.shift();
  if (id) await show(id);
  else main.textContent = "Tudo decidido: nenhuma peça espera por uma decisão.";
}

// A host may forbid forms. A form then sends no submit event, so the view listens to clicks.
document.addEventListener("click", (event) => {
  const { target } = event;
  const link = target.closest("a[href]");
  if (link?.dataset.slide) {
    event.preventDefault();
    document.querySelector(link.getAttribute("href")).scrollIntoView({ block: "nearest", inline: "center" });
  } else if (link) {
    event.preventDefault();
    request("ui/open-link", { url: link.href }).catch(wrong);
  }
  const button = target.closest("button[value]");
  if (button) decide(button.form, button.value).catch(wrong);
});

async function decide(form, action) {
  const { event: id, revision } = form.closest("[data-event]").dataset;
  const fields = new FormData(form);
  const reason = [...fields.getAll("rapido"), fields.get("motivo").trim()].filter(Boolean).join("\n");
  if (action === "recusar" && !reason) {
    told.textContent = "Diga o motivo, para quem vai refazer.";
    return;
  }
  form.inert = true;
  form.dataset.key ??= crypto.randomUUID();
  const decision = { event_id: id, action, expected_revision: Number(revision) };
  if (action === "recusar") decision.motivo = reason;
  decision.idempotency_key = `${form.dataset.key}.${action}`;
  try {
    const result = await request("tools/call", { name: "decide_approval", arguments: decision });
    if (result.isError) {
      await show(id);
      told.textContent = result.content?.[0]?.text ?? "A decisão não foi gravada.";
      return;
    }
    told.textContent = action === "aprovar" ? "Aprovada." : "Recusada.";
    await next();
  } finally {
    form.inert = false;
  }
}

const size = () => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
};

const about = { appInfo: { name: `pauta-${VIEW}`, version: "1.0.0" }, appCapabilities: {}, protocolVersion: "2026-01-26" };
request("ui/initialize", about)
  .then(() => {
    send({ method: "ui/notifications/initialized", params: {} });
    new ResizeObserver(size).observe(document.documentElement);
  })
  .catch(wrong);
