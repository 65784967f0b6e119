
// ---- Files ----
// People choose, drop or paste several files at once. The form takes one file, so they are sent one after the other. A
// refused file stays in the list with the reason for the refusal.

/** Lets the form take several files, unless it replaces one. */
function offerSeveral(form) {
  const several = form.dataset.upload !== "um";
  form.querySelector("[type=file]").multiple = several;
  if (several) form.querySelector("[data-several]").hidden = false;
  if (waiting(form).length) unfold(form);
  refreshFiles(form);
}

const rowsOf = (form) => [...form.querySelectorAll("[data-files] > li")];
const waiting = (form) => rowsOf(form).filter((row) => !row.sent);

function listenForFiles(on) {
  on("change", ({ target }) => {
    const form = target.closest?.("form[data-upload]");
    if (!form || target.type !== "file" || !target.files.length) return;
    add(form, target.files);
    target.value = "";
  });
  on("click", ({ target }) => {
    const row = target.closest?.("[data-drop]") && target.closest("[data-files] > li");
    if (!row) return;
    const form = row.closest("form");
    row.remove();
    refreshFiles(form);
    form.querySelector("[type=file]").focus();
  });
  on("dragover", (event) => {
    const form = formFor(event);
    if (!form) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    unfold(form);
    form.classList.add("dropping");
  });
  on("dragleave", (event) => !event.relatedTarget && stopDropping());
  on("drop", (event) => {
    const form = formFor(event);
    stopDropping();
    if (!form) return;
    event.preventDefault();
    add(form, event.dataTransfer.files);
  });
  on("paste", (event) => {
    const form = document.querySelector("form[data-upload]");
    const files = event.clipboardData?.files;
    if (!form || !files?.length || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    unfold(form);
    add(form, files);
  });
}

/** The form that takes files dragged over the page: the form under the pointer, or else the first form. */
const formFor = (event) =>
  event.dataTransfer?.types.includes("Files")
    ? (event.target.closest?.("form[data-upload]") ?? document.querySelector("form[data-upload]"))
    : undefined;

function stopDropping() {
  for (const form of document.querySelectorAll(".dropping")) form.classList.remove("dropping");
}

function unfold(form) {
  const folded = form.closest("details");
  if (folded) folded.open = true;
}

const SIZE = new Intl.NumberFormat("pt-BR", { maximumFractionDigits: 1 });
const sizeOf = ({ size }) => (size < 100_000 ? `${SIZE.format(Math.max(size, 100) / 1_000)} kB` : `${SIZE.format(size / 1_000_000)} MB`);

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function add(form, files) {
  const one = form.dataset.upload === "um";
  if (one) for (const row of waiting(form)) row.remove();
  for (const file of one ? [files[0]] : files) {
    const name = element("strong", { textContent: file.name || "arquivo colado", dir: "auto" });
    const drop = element("button", { type: "button", className: "quiet" }, "Tirar", element("span", { className: "sr", textContent: ` ${file.name} da lista` }));
    drop.dataset.drop = "";
    const bar = element("progress", { max: 100, value: 0, hidden: true, ariaLabel: `Envio de ${file.name}` });
    const state = element("span", { className: "soft" });
    state.dataset.state = "";
    const wrong = element("div", { className: "wrong" });
    const row = element("li", {}, element("div", { className: "spread" }, element("span", {}, name, " ", element("small", { textContent: sizeOf(file) })), drop), bar, state, wrong);
    wrong.setAttribute("role", "alert");
    row.file = file;
    form.querySelector("[data-files]").append(row);
  }
  refreshFiles(form);
  form.querySelector("[type=submit]").focus();
}

/** Shows the number of files on the button. Hides the fields for a single file if there are several. */
function refreshFiles(form) {
  const count = waiting(form).length;
  form.querySelector("[type=file]").required = !count;
  const button = form.querySelector("[type=submit]");
  button.dataset.one ??= button.textContent;
  button.textContent = count > 1 ? `Enviar ${count} arquivos` : button.dataset.one;
  const single = form.querySelector("[data-single]");
  if (single) single.hidden = count > 1;
}

/** Sends the files of the list, one after the other. */
async function send(form) {
  if ("uploading" in form.dataset) return;
  const rows = waiting(form);
  form.dataset.uploading = "";
  let shown;
  for (const row of rows) {
    const done = await sendOne(form, row, rows.length > 1);
    shown = done ?? shown;
  }
  delete form.dataset.uploading;
  const left = summary(rows);
  if (left) toast(left);
  for (const row of rows) if (row.sent) row.remove();
  refreshFiles(form);
  if (!shown) return;
  for (const field of form.querySelectorAll("[data-single] input")) field.value = "";
  visit(shown);
}

function summary(rows) {
  const sent = rows.filter((row) => row.sent).length;
  const left = rows.length - sent;
  if (!left) return "";
  return `${sent} de ${rows.length} ${rows.length > 1 ? "arquivos enviados" : "arquivo enviado"}. ${left > 1 ? "Os outros continuam" : "O outro continua"} na lista.`;
}

/** Sends one file. Resolves to the address of the page that shows it, or to `undefined` if it was not accepted. */
function sendOne(form, row, several) {
  const [bar, state, wrong] = ["progress", "[data-state]", ".wrong"].map((part) => row.querySelector(part));
  const fields = new FormData(form);
  if (several) for (const { name } of form.querySelectorAll("[data-single] input")) fields.set(name, "");
  fields.set("file", row.file);
  const request = new XMLHttpRequest();
  wrong.replaceChildren();
  bar.hidden = false;
  bar.value = 0;
  return new Promise((resolve) => {
    const ended = (page) => {
      bar.hidden = true;
      state.textContent = page ? "Enviado" : "";
      row.sent = Boolean(page);
      resolve(page);
    };
    request.open("POST", form.getAttribute("action"));
    request.setRequestHeader("HX-Request", "true");
    request.upload.onprogress = ({ loaded, total }) => {
      bar.value = total ? (100 * loaded) / total : 0;
      const done = Math.floor(bar.value);
      state.textContent = done < 100 ? `${done}% enviado` : "Enviado. Conferindo o arquivo…";
    };
    request.onload = () => {
      if (request.status < 400) return ended(request.responseURL);
      const page = new DOMParser().parseFromString(request.response, "text/html");
      wrong.replaceChildren(page.querySelector(".notice") ?? "O arquivo não foi aceito.");
      ended();
    };
    request.onerror = () => {
      wrong.textContent = "O envio parou: sem conexão. Envie de novo.";
      ended();
    };
    request.send(fields);
  });
}
