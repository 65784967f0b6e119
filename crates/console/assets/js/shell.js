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

/** Takes a secret out of the page when its time is over (`data-hide-after`, seconds). */
function hideSecrets() {
  for (const element of document.querySelectorAll("[data-hide-after]")) {
    if (element.timed) continue;
    element.timed = true;
    setTimeout(() => {
      const instead = element.parentNode?.querySelector("[data-hidden-instead]");
      element.remove();
      if (instead) instead.hidden = false;
    }, element.dataset.hideAfter * 1000);
  }
}

document.addEventListener("htmx:after:swap", hideSecrets);
hideSecrets();
