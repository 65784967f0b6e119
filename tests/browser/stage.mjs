// Starts Chromium and a separate demo for the tests of one file.
//
//     const stage = open();
//     test("…", async () => { const page = await stage.page({ width: 360 }); … });
//
// PAUTA names the binary (default: target/debug/pauta), CHROMIUM the browser. `.ci/install` fetches the browser and the
// npm packages.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after, before } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

const root = new URL("../../", import.meta.url);
const require = createRequire(new URL(".tools/node/", root));
const { chromium } = require("playwright-core");
const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const BINARY = path.resolve(process.env.PAUTA ?? new URL("target/debug/pauta", root).pathname);
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
// Chromium's sandbox does not work as root, and the pages are trusted. The other options turn off background requests.
const OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The widths of a phone and of a desktop screen, each in light and dark. */
export const LOOKS = [360, 1280].flatMap((width) => ["light", "dark"].map((colorScheme) => ({ width, colorScheme })));

/** The width of a large desktop screen, in light and dark. */
export const WIDE = ["light", "dark"].map((colorScheme) => ({ width: 1920, colorScheme }));

/** Starts the browser without a demo, for tests that start their own service. */
export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: OPTIONS });

/** Parses a JSON file; `undefined` until the file exists and is complete. */
function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

async function startDemo() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pauta-browser-"));
  const ready = path.join(folder, "ready.json");
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PAUTA_")));
  const options = { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] };
  const child = spawn(BINARY, ["demo", "--listen", "127.0.0.1:0", "--ready-file", ready], options);
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  const ended = once(child, "close");
  let at;
  for (const began = Date.now(); !at; await pause(100)) {
    const dead = child.exitCode !== null || Date.now() - began > 60_000;
    if (dead) child.kill("SIGKILL");
    assert.ok(!dead, `the demo was not ready within a minute:\n${said}`);
    at = readJson(ready);
  }

  /** A function that calls operations in this session. */
  const caller = (session) => async (method, where, body) => {
    const headers = { authorization: `Bearer ${session}`, "content-type": "application/json" };
    const answer = await fetch(at.url + where, { method, headers, body: body && JSON.stringify(body) });
    assert.ok(answer.ok, `${method} ${where}: ${answer.status}`);
    return answer.json();
  };
  const call = caller(at.session);

  /** Creates a member with a password; returns `name`, `id`, what `signedIn` takes, and `call` in their session. */
  async function member(name, access_level, more = {}) {
    const email = `${randomUUID()}@equipe.test`;
    const password = "tapioca-com-coco-ralado-7";
    const { membro } = await call("POST", "/api/membros", { name, email, access_level, ...more });
    await call("POST", `/api/membros/${membro.id}/senha`, { senha: password });
    const { access_token } = await caller()("POST", "/auth/v1/token?grant_type=password", { email, password });
    return { name, id: membro.id, email, password, call: caller(access_token) };
  }
  async function stop() {
    child.kill("SIGTERM");
    await ended;
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return { ...at, call, member, stop };
}

/** Makes this page wait for its modules when it opens an address, so that no test acts before they listen. */
function waitForModules(page) {
  // The pages of guests have no scripts.
  const areReady = () => !document.querySelector("script[src]") || [...document.querySelectorAll("[data-module]")].every((element) => element.isReady);
  for (const name of ["goto", "reload", "waitForURL"]) {
    const act = page[name].bind(page);
    page[name] = async (...given) => {
      const answer = await act(...given);
      await page.waitForFunction(areReady);
      return answer;
    };
  }
}

