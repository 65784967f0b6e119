// The pages on which a person signs in and allows an agent, changes a password, or sets one with an invitation.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { after, before, test } from "node:test";
import { fit, LOOKS, open } from "./stage.mjs";

const [PASSWORD, BETTER] = ["rapadura-com-coalho-52", "canjica-com-amendoim-73"];
const stage = open();

/** The redirect target of the client, on the loopback interface. */
const client = http.createServer((_, response) => response.end("ok"));
let callback;
before(async () => {
  await once(client.listen(0, "127.0.0.1"), "listening");
  callback = `http://127.0.0.1:${client.address().port}/callback`;
});
after(() => client.close());

/** Registers a client; returns the URL of its authorization request. */
async function authorizationUrl(clientName) {
  const { url } = stage.demo;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ client_name: clientName, redirect_uris: [callback] });
  const registered = await fetch(`${url}/register`, { method: "POST", headers, body });
  const { client_id } = await registered.json();
  const asked = new URLSearchParams({
    response_type: "code", client_id, redirect_uri: callback, state: "estado-1", resource: `${url}/api/mcp`,
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256",
  });
  return `${url}/authorize?${asked}`;
}

/** Invites a person with access to the API; returns their e-mail and the invitation link. */
async function invitePerson() {
  const email = `lia.${randomUUID().slice(0, 8)}@demo.pauta.test`;
  const invitation = { name: "Lia Marques", email, access_level: "lider" };
  const { convite_url: link, membro } = await stage.demo.call("POST", "/api/membros", invitation);
  await stage.demo.call("PATCH", `/api/access/members/${membro.id}`, { api_access_level: "lider" });
  return { email, link };
}

async function fill(page, fields) {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
}

for (const look of LOOKS) {
  test(`an invited person allows an agent: ${look.width} px, ${look.colorScheme}`, async () => {
    const { email, link } = await invitePerson();
    const page = await stage.page(look);
    await page.goto(await authorizationUrl("Assistente de pauta com um nome comprido demais para uma linha só"));
    await page.getByRole("heading", { name: "Entre para continuar" }).waitFor();
    await fit(page, "sign-in");
    await fill(page, { "E-mail": email, Senha: "errada" });
    await page.getByRole("button", { name: "Entrar" }).click();
    await page.getByText("E-mail ou senha incorretos.").waitFor();
    await fit(page, "sign-in-wrong");

    await page.getByRole("link", { name: "defina a senha com o link dele" }).click();
    await page.getByRole("heading", { name: "Definir a senha" }).waitFor();
    await fit(page, "pasted-invitation");
    await fill(page, { "Link do convite": link, "Senha nova": PASSWORD, "Senha nova, outra vez": BETTER });
    await page.getByRole("button", { name: "Definir senha" }).click();
    await page.getByText("As duas senhas novas são diferentes.").waitFor();
    await fill(page, { "Link do convite": link, "Senha nova": PASSWORD, "Senha nova, outra vez": PASSWORD });
    await page.getByRole("button", { name: "Definir senha" }).click();
    await page.getByRole("heading", { name: /^Permitir/ }).waitFor();
    await fit(page, "consent");
    const list = (level) => page.getByText(new RegExp(`^Ver as \\d+ permissões de “${level}”$`));
    const box = (name, value) => page.locator(`[name=${name}][value=${value}]`);
    await box("nivel", "lider").check();
    assert.equal(await list("Ler e criar").isVisible(), false);
    await list("Ler, criar e coordenar").click();
    assert.equal(await box("lider", "approve").isChecked(), true);
    assert.equal(await box("capacidades", "publish").isChecked(), false);
    await fit(page, "consent-coordinating");
    await box("nivel", "criador").check();
    for (const hidden of [box("lider", "approve"), box("capacidades", "publish")]) {
      assert.equal(await hidden.isVisible(), false);
    }
    await list("Ler e criar").click();
    await fit(page, "consent-open");

    await page.getByRole("link", { name: "Entre com outra conta" }).click();
    await page.getByRole("link", { name: "Trocar a senha" }).click();
    await page.getByRole("heading", { name: "Trocar a senha" }).waitFor();
    await fit(page, "password");
    await fill(page, { "E-mail": email, "Senha atual": "errada", "Senha nova": BETTER, "Senha nova, outra vez": BETTER });
    await page.getByRole("button", { name: "Trocar senha" }).click();
    await page.getByText("E-mail ou senha incorretos.").waitFor();
    await fit(page, "password-wrong");
    await fill(page, { "Senha atual": PASSWORD, "Senha nova": BETTER, "Senha nova, outra vez": BETTER });
    await page.getByRole("button", { name: "Trocar senha" }).click();
    await page.getByRole("heading", { name: /^Permitir/ }).waitFor();

    await page.getByRole("button", { name: "Não permitir" }).click();
    await page.waitForURL(`${callback}*`);
    const told = new URL(page.url()).searchParams;
    assert.deepEqual([told.get("error"), told.get("state")], ["access_denied", "estado-1"]);
    stage.faults = stage.faults.filter((fault) => fault !== `asked ${new URL(callback).origin}`);

    await page.goto(`${stage.demo.url}/authorize?client_id=desconhecido`);
    await page.getByRole("heading", { name: "Não dá para continuar" }).waitFor();
    await fit(page, "refused");
  });
}
