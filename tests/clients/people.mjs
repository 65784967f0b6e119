// Answers the questions of a command in a terminal, as a person does.
import { spawn } from "node:child_process";

/** Runs a command in a terminal; types each answer when its question appears. Returns the output and exit code. */
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
