// The web console: every page fits a phone and a desktop screen, in light and dark, has one title, and causes no error
// in axe or in the browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();
/** Pages with queries that the crawl does not reach, because it visits one page of each kind. */
const MORE = [
  "/agenda?ver=mes", "/agenda?ver=semana", "/agenda?ver=lista", "/agenda?ver=sem-data", "/agenda?ver=lista&q=nada-com-este-nome",
  "/aprovacoes", "/conhecimento?pergunta=tom", "/auditoria?porta=console", "/catalogo?q=evento",
];
/** Pages for visitors who are not signed in, each with its status. */
const PUBLIC = [
  ["/entrar", 200],
  ["/entrar/codigo?c=um-codigo-que-ninguem-imprimiu", 200],
  ["/convite", 200],
  ["/senha", 200],
  ["/authorize", 400],
  ["/nenhuma-pagina", 404],
];

/** The kind of a page: its path without ids and names. */
const kindOf = (path) =>
  path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "*").replace(/^\/(catalogo|skills|emails)\/[^/]+/, "/$1/*");

/** Crawls the links from the first page; returns one page of each kind, and `MORE`. */
async function crawl(page) {
  const found = new Map([["/", "/"]]);
  for (const path of found.values()) {
    await page.goto(stage.demo.url + path);
    const links = await page.locator("nav a, main a[href^='/']").evaluateAll((all) =>
      all.filter((link) => !link.hasAttribute("download")).map((link) => new URL(link.href)).map(({ pathname, search }) => [pathname, search]));
    for (const [next, query] of links) {
      const isFile = next.startsWith("/api/") || next.endsWith(".csv") || query.includes("csv=");
      if (!isFile && !found.has(kindOf(next))) found.set(kindOf(next), next + query);
    }
  }
  return [...found.values(), ...MORE];
}

async function checkPage(page, path, status) {
  const answer = await page.goto(stage.demo.url + path);
  assert.equal(answer.status(), status, path);
  assert.equal(await page.locator("h1:visible").count(), 1, `${path}: one title`);
  await fit(page, path.replace(/[^a-z]+/gi, "-"));
}

for (const looked of LOOKS) {
  test(`every page: ${looked.width} px, ${looked.colorScheme}`, async () => {
    const page = await stage.signedIn(looked);
    const pages = await crawl(page);
    assert.ok(pages.length > 40, `${pages}`);
    for (const path of pages) await checkPage(page, path, 200);
    await checkPage(page, "/eventos/01990000-0000-7000-8000-00000000ffff", 404);
  });

  test(`every page without a session: ${looked.width} px, ${looked.colorScheme}`, async () => {
    const page = await stage.page(looked);
    for (const [path, status] of PUBLIC) await checkPage(page, path, status);
  });
}
