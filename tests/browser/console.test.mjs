// The web console: every page fits a phone and a desk, in light and dark, and has no fault that axe finds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, open } from "./stage.mjs";

const stage = open();
const LOOKS = [
  { width: 360, colorScheme: "dark" },
  { width: 1280, colorScheme: "light" },
];

/** The pages of the navigation, and one of each kind that they lead to. */
async function addresses(page) {
  const paths = (links) => links.map((link) => new URL(link.href).pathname);
  const places = await page.locator("nav a").evaluateAll(paths);
  const found = new Map([...new Set(places)].map((path) => [path, path]));
  for (const path of [...found.keys()]) {
    await page.goto(stage.demo.url + path);
    for (const link of await page.locator("main a[href^='/']").evaluateAll(paths)) {
      const kind = link.replace(/[0-9a-f-]{36}|\/[^/]*$/, "/*");
      if (!link.startsWith("/api/") && !places.includes(link) && !found.has(kind)) found.set(kind, link);
    }
  }
  return [...found.values()];
}

for (const look of LOOKS) {
  test(`every page: ${look.width} px, ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look);
    const pages = await addresses(page);
    assert.ok(pages.length > 10, `${pages}`);
    for (const path of pages) {
      const answer = await page.goto(stage.demo.url + path);
      assert.equal(answer.status(), 200, path);
      await fit(page, path.replace(/[^a-z]+/gi, "-"));
    }
  });
}
