// A view inside the host of an agent (MCP Apps). The view and the host exchange JSON-RPC messages, and every call of
// the service goes through the host.

const VIEW = document.documentElement.dataset.view;
/** The time limits for an answer of the host, in milliseconds. The host may ask the person before it calls a tool. */
const PATIENCE = { "ui/initialize": 15_000, other: 180_000 };
/** The maximum length of a style value of the host. */
const LONGEST_STYLE = 400;

const LOST = "O aplicativo não conseguiu falar com a Pauta. Tente de novo.";
const ENDED = "O acesso deste aplicativo à Pauta terminou. Conecte a Pauta de novo nas configurações dele.";

/** The context that the host sends: theme, styles, sizes. Changes are merged into this object. */
let context = {};
/** The capabilities of the host. */
let host = {};
/** The origin of the host, known from its first answer. */
let hostOrigin;
const pending = new Map();
let lastId = 0;

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** An error with a text for people and, if the service sent them, the error code and the request id. */
class Refusal extends Error {
  constructor(message, code, request) {
    super(message);
    Object.assign(this, { code, request });
  }
}

/** Parses a refusal of the service: `CODE: mensagem`, followed by further lines. */
function parseRefusal(text) {
  const [, code, message] = text.match(/(?:^|\s)([A-Z][A-Z_]{2,}): (.+)/) ?? [];
  return code && new Refusal(message, code, text.match(/^Pedido: (\S+)$/m)?.[1]);
}

/** Converts an error of the host to a refusal. */
function hostRefusal(error) {
  const text = isObject(error) && typeof error.message === "string" ? error.message : "";
  if (/\b401\b|unauthorized|unauthenticated|invalid.token|token_(expired|revoked)/i.test(text)) return new Refusal(ENDED);
  return parseRefusal(text) || new Refusal(LOST);
}

function send(message) {
  const known = hostOrigin && hostOrigin !== "null";
  parent.postMessage({ jsonrpc: "2.0", ...message }, known ? hostOrigin : "*");
}

function request(method, params) {
  lastId += 1;
  const id = lastId;
  const answer = new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      pending.delete(id);
      reject(new Refusal(LOST));
    }, PATIENCE[method] ?? PATIENCE.other);
    pending.set(id, { resolve, reject, late });
  });
  send({ id, method, params });
  return answer;
}

function settleRequest({ id, result, error }, origin) {
  const waiting = pending.get(id);
  if (!waiting) return;
  pending.delete(id);
  clearTimeout(waiting.late);
  hostOrigin ??= origin;
  if (isObject(result)) waiting.resolve(result);
  else waiting.reject(hostRefusal(error));
}

/** The handlers of the notifications of the host, by method. Each view adds its own handlers. */
const notified = { "ui/notifications/host-context-changed": applyContext };

addEventListener("message", ({ source, origin, data }) => {
  if (source !== parent || !isObject(data) || data.jsonrpc !== "2.0") return;
  if (hostOrigin !== undefined && origin !== hostOrigin) return;
  const { id, method } = data;
  if (method === undefined) settleRequest(data, origin);
  else if (id === undefined) {
    if (Object.hasOwn(notified, method)) notified[method](isObject(data.params) ? data.params : {});
  } else if (method === "ping" || method === "ui/resource-teardown") send({ id, result: {} });
  else send({ id, error: { code: -32601, message: "Method not found" } });
});

/** Calls a tool through the host, and returns its answer. */
async function callTool(name, input) {
  const result = await request("tools/call", { name, arguments: input });
  if (result.isError) throw resultRefusal(result);
  const answer = structuredAnswer(result);
  if (!answer) throw new Refusal("A resposta veio incompleta. Tente de novo.");
  return answer;
}

const keys = new Map();

/** Calls a tool with an idempotency key. Until an answer arrives, repeating the call uses the same key, so it has one effect. */
async function callOnce(name, input) {
  const call = JSON.stringify([name, input]);
  if (!keys.has(call)) keys.set(call, `visao-${Array.from(crypto.getRandomValues(new Uint8Array(16)), hex).join("")}`);
  try {
    const answer = await callTool(name, { ...input, idempotency_key: keys.get(call) });
    keys.delete(call);
    return answer;
  } catch (error) {
    if (error.code) keys.delete(call);
    throw error;
  }
}

const hex = (byte) => byte.toString(16).padStart(2, "0");
const resultText = ({ content }) => (Array.isArray(content) && typeof content[0]?.text === "string" ? content[0].text : "");

function resultRefusal(result) {
  const text = resultText(result);
  return parseRefusal(text) || new Refusal(text.slice(0, 300) || LOST);
}

/** Returns the structured content of a result or, if it is absent, the parsed text copy. `undefined` if both are unusable. */
function structuredAnswer(result) {
  if (isObject(result.structuredContent)) return result.structuredContent;
  try {
    const answer = JSON.parse(resultText(result));
    return isObject(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** Informs the model about an action of the person, if the host lets a view do this. */
function informModel(text) {
  if (!host.updateModelContext) return;
  request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {});
}

/** Applies the theme, the style variables and the safe areas of the host. */
function applyContext(changed) {
  context = { ...context, ...changed };
  const { theme, styles, safeAreaInsets } = context;
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") {
    root.dataset.theme = theme;
    root.style.colorScheme = theme;
  }
  const variables = isObject(styles?.variables) ? Object.entries(styles.variables) : [];
  for (const [name, value] of variables) {
    const fits = typeof value === "string" && value.length <= LONGEST_STYLE && !/url\(/i.test(value);
    if (fits && /^--[a-z0-9-]+$/.test(name)) root.style.setProperty(name, value);
  }
  for (const side of ["top", "right", "bottom", "left"]) {
    const inset = isObject(safeAreaInsets) ? safeAreaInsets[side] : undefined;
    if (Number.isFinite(inset)) root.style.setProperty(`--safe-${side}`, `${Math.max(0, inset)}px`);
  }
  layOut();
}
