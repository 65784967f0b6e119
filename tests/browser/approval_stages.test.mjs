// Pieces in stages, on their page and in the inbox: for those who decide and for those who do not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();

/** Submits a piece that passes three stages, of which the first is approved; returns its id and the deciders. */
async function submitInStages() {
  const { call, member } = stage.demo;
  const ana = await member("Ana Maria Conceição", "lider");
  const bia = await member("Bia Lobo", "lider");
  const long = await member(`Otávio ${"Albuquerque-de-Vasconcelos".repeat(2)}`, "lider");
  const value = {
    regras: [
      {
        nome: "Blog",
        canais: ["blog"],
        etapas: [
          { nome: "Revisão", membros: [ana.id, bia.id] },
          { nome: "Direção de arte e de redação", membros: [bia.id, long.id], exige: "todos", prazo_horas_uteis: 8 },
          { nome: "Cliente", papel: "admin", convidados: true },
        ],
      },
    ],
  };
  await call("POST", "/api/config", { key: "aprovacao", value });
  const { event_id: id } = await call("POST", "/api/demanda", { title: "Broa de milho", channel: "blog" });
  await call("POST", "/api/enviar", { event_id: id, expected_revision: 1, caption: "A broa da casa." });
  await ana.call("POST", "/api/aprovar", { event_id: id, action: "aprovar", expected_revision: 2 });
  return { id, ana, bia };
}

for (const look of LOOKS) {
  test(`stages fit: ${look.width} px, ${look.colorScheme}`, async () => {
    const { id, ana, bia } = await submitInStages();
    const waits = await stage.signedIn(look, `/aprovacoes?evento=${id}`, ana);
    assert.equal(await waits.locator(".stages li").count(), 3);
    assert.match(await waits.locator(".stages [aria-current=step]").innerText(), /Direção de arte/);
    assert.equal(await waits.locator(".decision").count(), 0);
    await waits.getByRole("heading", { name: "Não é a sua vez" }).waitFor();
    await fit(waits, "stages-waits");
    await waits.context().close();

    const page = await stage.signedIn(look, `/aprovacoes?evento=${id}`, bia);
    await page.locator(".decision").waitFor();
    await fit(page, "stages-decides");
    await page.goto(`${stage.demo.url}/eventos/${id}`);
    await page.locator(".stages").scrollIntoViewIfNeeded();
    await fit(page, "stages-piece");
    await bia.call("POST", "/api/aprovar", { event_id: id, action: "aprovar", expected_revision: 3 });
    await page.goto(`${stage.demo.url}/aprovacoes?evento=${id}`);
    await page.getByText("Você já aprovou esta etapa").waitFor({ state: "attached" });
    await fit(page, "stages-approved");
    await page.context().close();
  });
}
