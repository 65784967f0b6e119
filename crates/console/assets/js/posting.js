// Shares the files of a post with another app, where the browser can. Without this module, each file is downloaded.

const { toast } = await import(document.querySelector("script[type=module]").src);

/** Starts on the page of a post. */
export function attach(page) {
  const links = [...page.querySelectorAll("a[data-file]")];
  const place = page.querySelector("[data-share]");
  const probe = new File(["a"], "a.jpg", { type: "image/jpeg" });
  if (!links.length || !place || !navigator.canShare?.({ files: [probe] })) return;
  if (place.querySelector("button")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = links.length > 1 ? "Compartilhar os arquivos" : "Compartilhar o arquivo";
  place.prepend(button);
  let files;
  button.addEventListener("click", async () => {
    try {
      if (!files) {
        button.disabled = true;
        button.setAttribute("aria-busy", "true");
        files = await Promise.all(links.map(load));
      }
      const text = page.querySelector("#legenda")?.value ?? "";
      const all = { files, text };
      await navigator.share(navigator.canShare(all) ? all : { files });
    } catch (error) {
      if (error.name === "AbortError") return;
      // The download took longer than the browser allows between the click and the sharing.
      if (error.name === "NotAllowedError" && files) toast("Arquivos prontos: toque de novo para compartilhar.");
      else toast("Não deu para compartilhar: baixe os arquivos.");
    } finally {
      button.disabled = false;
      button.removeAttribute("aria-busy");
    }
  });
}

async function load(link) {
  const answer = await fetch(link.href);
  if (!answer.ok) throw new Error(answer.status);
  const content = await answer.blob();
  return new File([content], link.download, { type: content.type });
}
