// Takes the pictures of the console for README.md and docs/GUIDE.md: node --test tests/browser/pictures.mjs
import fs from "node:fs";
import { test } from "node:test";
import { open } from "./stage.mjs";

const stage = open();
const FOLDER = new URL("../../docs/images/", import.meta.url);
/** The maximum size of a picture, so that the README loads fast. */
const MOST_BYTES = 150_000;

/** Generates an image for a piece of the demo and submits the piece; returns its id. */
async function createDrawnPiece() {
  const { eventos } = await stage.demo.call("GET", "/api/eventos?limit=200");
  const { id } = eventos.find(({ title }) => title.startsWith("Café coado"));
  const prompt = "# Café coado\n1. Água a 93 °C\n2. Molhe o filtro\n3. Espere florescer";
  await stage.demo.call("POST", "/api/art", { event_id: id, prompt, style: "vibrante" });
  const { evento } = await stage.demo.call("GET", `/api/eventos/${id}`);
  const caption = "Três passos e nenhuma pressa: água no ponto, filtro molhado e um minuto de espera. Salve para o café de amanhã.";
  await stage.demo.call("POST", "/api/enviar", { event_id: id, expected_revision: evento.api_revision, caption });
  return id;
}

test("the pictures of the console", async () => {
  const light = await stage.signedIn({ width: 1280, colorScheme: "light" });
  const dark = await stage.signedIn({ width: 1280, colorScheme: "dark" });
  const piece = await createDrawnPiece();
  const first = (page, path, link) => page.goto(stage.demo.url + path).then(() => page.locator(link).first().getAttribute("href"));
  const launch = await first(dark, "/lancamentos", ".launches a[href^='/lancamentos/']");
  const shots = [
    ["agenda", light, "/agenda"],
    ["aprovacoes", light, `/aprovacoes?evento=${piece}`],
    ["peca", dark, `/eventos/${piece}`],
    ["lancamento", dark, launch],
  ];
  for (const [name, page, path] of shots) {
    await page.goto(stage.demo.url + path);
    const picture = await page.screenshot({ type: "jpeg", quality: 85 });
    if (picture.length > MOST_BYTES) throw new Error(`${name}: ${picture.length} bytes`);
    fs.writeFileSync(new URL(`console-${name}.jpg`, FOLDER), picture);
  }
});
