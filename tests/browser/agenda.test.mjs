// The agenda: its layouts, moving events by mouse, keyboard and touch, and undoing a move.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drag, fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const DAY = 24 * 3600 * 1000;
/** A viewport tall enough that dragging needs no scrolling. */
const TALL = { width: 1280, height: 2400 };

/** The date in Brasília, this many days from now, as YYYY-MM-DD. */
function dayAfter(days) {
  const words = { timeZone: "America/Sao_Paulo", year: "numeric", month: "2-digit", day: "2-digit" };
  return new Intl.DateTimeFormat("en-CA", words).format(Date.now() + days * DAY);
}

/** Creates an event on this day at 10:30; returns its id. */
async function createDemand(title, day, more = {}) {
  const [year, month, number] = day.split("-").map(Number);
  const fields = { title, channel: "newsletter", day: number, month, year, hour: "10:30", ...more };
  const { event } = await stage.demo.call("POST", "/api/demanda", fields);
  return event.id;
}

const readDue = async (id) => {
  const { evento } = await stage.demo.call("GET", `/api/eventos/${id}`);
  return evento.due_at && `${evento.year}-${String(evento.month).padStart(2, "0")}-${String(evento.day).padStart(2, "0")} ${evento.hour}`;
};

const focusedId = (page) => page.evaluate("document.activeElement.closest('[data-rev]')?.id");

for (const look of LOOKS) {
  test(`every layout of the agenda fits the screen: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look, "/agenda");
    const { url } = stage.demo;
    for (const form of ["mes", "semana", "lista", "sem-data", "dia"]) {
      await page.goto(`${url}/agenda?ver=${form}`);
      await fit(page, `agenda-${form}`);
    }
    await page.goto(`${url}/agenda?ver=mes`);
    await page.getByText("Status", { exact: true }).first().click();
    await fit(page, "agenda-filter");
    await page.goto(`${url}/demandas/nova?dia=${dayAfter(3)}&hora=18:00`);
    await fit(page, "demand-new");
    const id = await createDemand("Peça para olhar", dayAfter(2), { description: "Uma legenda longa. ".repeat(100) });
    await page.goto(`${url}/agenda/eventos/${id}`);
    await fit(page, "agenda-look");
  });
}

test("an event is moved with the keyboard, keeps the focus, and the move can be undone", async () => {
  const page = await stage.signedIn(undefined, "/agenda");
  const id = await createDemand("Movida pelo teclado", dayAfter(3));
  await page.goto(`${stage.demo.url}/agenda?ver=semana&dia=${dayAfter(3)}`);
  await page.locator(`#e-${id} a.what`).focus();
  await page.keyboard.press("Alt+ArrowDown");
  await page.getByText("Movido para").waitFor();
  assert.equal(await readDue(id), `${dayAfter(10)} 10:30`);
  assert.equal(await focusedId(page), `e-${id}`);
  assert.match(page.url(), new RegExp(`dia=${dayAfter(10)}`), "the page must show the week of the new day");
  await page.keyboard.press("Control+z");
  await page.getByText("Voltou para").waitFor();
  assert.equal(await readDue(id), `${dayAfter(3)} 10:30`);
  assert.equal(await focusedId(page), `e-${id}`);
  await page.keyboard.press("Alt+ArrowUp");
  await page.getByText("Não dá para mover para o passado.").waitFor();
  assert.equal(await readDue(id), `${dayAfter(3)} 10:30`);
});

