// Starts a service without the data of the demo, for tests of a new team and of outages.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { BINARY } from "./stage.mjs";

/** Creates a folder; `run` and `serve` run the binary in it with these settings. */
export function folder(settings = {}) {
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), "pauta-service-"));
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("PAUTA"));
  const env = { ...Object.fromEntries(own), PAUTA_LISTEN: "127.0.0.1:0", ...settings };
  const remove = () => fs.rmSync(cwd, { recursive: true, force: true });
  const start = (...words) => spawn(BINARY, words, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });

  /** Runs a command with this standard input and asserts that it succeeds. */
  async function run(input, ...words) {
    const child = start(...words);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    child.stdin.end(input);
    const [status] = await once(child, "close");
    assert.equal(status, 0, `pauta ${words.join(" ")}:\n${said}`);
  }

  /** Starts the service and waits until its output matches; returns the match, and `stop`, which ends the service. */
  async function serve(pattern) {
    const child = start("serve");
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    let match;
    for (const began = Date.now(); !match; await pause(50)) {
      assert.ok(child.exitCode === null && Date.now() - began < 60_000, `the service was not ready:\n${said}`);
      match = said.match(pattern);
    }
    const stop = async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "close");
    };
    return { match, stop };
  }
  return { run, serve, remove };
}
