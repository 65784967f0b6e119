// The panels of results: sales, launches and subscriptions, on screens and on paper.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const stage = open();
const LAUNCH = "/lancamentos/01990000-0000-7000-8000-000000000041";

for (const look of LOOKS) {
  test(`dashboards begin with their verdict, ${look.width} ${look.colorScheme}`, async () => {
    const page = await stage.signedIn(look, LAUNCH);
    await page.getByText(/^(No ritmo de agora|Meta batida)/).waitFor();
    await page.getByText(/No mesmo dia do lançamento anterior/).waitFor();
    await page.getByText(/A maior perda é no 1º passo: 420 sessões viram \d+ contatos/).waitFor();
    assert.equal(await page.locator(".curve svg .before").count(), 1);
    await fit(page, "launch");
    await page.goto(`${stage.demo.url}${LAUNCH}/painel`);
    await page.getByLabel("Meta de receita").waitFor();
    await fit(page, "launch-form");
    await page.goto(`${stage.demo.url}/lancamentos/novo`);
    await page.getByLabel("Projeto").waitFor();
    await fit(page, "launch-new");
    for (const [path, name] of [["/lancamentos", "launches"], ["/vendas", "sales"], ["/assinaturas", "subscriptions"]]) {
      await page.goto(stage.demo.url + path);
      await page.locator(".verdict .sentence").first().waitFor();
      await fit(page, name);
    }
  });
}

test("a goal can be changed in the form, even without a script", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await stage.signedIn({ javaScriptEnabled }, `${LAUNCH}/painel`);
    await page.getByLabel("Meta de receita").fill(javaScriptEnabled ? "71.000" : "72.000,00");
    await page.getByRole("button", { name: "Salvar" }).click();
    await page.getByText(javaScriptEnabled ? "R$ 71.000,00" : "R$ 72.000,00").first().waitFor();
  }
});

test("on paper a dashboard keeps its bars and has no elements to click", async () => {
  const page = await stage.signedIn({ colorScheme: "dark" }, LAUNCH);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  for (const shown of [".on-paper", ".verdict", ".curve svg", ".goal", ".goal rect.bar", ".funnel svg", ".funnel rect.bar"]) {
    assert.ok(await page.locator(shown).first().isVisible(), shown);
  }
  for (const hidden of [".bar", "form.period", "[download]", "nav", ".crumbs"]) {
    assert.ok(!(await page.locator(`${hidden}:not(svg *)`).first().isVisible()), hidden);
  }
  const bar = await page.locator("rect.bar").first().evaluate((bar) => {
    const { fill, printColorAdjust } = getComputedStyle(bar);
    return [fill, printColorAdjust];
  });
  assert.deepEqual(bar, ["rgb(143, 45, 30)", "exact"]);
  if (process.env.SHOTS) {
    await page.pdf({ path: `${process.env.SHOTS}/launch.pdf`, preferCSSPageSize: true });
    for (const [path, name] of [["/vendas", "sales"], ["/agenda", "agenda"]]) {
      await page.goto(stage.demo.url + path);
      await page.pdf({ path: `${process.env.SHOTS}/${name}.pdf`, preferCSSPageSize: true });
    }
  }
});