test("a key moves an event by half an hour, and the list of keys names it", async () => {
  const page = await stage.signedIn(undefined, "/agenda");
  const id = await createDemand("Movida por meia hora", dayAfter(3));
  await page.goto(`${stage.demo.url}/agenda?ver=semana&dia=${dayAfter(3)}`);
  const card = page.locator(`#e-${id} a.what`);
  const slot = (day, hour) => page.locator(`[data-day='${day}'] [data-hour='${hour}'] #e-${id}`);
  assert.equal(await slot(dayAfter(3), "10:30").count(), 1, "the event must be at its hour");
  await card.focus();
  await page.keyboard.press("Alt+Shift+ArrowUp");
  await page.getByText("10:00.").waitFor();
  assert.equal(await readDue(id), `${dayAfter(3)} 10:00`);
  assert.equal(await slot(dayAfter(3), "10:00").count(), 1);
  assert.equal(await focusedId(page), `e-${id}`);
  await page.keyboard.press("Alt+ArrowLeft");
  await page.getByText("Movido para").nth(1).waitFor();
  assert.equal(await readDue(id), `${dayAfter(2)} 10:00`);
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Teclas" });
  await keys.getByText("Mover meia hora").waitFor();
  await fit(page, "agenda-keys");
});

test("the quick view opens with Space, and Escape returns to the card", async () => {
  const page = await stage.signedIn(undefined, "/agenda");
  const id = await createDemand("Olhada depressa", dayAfter(3));
  await page.goto(`${stage.demo.url}/agenda?ver=semana&dia=${dayAfter(3)}`);
  await page.locator(`#e-${id} a.what`).focus();
  await page.keyboard.press("Space");
  const dialog = page.locator("#olhar");
  await dialog.getByRole("link", { name: "Abrir a peça" }).waitFor();
  await fit(page, "agenda-dialog");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await focusedId(page), `e-${id}`);
  await page.keyboard.press("Space");
  await dialog.locator("input[name=hour]").first().fill("17:45");
  await dialog.getByRole("button", { name: "Mover", exact: true }).click();
  await page.getByText("Peça atualizada.").waitFor();
  assert.equal(await readDue(id), `${dayAfter(3)} 17:45`);
});

test("an event is dragged to a day and to the tray, and never to the past", async () => {
  const page = await stage.signedIn(undefined, "/agenda");
  await page.setViewportSize(TALL);
  const id = await createDemand("Arrastada", dayAfter(3));
  await page.goto(`${stage.demo.url}/agenda?ver=semana&dia=${dayAfter(3)}`);
  const card = page.locator(`#e-${id}`);
  const tray = page.locator("[data-day='']");
  await drag(page, card, tray);
  await page.getByText("Movido para a bandeja sem data.").waitFor();
  assert.equal(await readDue(id), null);
  assert.equal(await tray.locator(`#e-${id}`).count(), 1);
  await page.getByRole("button", { name: "Desfazer" }).click();
  await page.getByText("Voltou para").waitFor();
  assert.equal(await readDue(id), `${dayAfter(3)} 10:30`);
  await page.goto(`${stage.demo.url}/agenda?ver=mes&dia=${dayAfter(3)}&foco=${id}`);
  const past = page.locator(".day.past:visible").first();
  if (await past.count()) {
    await drag(page, card, past);
    assert.equal(await readDue(id), `${dayAfter(3)} 10:30`);
  }
});

for (const look of [{ width: 360 }, { width: 1280 }]) {
  test(`the month shows today and folds the weeks before it: ${look.width} px`, async () => {
    const page = await stage.signedIn(look, "/agenda");
    await page.goto(`${stage.demo.url}/agenda?ver=mes&dia=${dayAfter(40)}`);
    await page.getByRole("link", { name: "Hoje", exact: true }).last().click();
    const today = page.locator("#agenda .day.today");
    await today.waitFor();
    const { y } = await today.boundingBox();
    assert.ok(y >= 0 && y < page.viewportSize().height - 40, `today is at ${y}`);
    assert.equal(await page.locator(".earlier[open]").count(), 0);
  });
}

