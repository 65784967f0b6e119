// The agenda: seen in all its forms, moved by mouse and by keyboard, and moves taken back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const DAY = 24 * 3600 * 1000;

/** The day in Brasília, so many days from now. */
function dayAfter(days) {
  const words = { timeZone: "America/Sao_Paulo", year: "numeric", month: "2-digit", day: "2-digit" };
  return new Intl.DateTimeFormat("en-CA", words).format(Date.now() + days * DAY);
}

/** An event of this day, at 10:30. */
async function demand(title, day, more = {}) {
  const [year, month, number] = day.split("-").map(Number);
  const fields = { title, channel: "newsletter", day: number, month, year, hour: "10:30", ...more };
  const { event } = await stage.demo.call("POST", "/api/demanda", fields);
  return event.id;
}

const due = async (id) => {
  const { evento } = await stage.demo.call("GET", `/api/eventos/${id}`);
  return evento.due_at && `${evento.year}-${String(evento.month).padStart(2, "0")}-${String(evento.day).padStart(2, "0")} ${evento.hour}`;
};

const focused = (page) => page.evaluate("document.activeElement.closest('[data-rev]')?.id");

for (const look of LOOKS) {
  test(`every form of the agenda fits: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look);
    const { url } = stage.demo;
    for (const form of ["mes", "semana", "lista", "sem-data", "dia"]) {
      await page.goto(`${url}/?ver=${form}`);
      await fit(page, `agenda-${form}`);
    }
    await page.goto(`${url}/?ver=mes`);
    await page.getByText("Status", { exact: true }).first().click();
    await fit(page, "agenda-filter");
    await page.goto(`${url}/demandas/nova?dia=${dayAfter(3)}&hora=18:00`);
    await fit(page, "demand-new");
    const id = await demand("Peça para olhar", dayAfter(2), { description: "Uma legenda longa. ".repeat(100) });
    await page.goto(`${url}/agenda/eventos/${id}`);
    await fit(page, "agenda-look");
  });
}

test("an event is moved by the keyboard, the focus follows, and the move is taken back", async () => {
  const page = await stage.signedIn();
  const id = await demand("Movida pelo teclado", dayAfter(3));
  await page.goto(`${stage.demo.url}/?ver=semana&dia=${dayAfter(3)}`);
  await page.locator(`#e-${id} a.what`).focus();
  await page.keyboard.press("Alt+ArrowDown");
  await page.getByText("Movido para").waitFor();
  assert.equal(await due(id), `${dayAfter(10)} 10:30`);
  assert.equal(await focused(page), `e-${id}`);
  assert.match(page.url(), new RegExp(`dia=${dayAfter(10)}`), "the week of the new day is shown");
  await page.keyboard.press("Control+z");
  await page.getByText("Voltou para").waitFor();
  assert.equal(await due(id), `${dayAfter(3)} 10:30`);
  assert.equal(await focused(page), `e-${id}`);
  await page.keyboard.press("Alt+ArrowUp");
  await page.getByText("Não dá para mover para o passado.").waitFor();
  assert.equal(await due(id), `${dayAfter(3)} 10:30`);
});

test("a quick look opens with Space, and Escape leads back to the card", async () => {
  const page = await stage.signedIn();
  const id = await demand("Olhada depressa", dayAfter(3));
  await page.goto(`${stage.demo.url}/?ver=semana&dia=${dayAfter(3)}`);
  await page.locator(`#e-${id} a.what`).focus();
  await page.keyboard.press("Space");
  const dialog = page.locator("#olhar");
  await dialog.getByRole("link", { name: "Abrir a peça" }).waitFor();
  await fit(page, "agenda-dialog");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await focused(page), `e-${id}`);
  await page.keyboard.press("Space");
  await dialog.locator("input[name=hour]").first().fill("17:45");
  await dialog.getByRole("button", { name: "Mover", exact: true }).click();
  await page.getByText("Feito: ").waitFor();
  assert.equal(await due(id), `${dayAfter(3)} 17:45`);
});

test("an event is dragged to a day and to the tray, and never to the past", async () => {
  const page = await stage.signedIn();
  const id = await demand("Arrastada", dayAfter(3));
  await page.goto(`${stage.demo.url}/?ver=semana&dia=${dayAfter(3)}`);
  const card = page.locator(`#e-${id}`);
  const tray = page.locator("[data-day='']");
  await card.dragTo(tray);
  await page.getByText("Movido para a bandeja sem data.").waitFor();
  assert.equal(await due(id), null);
  assert.equal(await tray.locator(`#e-${id}`).count(), 1);
  await page.getByRole("button", { name: "Desfazer" }).click();
  await page.getByText("Voltou para").waitFor();
  assert.equal(await due(id), `${dayAfter(3)} 10:30`);
  await page.goto(`${stage.demo.url}/?ver=mes&dia=${dayAfter(3)}&foco=${id}`);
  const past = page.locator(".day.past").first();
  if (await past.count()) {
    await card.dragTo(past);
    assert.equal(await due(id), `${dayAfter(3)} 10:30`);
  }
});

test("several events are changed together, and each answers for itself", async () => {
  const page = await stage.signedIn();
  const later = dayAfter(12);
  const ids = [await demand("Primeira de três", later), await demand("Segunda", later), await demand("Mudada antes", later)];
  await page.goto(`${stage.demo.url}/?ver=dia&dia=${later}`);
  await page.locator(`#e-${ids[0]} a.what`).focus();
  await page.keyboard.press("x");
  await page.locator(`#e-${ids[1]} a.what`).click({ modifiers: ["Shift"] });
  await page.locator(`#e-${ids[2]} a.what`).click({ modifiers: ["Shift"] });
  await page.getByText("3 escolhidos").waitFor();
  await fit(page, "agenda-picked");
  const title = { title: "Mudada por outra pessoa", expected_revision: 1 };
  await stage.demo.call("PATCH", `/api/eventos/${ids[2]}`, title);
  await page.getByRole("button", { name: "+ 1 dia" }).click();
  await page.getByText("Feito em 2. Em 1 não:").waitFor();
  assert.deepEqual(await Promise.all(ids.map(due)), [13, 13, 12].map((days) => `${dayAfter(days)} 10:30`));
});

test("without scripts an empty place leads to a demand, and a form moves it", async () => {
  const page = await stage.signedIn({ javaScriptEnabled: false });
  await page.goto(`${stage.demo.url}/?ver=semana&dia=${dayAfter(7)}`);
  await page.locator(`[data-day='${dayAfter(7)}'] a.new`).click();
  await page.fill("input[name=title]", "Sem scripts");
  await page.getByRole("button", { name: "Criar demanda" }).click();
  const { eventos } = await stage.demo.call("GET", `/api/eventos?q=${encodeURIComponent("Sem scripts")}`);
  assert.equal(eventos.length, 1);
  const [{ id }] = eventos;
  assert.match(await due(id), new RegExp(`^${dayAfter(7)} `));
  await page.goto(`${stage.demo.url}/agenda/eventos/${id}`);
  await page.locator("input[name=hour]").first().fill("09:15");
  await page.getByRole("button", { name: "Mover", exact: true }).click();
  assert.equal(await due(id), `${dayAfter(7)} 09:15`);
  await page.goto(`${stage.demo.url}/agenda/eventos/${id}`);
  await page.getByRole("button", { name: "Tirar a data" }).click();
  assert.equal(await due(id), null);
});