/** Sets up a demo (`demo`) and pages (`page`, `signedIn`) for a test file. An error of a page fails the file. */
export function open() {
  const stage = { faults: [] };
  let browser;
  before(async () => {
    [stage.demo, browser] = await Promise.all([startDemo(), launch()]);
  });
  after(async () => {
    await browser?.close();
    await stage.demo?.stop();
    assert.deepEqual(stage.faults, [], "pages reported errors");
  });
  /** Opens a page. `hosts` are the origins to which it may send requests besides the demo. */
  stage.page = async ({ width = 1280, hosts = [], ...look } = {}) => {
    const viewport = { width, height: width < 600 ? 740 : 800 };
    const context = await browser.newContext({ viewport, locale: "pt-BR", reducedMotion: "reduce", ...look });
    context.setDefaultTimeout(30_000);
    await context.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) => console.error(`CSP: ${event.violatedDirective}`));
    });
    const page = await context.newPage();
    if (look.javaScriptEnabled !== false) waitForModules(page);
    page.on("pageerror", (error) => stage.faults.push(String(error)));
    page.on("console", (message) => {
      // A failed request is not counted as a fault of the page. A violation of its content security policy is.
      const refused = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !refused) stage.faults.push(message.text());
    });
    page.on("request", (request) => {
      const from = new URL(request.url()).origin;
      if (from !== stage.demo.url && !hosts.includes(from)) stage.faults.push(`asked ${from}`);
    });
    return page;
  };
  /** Signs in as this member, or as the demo's admin, and opens this path of the console. */
  stage.signedIn = async (look, path = "/", who = stage.demo) => {
    const { url } = stage.demo;
    const { email, password } = who;
    const page = await stage.page(look);
    await page.goto(`${url}/entrar?volta=${encodeURIComponent(path)}`);
    await page.fill("[name=email]", email);
    await page.fill("[name=password]", password);
    await page.keyboard.press("Enter");
    await page.waitForURL(url + path);
    return page;
  };
  return stage;
}

/**
 * Drags one element to another. Some moves are dispatched only with the next one, so there are two over the target:
 * without the second, the browser may drop where the drag began.
 */
export async function drag(page, from, to, position) {
  await from.hover();
  await page.mouse.down();
  await to.hover({ position });
  await to.hover({ position });
  await page.mouse.up();
}

/**
 * Finds visible texts and controls that reach out of a card that they are in, unless something between them scrolls or clips,
 * or is positioned on purpose.
 */
function findSpilling() {
  const isPositioned = (element) => ["absolute", "fixed"].includes(getComputedStyle(element).position);
  const isSpilling = (parent, rects) => {
    const sides = rects.filter(({ width, height }) => width && height);
    if (!sides.length || !parent.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const [left, right] = [Math.min(...sides.map((side) => side.left)), Math.max(...sides.map((side) => side.right))];
    for (let box = parent; box && getComputedStyle(box).overflowX === "visible"; box = box.parentElement) {
      const outer = box.getBoundingClientRect();
      const isOut = right > outer.right + 1 || left < outer.left - 1;
      if (isOut && box.matches(".card, .notice, fieldset, .thread")) return true;
      if (isPositioned(box)) return false;
    }
    return false;
  };
  const main = document.querySelector("main");
  const texts = document.createTreeWalker(main ?? document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (!node.data.trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    if (isSpilling(node.parentElement, [...range.getClientRects()])) found.push(node.data.trim());
  }
  const controls = (main ?? document.body).querySelectorAll("button, img, input, select, svg, textarea, video, progress, fieldset");
  for (const control of controls) {
    if (isPositioned(control) || !control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (isSpilling(control.parentElement, [control.getBoundingClientRect()])) found.push(control.outerHTML.slice(0, 120));
  }
  return found;
}

/**
 * Asserts that the page does not scroll sideways, that nothing spills out of its card, and that axe finds nothing. With
 * `SHOTS=folder`, saves a screenshot.
 */
export async function fit(page, name) {
  const { width } = page.viewportSize();
  const scheme = await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"');
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${scheme}.png`, fullPage: true });
  const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(over <= 0, `${name}, ${width}, ${scheme}: ${over} px too wide`);
  const spilling = await page.evaluate(findSpilling);
  assert.deepEqual(spilling, [], `${name}, ${width}, ${scheme}`);
  await assertAccessible(page, `${name}, ${width}, ${scheme}`);
}

/** Asserts that axe finds nothing in this page or frame. */
export async function assertAccessible(frame, name) {
  await frame.evaluate(AXE);
  const violations = await frame.evaluate("axe.run().then(({ violations }) => violations)");
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(", ")}`);
  assert.deepEqual(found, [], name);
}