test("in a full month, today and this week are in view without scrolling", async () => {
  const days = [-6, -5, -4, -3, -2, -1, 0, 1, 2].map(dayAfter);
  const demandas = days.flatMap((each) => {
    const [year, month, day] = each.split("-").map(Number);
    const names = ["instagram", "newsletter", "tiktok", "youtube", "rádio"];
    return names.map((channel, n) => ({ title: `Peça cheia ${n} de um mês com muitas`, channel, day, month, year, hour: "10:30" }));
  });
  await stage.demo.call("POST", "/api/demandas", { demandas });
  for (const [width, height] of [[360, 740], [1280, 800], [1920, 1080]]) {
    const page = await stage.signedIn({ width }, "/agenda");
    await page.setViewportSize({ width, height });
    await page.goto(`${stage.demo.url}/agenda?ver=mes`);
    const today = await page.locator("#hoje").boundingBox();
    const end = width < 600 ? today.y + 40 : today.y + today.height;
    assert.ok(today.y >= 0 && end <= height, `${width}: today is at ${today.y}, ${today.height} high`);
    const pictures = page.locator(".month img:visible");
    for (const image of await pictures.all()) {
      assert.equal(await image.evaluate((image) => getComputedStyle(image).objectFit), "contain");
    }
    // A channel with an icon also has its name as text, for screen readers. A channel without an icon shows its name.
    const marked = page.locator("#hoje .ev", { hasText: "Peça cheia 0" });
    assert.equal(await marked.locator("svg.net").count(), 1);
    assert.match(await marked.textContent(), /Instagram/);
    if (width < 600) {
      const past = page.locator(".months > .month > .folded");
      for (const day of await past.all()) {
        assert.ok((await day.boundingBox()).height < 60);
        assert.ok(await day.locator("a.number").isVisible());
      }
    }
    await fit(page, `month-full-${width}`);
    await page.context().close();
  }
});

test("an event is dragged to an hour, and keeps its minutes within its own half hour", async () => {
  const page = await stage.signedIn(undefined, "/agenda");
  await page.setViewportSize(TALL);
  const id = await createDemand("Arrastada à hora", dayAfter(3), { hour: "10:40" });
  await page.goto(`${stage.demo.url}/agenda?ver=semana&dia=${dayAfter(3)}`);
  const card = page.locator(`#e-${id}`);
  await drag(page, card, page.locator(`[data-day='${dayAfter(3)}'] [data-hour='15:00']`));
  await page.getByText("15:00.").waitFor();
  assert.equal(await readDue(id), `${dayAfter(3)} 15:00`);
  await page.keyboard.press("Control+z");
  await page.getByText("Voltou para").waitFor();
  const next = await page.evaluate(`document.querySelector(".by-hour[data-day='${dayAfter(4)}']") ? 4 : 2`);
  await drag(page, card, page.locator(`[data-day='${dayAfter(next)}'] [data-hour='10:30']`));
  await page.getByText(/^Movido para [^.]*10:40\.$/).waitFor();
  assert.equal(await readDue(id), `${dayAfter(next)} 10:40`);
});

test("an empty half hour opens the form of a demand at that time", async () => {
  const page = await stage.signedIn(undefined, "/agenda");
  await page.goto(`${stage.demo.url}/agenda?ver=semana&dia=${dayAfter(7)}`);
  await page.locator(`[data-day='${dayAfter(7)}'] [data-hour='07:30'] a.open`).click();
  await page.getByRole("heading", { name: "Nova demanda" }).waitFor();
  assert.equal(await page.inputValue("input[name=hour]"), "07:30");
  assert.equal(await page.inputValue("input[name=day]"), String(Number(dayAfter(7).slice(8))));
});

test("on a phone the week shows one day, and the links above show another", async () => {
  const page = await stage.signedIn({ width: 360 }, "/agenda");
  const id = await createDemand("No telefone", dayAfter(9));
  await page.goto(`${stage.demo.url}/agenda?ver=semana&dia=${dayAfter(9)}`);
  assert.equal(await page.locator(".by-hour:visible").count(), 1);
  await page.locator(`#e-${id}`).waitFor();
  const other = page.locator(".day-switch a:not([aria-current])").first();
  const day = await other.getAttribute("data-day");
  await other.click();
  await page.locator(`.by-hour[data-day='${day}']:visible`).waitFor();
  assert.equal(await page.locator(".by-hour:visible").count(), 1);
});

