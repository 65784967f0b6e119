// The media that the person may see. The person chooses media, and adds new ones.

paged = { items: ".tile" };
const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif", "video/mp4", "video/quicktime"];
/** The ids of the chosen media, in the order in which they were chosen. */
let chosen = [];
/** The latest upload through a link. */
let sent;

const find = (selector) => main.querySelector(selector);
const counted = (count) => (count === 1 ? "1 mídia" : `${count} mídias`);

showResult = showMedia;

async function showMedia() {
  const piece = find("[name=peca]")?.value;
  await show(`lista?${givenQuery(["cursor", "limit"])}`);
  if (piece && find("[name=peca]")) find("[name=peca]").value = piece;
  showChosen();
}

/** Returns the piece for which the media are chosen: its id, revision and media. */
function chosenPiece() {
  return (find("[name=peca]")?.selectedOptions[0] ?? find("p[data-piece]"))?.dataset;
}

/** Marks the chosen media with their number, and the media that the piece already has. */
function showChosen() {
  const present = chosenPiece()?.media.split(" ") ?? [];
  const boxes = [...main.querySelectorAll("[name=midia]")];
  const ids = boxes.map((box) => box.value);
  chosen = chosen.filter((id) => ids.includes(id) && !present.includes(id));
  for (const box of boxes) {
    const tile = box.closest(".tile");
    const number = chosen.indexOf(box.value) + 1;
    const isPresent = present.includes(box.value);
    box.checked = number > 0 || isPresent;
    box.disabled = isPresent;
    tile.classList.toggle("present", isPresent);
    tile.querySelector(".mark").textContent = isPresent ? "na peça" : number || "";
  }
  const attach = find("[value=anexar]");
  if (attach) {
    attach.disabled = !chosen.length;
    attach.textContent = chosen.length ? `Anexar ${counted(chosen.length)}` : "Anexar à peça";
  }
  const use = find("[value=usar]");
  if (use) {
    use.disabled = !chosen.length;
    use.hidden = !(host.updateModelContext || host.message);
  }
}

/** Shows only the media whose words contain all typed words. */
function search(typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const tile of main.querySelectorAll(".tile")) {
    const matches = words.every((word) => tile.dataset.words.includes(word));
    tile.hidden = !matches;
    if (matches) delete tile.dataset.out;
    else tile.dataset.out = "1";
    found += Number(matches);
  }
  find(".none").hidden = found > 0 || !words.length;
  starts = [0];
  layOut();
}

main.addEventListener("input", ({ target }) => {
  if (target.name === "procura") search(target.value);
});

main.addEventListener("change", ({ target }) => {
  if (target.name === "midia") {
    if (target.checked) chosen.push(target.value);
    else chosen = chosen.filter((id) => id !== target.value);
    showChosen();
  } else if (target.name === "peca") {
    showChosen();
  } else if (target.name === "arquivo" && target.files[0]) {
    const [file] = target.files;
    act(target, () => receiveFile(file)).then(() => (target.value = ""));
  }
});

const ACTIONS = {
  anexar: attachChosen,
  usar: useChosen,
  mais: showOlder,
  enviado: findUpload,
  abrir: () => openLink(sent.upload_url),
  desistir: async () => find(".sending").remove(),
};
main.addEventListener("click", ({ target }) => {
  const button = target.closest("button[value]");
  if (button) act(button, ACTIONS[button.value]).then(showChosen);
});

async function attachChosen() {
  const { piece, revision } = chosenPiece();
  const count = chosen.length;
  const change = { eventId: piece, expected_revision: Number(revision), attach: chosen };
  try {
    await callOnce("update_event_media", change);
  } catch (error) {
    // Another person changed the piece: its revision and media are read again, and the choice stays.
    if (error.code === "STALE_REVISION") await showMedia();
    throw error;
  }
  informModel(`Na visão de mídias, a pessoa anexou à peça ${piece} as mídias ${chosen.join(", ")}.`);
  chosen = [];
  await showMedia();
  tell(count === 1 ? "1 mídia anexada." : `${count} mídias anexadas.`);
}

/** Sends the ids of the chosen media to the conversation. */
async function useChosen() {
  const text = `Mídias que escolhi na Pauta: ${chosen.join(", ")}.`;
  if (host.message) await request("ui/message", { role: "user", content: [{ type: "text", text }] });
  else await request("ui/update-model-context", { content: [{ type: "text", text }] });
  tell("A conversa já sabe quais são.");
}

async function showOlder() {
  const lists = main.querySelectorAll(".tiles");
  const query = givenQuery(["cursor", "limit"]);
  query.set("cursor", [...lists].at(-1).dataset.next);
  const more = (await draw(`lista?${query}`)).querySelector(".tiles");
  const list = lists[0];
  const count = more.children.length;
  list.append(...more.children);
  list.dataset.next = more.dataset.next ?? "";
  find("[value=mais]").hidden = !more.dataset.next;
  search(find("[name=procura]").value);
  tell(`Mais ${counted(count)}.`);
}

/** Sends a small picture through the host. A larger file goes through a link, which the host opens in the browser. */
async function receiveFile(file) {
  if (file.type && !TYPES.includes(file.type)) throw new Refusal("Envie PNG, JPEG, WebP, GIF, MP4 ou QuickTime.");
  if (!file.size) throw new Refusal("O arquivo está vazio.");
  const isSmall = file.size <= Number(find(".picker").dataset.mostBytes) && !file.type.startsWith("video/");
  if (isSmall) {
    const { id } = await callOnce("import_media", { data: await readBase64(file) });
    await showAdded(id);
    return;
  }
  const wanted = { bytes: file.size };
  if (file.type) wanted.media_type = file.type;
  sent = await callTool("create_upload", wanted);
  showUpload(file.name);
  if (host.openLinks) await openLink(sent.upload_url);
}

function readBase64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(new Refusal("O arquivo não pôde ser lido.")));
    reader.readAsDataURL(file);
  });
}

/** Shows the next steps of the upload through the link. */
function showUpload(name) {
  find(".sending")?.remove();
  const box = document.createElement("div");
  const text = document.createElement("p");
  box.className = "notice sending";
  text.textContent = `O arquivo é grande para a conversa. Na página de envio, que se abre no navegador, escolha ${name} de novo. Depois, volte aqui.`;
  const buttons = document.createElement("div");
  buttons.className = "row";
  const button = (value, label, isQuiet) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", value, textContent: label, className: isQuiet ? "quiet" : "" });
    return made;
  };
  buttons.append(
    button("enviado", "Já enviei", false),
    button("abrir", "Abrir a página de envio", true),
    button("desistir", "Desistir", true),
  );
  box.append(text, buttons);
  find(".seek").after(box);
  tell("");
}

async function findUpload() {
  const { status, media } = await callTool("get_upload", { uploadId: sent.upload_id });
  if (status === "recebido") {
    await showAdded(media.id);
    return;
  }
  throw new Refusal(status === "vencido" ? "O link venceu. Envie o arquivo de novo." : "O arquivo ainda não chegou.");
}

async function showAdded(id) {
  chosen.push(id);
  await showMedia();
  tell("Arquivo recebido e escolhido.");
}
