// What a person does beside typing a command: answering questions in a terminal, and opening a page.
import { spawn } from "node:child_process";

/** Types into a terminal: each text when its question is there. */
export function typed(command, steps, { cwd, env }) {
  const child = spawn("script", ["-qefc", command, "/dev/null"], { cwd, env: { ...env, TERM: "dumb" } });
  return new Promise((resolve, reject) => {
    let [text, seen] = ["", 0];
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const [question, answer] = steps[0] ?? [];
      const at = question === undefined ? -1 : text.indexOf(question, seen);
      if (at < 0) return;
      steps.shift();
      seen = text.length;
      child.stdin.write(`${answer}\r`);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ text, code }));
  });
}

/** Runs the script of a page over what it needs of a browser. */
export async function opened(link) {
  const [address, hash] = link.split("#");
  const html = await (await fetch(address)).text();
  const elements = {};
  const addEventListener = (_, listener) => (elements.submit = listener);
  const isHidden = (id) => new RegExp(`id="${id}"[^>]*hidden`).test(html);
  const element = (id) => (elements[id] ??= { hidden: isHidden(id), addEventListener });
  const document = { getElementById: element, querySelector: element };
  const at = new URL(address);
  const location = { hash: `#${hash}`, href: link, pathname: at.pathname };
  const asked = [];
  const send = (where, init) => {
    const answer = fetch(new URL(where, address), init);
    asked.push(answer);
    return answer;
  };
  const [, script] = /<script>([^]*)<\/script>/.exec(html);
  new Function("document", "location", "history", "fetch", script)(document, location, { replaceState() {} }, send);
  return { elements, element, settled: () => Promise.all(asked) };
}