/** Sends the touch events of one finger to the page. */
async function finger(page) {
  const cdp = await page.context().newCDPSession(page);
  const send = (type, points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  return {
    down: (x, y) => send("touchStart", [{ x, y }]),
    move: (x, y) => send("touchMove", [{ x, y }]),
    up: () => send("touchEnd", []),
  };
}

const middle = async (locator) => {
  const { x, y, width, height } = await locator.boundingBox();
  return [x + width / 2, y + height / 2];
};

test("a finger that rests on an event drags the event to an hour or to another day", async () => {
  const page = await stage.signedIn({ width: 360, hasTouch: true, isMobile: true }, "/agenda");
  const id = await createDemand("Levada pelo dedo", dayAfter(9), { hour: "10:00" });
  await page.goto(`${stage.demo.url}/agenda?ver=semana&dia=${dayAfter(9)}`);
  const card = page.locator(`#e-${id}`);
  const { down, move, up } = await finger(page);
  const lift = async () => {
    await card.evaluate((element) => element.scrollIntoView({ block: "center" }));
    const [x, y] = await middle(card);
    await down(x, y);
    await page.locator(".ghost").waitFor();
    return [x, y];
  };
  const [x] = await lift();
  const slot = page.locator(`[data-day='${dayAfter(9)}'] [data-hour='11:30']`);
  const [, to] = await middle(slot);
  await move(x, to);
  await page.locator(".slot.drop-here").waitFor();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/agenda-finger-360.png` });
  await up();
  await page.getByText("11:30.").waitFor();
  assert.equal(await readDue(id), `${dayAfter(9)} 11:30`);
  assert.match(page.url(), /ver=semana/, "the drag must not open the event");
  const other = page.locator(".day-switch a:not([aria-current])").last();
  const day = await other.getAttribute("data-day");
  await lift();
  const [left, top] = await middle(other);
  await move(left, top);
  await up();
  await page.locator(`.by-hour[data-day='${day}'] #e-${id}`).waitFor();
  assert.equal(await readDue(id), day > dayAfter(0) ? `${day} 11:30` : `${dayAfter(9)} 11:30`);
});

test("a finger that drags an event near the edge scrolls, and a finger that moves at once only scrolls", async () => {
  const page = await stage.signedIn({ width: 360, hasTouch: true, isMobile: true }, "/agenda");
  const id = await createDemand("Arrastada longe", dayAfter(9), { hour: "08:00" });
  await page.goto(`${stage.demo.url}/agenda?ver=semana&dia=${dayAfter(9)}`);
  const card = page.locator(`#e-${id}`);
  await card.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const top = () => page.evaluate("scrollY");
  const { down, move, up } = await finger(page);
  const [x, y] = await middle(card);
  const before = await top();
  await down(x, y);
  for (let at = 20; at <= 200; at += 20) await move(x, y - at);
  await up();
  await page.waitForFunction((before) => scrollY > before + 50, before);
  assert.equal(await page.locator(".ghost").count(), 0);
  assert.equal(await readDue(id), `${dayAfter(9)} 08:00`);
  await page.evaluate(() => new Promise((done) => {
    const rest = (before) => setTimeout(() => (scrollY === before ? done() : rest(scrollY)), 200);
    rest(-1);
  }));
  await card.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const [left, from] = await middle(card);
  const start = await top();
  await down(left, from);
  await page.locator(".ghost").waitFor();
  await move(left, 735);
  await page.waitForFunction((start) => scrollY > start + 100, start);
  await up();
  await page.locator(".ghost").waitFor({ state: "detached" });
});

test("several events move together, keep their hours, and are moved back by one undo", async () => {
  const page = await stage.signedIn(undefined, "/agenda");
  const later = dayAfter(15);
  const hours = ["08:15", "10:30", "16:45"];
  const ids = [];
  for (const hour of hours) ids.push(await createDemand(`Junto, às ${hour}`, later, { hour }));
  await page.goto(`${stage.demo.url}/agenda?ver=dia&dia=${later}`);
  for (const id of ids) await page.locator(`#e-${id} a.what`).click({ modifiers: ["Shift"] });
  await page.locator(`#e-${ids[1]} a.what`).focus();
  await page.keyboard.press("Alt+ArrowDown");
  await page.getByText("3 peças movidas.").waitFor();
  assert.deepEqual(await Promise.all(ids.map(readDue)), hours.map((hour) => `${dayAfter(22)} ${hour}`));
  const mine = { title: "Mudada entretanto", expected_revision: 2 };
  await stage.demo.call("PATCH", `/api/eventos/${ids[2]}`, mine);
  await page.getByRole("button", { name: "Desfazer" }).click();
  await page.getByText("2 peças voltaram. Não: “Junto, às 16:45”.").waitFor();
  const days = [later, later, dayAfter(22)];
  assert.deepEqual(await Promise.all(ids.map(readDue)), hours.map((hour, at) => `${days[at]} ${hour}`));
});

test("several events are changed together, and each succeeds or fails on its own", async () => {
  const page = await stage.signedIn(undefined, "/agenda");
  const later = dayAfter(12);
  const ids = [await createDemand("Primeira de três", later), await createDemand("Segunda", later), await createDemand("Mudada antes", later)];
  await page.goto(`${stage.demo.url}/agenda?ver=dia&dia=${later}`);
  await page.locator(`#e-${ids[0]} a.what`).focus();
  await page.keyboard.press("x");
  await page.locator(`#e-${ids[1]} a.what`).click({ modifiers: ["Shift"] });
  await page.locator(`#e-${ids[2]} a.what`).click({ modifiers: ["Shift"] });
  await page.getByText("3 escolhidos").waitFor();
  await fit(page, "agenda-picked");
  const title = { title: "Mudada por outra pessoa", expected_revision: 1 };
  await stage.demo.call("PATCH", `/api/eventos/${ids[2]}`, title);
  await page.getByRole("button", { name: "+ 1 dia" }).click();
  await page.getByText("2 peças movidas. Não: “Mudada antes”.").waitFor();
  await page.goto(`${stage.demo.url}/agenda?ver=dia&dia=${later}`);
  assert.deepEqual(await Promise.all(ids.map(readDue)), [13, 13, 12].map((days) => `${dayAfter(days)} 10:30`));
});

test("without scripts an empty slot links to a new demand, and a form moves an event", async () => {
  const page = await stage.signedIn({ javaScriptEnabled: false }, "/agenda");
  await page.goto(`${stage.demo.url}/agenda?ver=semana&dia=${dayAfter(7)}`);
  await page.locator(`[data-day='${dayAfter(7)}'] a.new`).click();
  await page.fill("input[name=title]", "Sem scripts");
  await page.getByRole("button", { name: "Criar demanda" }).click();
  await page.waitForURL(/feito=create_demand/);
  const { eventos } = await stage.demo.call("GET", `/api/eventos?q=${encodeURIComponent("Sem scripts")}`);
  assert.equal(eventos.length, 1);
  const [{ id }] = eventos;
  assert.match(await readDue(id), new RegExp(`^${dayAfter(7)} `));
  await page.goto(`${stage.demo.url}/agenda/eventos/${id}`);
  await page.locator("input[name=hour]").first().fill("09:15");
  await page.getByRole("button", { name: "Mover", exact: true }).click();
  await page.waitForURL(/feito=update_event/);
  assert.equal(await readDue(id), `${dayAfter(7)} 09:15`);
  await page.goto(`${stage.demo.url}/agenda/eventos/${id}`);
  await page.getByRole("button", { name: "Tirar a data" }).click();
  await page.waitForURL(/feito=update_event/);
  assert.equal(await readDue(id), null);
});
