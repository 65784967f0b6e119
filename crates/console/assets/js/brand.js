// Draws the cards beside the form of the brand again after each change. The service draws them with the same code as
// real cards.

const PAUSE = 350;

/** Starts on the form of the brand. */
export function attach(root) {
  if (root.isListening) return;
  root.isListening = true;
  let timer;
  root.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => drawAll(root), PAUSE);
  });
}

/** The values of the form as a brand, in the JSON format of the configuration. */
function brandOf(form, unnamed) {
  const name = form.elements.nome.value.trim() || unnamed;
  const brand = { nome: name, cores: new FormData(form).getAll("cor").map((color) => color.toUpperCase()) };
  for (const name of ["handle", "fonte", "logo"]) {
    const value = form.elements[name].value.trim();
    if (value) brand[name] = value;
  }
  return JSON.stringify(brand);
}

async function drawAll(root) {
  root.asking?.abort();
  const asking = new AbortController();
  root.asking = asking;
  const samples = root.querySelector(".samples");
  const brand = brandOf(root.querySelector("form"), samples.dataset.name);
  const images = [...samples.querySelectorAll("img")];
  const told = root.querySelector("[data-told]");
  try {
    const drawn = await Promise.all(images.map((image) => draw(root, image, brand, asking.signal)));
    images.forEach((image, at) => {
      image.src = URL.createObjectURL(drawn[at]);
      image.onload = () => URL.revokeObjectURL(image.src);
      image.hidden = false;
    });
    told.textContent = "Os cards acompanham o formulário.";
  } catch (refused) {
    if (!asking.signal.aborted) told.textContent = refused.message;
  }
}

async function draw(root, image, brand, signal) {
  const text = root.querySelector(".samples").dataset.text;
  const asked = new URLSearchParams({ text, page: 1, pages: 3, style: image.dataset.style, brand });
  const answer = await fetch(`${root.dataset.preview}?${asked}`, { signal, headers: { "HX-Request": "true" } });
  if (answer.ok) return answer.blob();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  throw new Error(page.querySelector(".notice p")?.textContent.trim() ?? "Os cards não puderam ser desenhados.");
}
