// The pages of skills, configuration, knowledge, e-mail drafts, connections, videos and passwords.
import assert from "node:assert/strict";
import { test } from "node:test";

import { LOOKS, fit, open } from "./stage.mjs";

const stage = open();

const PAGES = {
  skills: "/skills",
  skill: "/skills/legenda-instagram",
  "skill-diff": "/skills/legenda-instagram?de=1&versao=2",
  "skill-editor": "/skills/legenda-instagram/editar",
  "new-skill": "/nova-skill",
  knowledge: "/conhecimento?pergunta=fermento+natural",
  documents: "/conhecimento/documentos",
  configuration: "/configuracao",
  setting: "/configuracao/valor?chave=editoria.canais&de=1&versao=2",
  brand: "/configuracao/marca",
  "setting-editor": "/configuracao/editar?chave=editoria.canais",
  emails: "/emails",
  email: "/emails/boas-vindas",
  "email-html": "/emails/boas-vindas?aba=html",
  "email-replace": "/emails/boas-vindas?aba=trocar&busca=style",
  "new-email": "/novo-email",
  connections: "/conexoes",
  publications: "/publicacoes",
  publish: "/publicar",
  videos: "/videos",
  "new-video": "/novo-video",
  passwords: "/senhas",
};

test("each page fits the screen and has no violation, in every look", async () => {
  for (const look of LOOKS) {
    const page = await stage.signedIn(look);
    for (const [name, path] of Object.entries(PAGES)) {
      const answer = await page.goto(stage.demo.url + path);
      assert.equal(answer.status(), 200, name);
      await fit(page, name);
    }
    await page.context().close();
  }
});

test("a skill that another person published first shows both versions, and keeps the typed text", async () => {
  const page = await stage.signedIn({ width: 1280 });
  await page.goto(`${stage.demo.url}/skills/glossario-da-casa/editar`);
  // Without input, the page would reload and show the other version at once.
  await page.fill("[name=conteudo]", "# Eu escrevi isto");
  const other = { name: "glossario-da-casa", description: "Outra", content: "# Outra pessoa\n" };
  await stage.demo.call("POST", "/api/skills", other);
  await page.click("main button[type=submit]");
  await page.waitForSelector("#salva");
  assert.equal(await page.inputValue("[name=conteudo]"), "# Eu escrevi isto");
  await fit(page, "conflict");
  await page.click(".versions button[type=submit]");
  await page.waitForSelector("#versoes");
  assert.match(await page.textContent("main pre"), /Eu escrevi isto/);
  await page.context().close();
});

test("a password is shown for 30 seconds", async () => {
  const page = await stage.signedIn({ width: 360 });
  await stage.demo.call("PUT", "/api/plataformas/hotmart/senha", { senha: "c0zinha-9-fogo" });
  await page.clock.install();
  await page.goto(`${stage.demo.url}/senhas`);
  assert.doesNotMatch(await page.content(), /c0zinha/);
  await page.click("text=Mostrar por 30 segundos");
  await page.waitForSelector(".secret");
  await page.waitForLoadState(); // the script starts the 30 seconds
  await fit(page, "password");
  await page.clock.fastForward(31_000);
  assert.doesNotMatch(await page.content(), /c0zinha/);
  await fit(page, "password-hidden");
  await page.context().close();
});

test("no script of a draft runs in its preview", async () => {
  const page = await stage.signedIn({ width: 1280 });
  const html = "<p id=texto>Olá</p><script>document.title = 'rodou'; parent.document.title = 'rodou'</script>";
  await stage.demo.call("PUT", "/api/email-drafts/perigoso", { html, expected_updated_at: null });
  await page.goto(`${stage.demo.url}/emails/perigoso`);
  const frame = page.frameLocator("iframe.preview");
  await frame.locator("#texto").waitFor();
  assert.doesNotMatch(await page.title(), /rodou/);
  await page.context().close();
  // The browser reports the blocked script, as this test expects.
  stage.faults.length = 0;
});

test("the e-mail beside its HTML follows the typed text", async () => {
  const page = await stage.signedIn();
  await page.goto(`${stage.demo.url}/emails/boas-vindas?aba=html`);
  const frame = page.frameLocator("iframe[name=como-fica]");
  await frame.locator("body").waitFor();
  await page.locator("[name=html]").fill("<p>Escrito agora</p><img src='https://elsewhere.test/a.png' alt='fora'>");
  await frame.getByText("Escrito agora").waitFor();
  await fit(page, "email-beside");
  await page.context().close();
  // The frame's policy blocks the image and the script of the test; the browser reports both.
  stage.faults = stage.faults.filter((fault) => !/elsewhere\.test|Blocked script execution/.test(fault));
});

test("without JavaScript a button shows the e-mail beside its HTML", async () => {
  const page = await stage.signedIn({ javaScriptEnabled: false });
  await page.goto(`${stage.demo.url}/emails/boas-vindas?aba=html`);
  await page.locator("[name=html]").fill("<p>Sem script</p>");
  await page.getByRole("button", { name: "Ver como fica" }).click();
  await page.frameLocator("iframe[name=como-fica]").getByText("Sem script").waitFor();
  assert.equal(await page.locator("[name=html]").inputValue(), "<p>Sem script</p>");
  await page.context().close();
  stage.faults = stage.faults.filter((fault) => !fault.includes("Blocked script execution"));
});

