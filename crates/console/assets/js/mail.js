// Shows the typed HTML of an e-mail in the frame beside it, after a pause. Without this module, a button does that.

const PAUSE = 500;

/** Starts on the editor of a draft. */
export function attach(editor) {
  if (editor.isListening) return;
  editor.isListening = true;
  let timer;
  editor.addEventListener("input", ({ target }) => {
    if (target.name !== "html") return;
    clearTimeout(timer);
    timer = setTimeout(() => show(editor), PAUSE);
  });
  editor.addEventListener(
    "click",
    (event) => {
      if (!event.target.closest?.("[data-show]")) return;
      event.preventDefault();
      clearTimeout(timer);
      show(editor);
    },
    true,
  );
}

/** Sends the HTML to the frame with a separate form, so that no other listener handles it. */
function show(editor) {
  const button = editor.querySelector("[data-show]");
  const text = document.createElement("textarea");
  Object.assign(text, { name: "html", value: editor.querySelector("[name=html]").value });
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: button.formAction, target: button.formTarget, hidden: true });
  form.append(text);
  document.body.append(form);
  form.submit();
  form.remove();
}
