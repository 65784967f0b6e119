// The web console: every page fits a phone and a desktop screen, in light and dark, has one title, and causes no error
// in axe or in the browser.
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { fit, LOOKS, open, WIDE } from "./stage.mjs";

const stage = open();
/** The paths of all pages, with their placeholders. A test of the suite compares them with the table. */
const { crawled } = JSON.parse(fs.readFileSync(new URL("pages.json", import.meta.url), "utf8"));
/** The most bytes of a page with its styles and scripts, compressed and without images. */
const WEIGHT = 60_000;
/** Pages with queries that the crawl does not reach, because it visits one page of each kind. */
const MORE = [
  "/agenda?ver=mes", "/agenda?ver=semana", "/agenda?ver=lista", "/agenda?ver=sem-data", "/agenda?ver=lista&q=nada-com-este-nome",
  "/aprovacoes", "/conhecimento?pergunta=tom", "/auditoria?porta=console", "/catalogo?q=evento", "/busca?q=caf%C3%A9",
];
/** Pages for visitors who are not signed in, each with its status. */
const PUBLIC = [
  ["/entrar", 200],
  ["/entrar/codigo?c=um-codigo-que-ninguem-imprimiu", 200],
  ["/convite", 200],
  ["/senha", 200],
  ["/authorize", 400],
  ["/senha/convite", 200],
  ["/entrar/provedor", 404],
  ["/entrar/retorno", 404],
  ["/nenhuma-pagina", 404],
];

const KINDS = crawled.map((kind) => [kind, new RegExp(`^${kind.replace(/\{\w+\}/g, "[^/]+")}$`)]);
/** Matches a page to its path with placeholders. A path without placeholders comes first. */
const kindOf = (path) => {
  const kinds = KINDS.filter(([, pattern]) => pattern.test(path)).map(([kind]) => kind);
  return kinds.includes(path) ? path : (kinds[0] ?? path);
};

/** Crawls the links from the first page; returns one page of each kind, and `MORE`. */
async function crawl(page) {
  const found = new Map([["/", "/"]]);
  for (const path of found.values()) {
    await page.goto(stage.demo.url + path);
    const links = await page.locator("nav a, #sino, main a[href^='/']").evaluateAll((all) =>
      all.filter((link) => !link.hasAttribute("download")).map((link) => new URL(link.href)).map(({ pathname, search }) => [pathname, search]));
    for (const [next, query] of links) {
      const isFile = next.startsWith("/api/") || next.endsWith(".csv") || query.includes("csv=");
      if (!isFile && !found.has(kindOf(next))) found.set(kindOf(next), next + query);
    }
  }
  const piece = [...found.values()].find((path) => kindOf(path) === "/eventos/{event_id}");
  return [...found.values(), `${piece}/cards`, ...MORE];
}

/** The path of a page that receives one file. */
async function createUpload() {
  const { upload_url: url } = await stage.demo.call("POST", "/api/uploads", { media_type: "image/png" });
  return url.slice(stage.demo.url.length);
}

async function checkPage(page, path, status) {
  const answer = await page.goto(stage.demo.url + path);
  assert.equal(answer.status(), status, path);
  assert.equal(await page.locator("h1:visible").count(), 1, `${path}: one title`);
  await fit(page, path.replace(/[^a-z]+/gi, "-"));
}

for (const looked of [...LOOKS, ...WIDE]) {
  test(`every page: ${looked.width} px, ${looked.colorScheme}`, async () => {
    const page = await stage.signedIn(looked);
    const pages = await crawl(page);
    for (const path of pages) await checkPage(page, path, 200);
    await checkPage(page, "/eventos/01990000-0000-7000-8000-00000000ffff", 404);

    const visitor = await stage.page(looked);
    const open = [...PUBLIC, [await createUpload(), 200]];
    for (const [path, status] of open) await checkPage(visitor, path, status);
    const seen = new Set([...pages, ...open.map(([path]) => path)].map((path) => kindOf(path.split("?")[0])));
    assert.deepEqual(crawled.filter((kind) => !seen.has(kind)), [], "pages that nothing links to");
  });
}

test("no page loads more than 60 kB, without images, when nothing is cached", async () => {
  const page = await stage.signedIn();
  const pages = await crawl(page);
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.setCacheDisabled", { cacheDisabled: true });
  const types = new Map();
  let weight = 0;
  network.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (types.get(requestId) !== "Image") weight += encodedDataLength;
  });
  const heaviest = [];
  for (const path of pages) {
    weight = 0;
    await page.goto(stage.demo.url + path);
    // The script of a chart is loaded after its module.
    await page.waitForTimeout(300);
    heaviest.push([weight, path]);
  }
  heaviest.sort(([one], [other]) => other - one);
  assert.ok(heaviest[0][0] <= WEIGHT, `${heaviest.slice(0, 5).join("\n")}`);
});
