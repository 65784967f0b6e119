// Common to every page: notices that go away, and the address without what a form left in it.

const toasts = () => document.getElementById("avisos");

/** Shows a short notice. `undo` adds a button. Returns the element. */
export function toast(text, undo) {
  const element = document.createElement("div");
  element.className = "toast";
  const message = document.createElement("span");
  message.textContent = text;
  element.append(message);
  if (undo) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Desfazer";
    button.addEventListener("click", () => {
      element.remove();
      undo();
    });
    element.append(button);
  }
  toasts()?.append(element);
  setTimeout(() => element.remove(), undo ? 10_000 : 5_000);
  return element;
}

/** Loads the module that each `data-module` names, and attaches it once. */
function attach() {
  for (const element of document.querySelectorAll("[data-module]")) {
    if (element.attached) continue;
    element.attached = true;
    import(document.documentElement.dataset[element.dataset.module]).then((module) => module.attach(element));
  }
}

function settle() {
  attach();
  for (const notice of document.querySelectorAll("[data-toast]")) {
    toast(notice.textContent);
    notice.remove();
  }
  const url = new URL(location.href);
  if (url.searchParams.has("feito")) {
    url.searchParams.delete("feito");
    history.replaceState(history.state, "", url);
  }
}

document.addEventListener("htmx:after:swap", settle);
settle();

/** Copies what `data-copy` names; selects it where the browser does not allow that. */
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy]");
  const source = button && document.querySelector(button.dataset.copy);
  if (!source) return;
  try {
    await navigator.clipboard.writeText(source.textContent);
    toast("Copiado.");
  } catch {
    getSelection().selectAllChildren(source);
    toast("Selecionado: copie com Ctrl+C.");
  }
});