test("the cards beside the form of the brand follow its fields", async () => {
  const page = await stage.signedIn({ width: 360 });
  await page.goto(`${stage.demo.url}/configuracao/marca`);
  await page.getByLabel("Nome", { exact: true }).fill("Cozinha do bairro");
  await page.getByText("Os cards acompanham o formulário.").waitFor();
  await page.getByRole("button", { name: "+ Cor" }).click();
  const drawn = page.waitForResponse((answer) => answer.url().includes("2B1A12"));
  await page.getByLabel("Cor 3").fill("#2b1a12");
  assert.equal((await drawn).status(), 200);
  assert.equal(await page.getByLabel("Nome", { exact: true }).inputValue(), "Cozinha do bairro");
  await fit(page, "brand-typed");
  await page.getByRole("button", { name: "Publicar a marca" }).last().click();
  await page.getByText("Configuração publicada.").first().waitFor();
  assert.equal(await page.locator("[name=cor]").count(), 3);
  await page.context().close();
});

const file = (name, text) => ({ name, mimeType: "text/markdown", buffer: Buffer.from(text) });

test("several documents are sent at once, each with its progress, and a refused one says why", async () => {
  for (const width of [360, 1280]) {
    const page = await stage.signedIn({ width });
    await page.goto(`${stage.demo.url}/conhecimento/documentos`);
    await page.getByText("Acrescentar documentos").click();
    const files = [file(`guia-${width}.md`, `# Guia de ${width}\n\nSem gíria.`), file("tabela.csv", "a,b"), file(`notas-${width}.txt`, `Tamarindo ${width}.`)];
    await page.locator("form[data-upload] [type=file][multiple]").setInputFiles(files); // the script sets `multiple`
    await page.getByLabel("Etiquetas").first().fill(`turma ${width}`);
    await fit(page, `documents-chosen-${width}`);
    // Holds back the first response, so that the progress bar stays visible.
    let answer;
    const waits = new Promise((resolve) => (answer = resolve));
    await page.route("**/conhecimento/documentos", async (route) => {
      await waits;
      return route.continue();
    }, { times: 1 });
    await page.getByRole("button", { name: "Enviar 3 arquivos" }).click();
    await page.locator("[data-files] progress:visible").waitFor();
    await fit(page, `documents-sending-${width}`);
    answer();
    await page.getByText("2 de 3 arquivos enviados. O outro continua na lista.").waitFor();
    await page.locator("[data-files] .wrong", { hasText: "não tem um formato aceito" }).waitFor();
    await page.getByRole("heading", { name: `Guia de ${width}` }).waitFor();
    await page.locator(".card", { hasText: `notas-${width}.txt` }).getByText(`turma ${width}`).waitFor();
    // The browser reports the refusal as a failed request.
    stage.faults = stage.faults.filter((fault) => !fault.includes("415"));
    await fit(page, `documents-sent-${width}`);
    await page.context().close();
  }
});

test("a document is dropped on the page, replaced by a newer file and removed", async () => {
  const page = await stage.signedIn();
  await page.goto(`${stage.demo.url}/conhecimento/documentos`);
  const drop = async (selector, name, text) => {
    const carried = await page.evaluateHandle(([name, text]) => {
      const carried = new DataTransfer();
      carried.items.add(new File([text], name, { type: "text/markdown" }));
      return carried;
    }, [name, text]);
    await page.locator(selector).first().dispatchEvent("dragover", { dataTransfer: carried });
    await page.locator(selector).first().dispatchEvent("drop", { dataTransfer: carried });
  };
  await drop("h1", "solto.md", "# Solto\n\nUma linha.");
  await page.getByRole("button", { name: "Enviar arquivo" }).click();
  await page.getByText("Documento acrescentado.").first().waitFor();
  const card = page.locator(".card", { hasText: "solto.md" });
  await card.getByText("Trocar ou tirar").click();
  await drop(".card:has-text('solto.md') form[data-upload]", "solto-2.md", "# Solto de novo\n\nDuas linhas.");
  await fit(page, "document-replacing");
  await card.getByRole("button", { name: "Trocar", exact: true }).click();
  await page.getByText("Documento trocado.").first().waitFor();
  const newer = page.locator(".card", { hasText: "solto-2.md" });
  await newer.getByRole("heading", { name: "Solto de novo" }).waitFor();
  if (!(await newer.getByRole("button", { name: "Tirar da base" }).isVisible())) await newer.getByText("Trocar ou tirar").click();
  await fit(page, "document-removing");
  await newer.getByRole("button", { name: "Tirar da base" }).click();
  await page.getByText("Documento tirado da base.").first().waitFor();
  assert.equal(await page.getByText("solto-2.md").count(), 0);
  await page.context().close();
});

test("without JavaScript a document is sent by the form", async () => {
  const page = await stage.signedIn({ javaScriptEnabled: false });
  await page.goto(`${stage.demo.url}/conhecimento/documentos`);
  await page.getByText("Acrescentar documentos").click();
  await page.locator("form[data-upload] [type=file]").first().setInputFiles(file("sem-script.md", "# Sem script\n\nCoalhada."));
  await page.getByRole("button", { name: "Enviar arquivo" }).click();
  await page.getByRole("heading", { name: "Sem script" }).waitFor();
  await page.context().close();
});
