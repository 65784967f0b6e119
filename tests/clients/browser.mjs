// A browser of a demo member: it keeps cookies, signs in, and allows clients.
import assert from "node:assert/strict";

const [PERSON, PASSWORD] = ["sofia.campos@demo.pauta.test", "goiabada-com-queijo-1987"];
export const EMAIL = PERSON;

const decodeEntities = (text) => text.replaceAll("&#x2f;", "/").replaceAll("&amp;", "&");
const signedRequest = (page) => decodeEntities(/name="pedido" value="([^"]*)"/.exec(page.text)[1]);

export class Browser {
  #base;
  #cookies = new Map();

  constructor(base) {
    this.#base = base;
  }

  /** Sends a GET request, or a form if there are fields. Does not follow redirects. */
  async visit(url, fields) {
    const headers = { cookie: [...this.#cookies].map((pair) => pair.join("=")).join("; ") };
    const body = fields && new URLSearchParams(fields);
    if (body) headers.origin = new URL(this.#base).origin;
    const response = await fetch(url, { method: body ? "POST" : "GET", headers, body, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      this.#cookies.set(name, value);
    }
    return { status: response.status, location: response.headers.get("location"), text: await response.text() };
  }

  /** Signs in at an authorization URL and allows the client; returns the redirect URL with the code. */
  async allows(url, name) {
    const entrance = await this.visit(url);
    assert.equal(entrance.status, 200, entrance.text);
    const entered = await this.visit(new URL("/authorize/entrar", this.#base), {
      pedido: signedRequest(entrance), email: PERSON, password: PASSWORD,
    });
    assert.equal(entered.status, 303, entered.text);
    const page = await this.visit(entered.location);
    assert.ok(page.text.includes(`Permitir “${name}”`), page.text);
    const fields = [["pedido", signedRequest(page)], ["decisao", "permitir"], ["dias", "7"]];
    for (const [, tag] of page.text.matchAll(/<input ([^>]* checked)>/g)) {
      fields.push([/name="([^"]*)"/.exec(tag)[1], /value="([^"]*)"/.exec(tag)[1]]);
    }
    const sent = await this.visit(new URL("/authorize", this.#base), fields);
    assert.equal(sent.status, 302, sent.text);
    return new URL(sent.location);
  }
}
