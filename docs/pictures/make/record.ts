import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { folder } from "./pictures.ts";

const esc = "\u001b";
const prompt = `${esc}[32m$${esc}[39m`;
const root = join(folder, "../..");
const environment = { ...process.env, COLUMNS: "104", FORCE_COLOR: "1" };

/**
 * Records what a terminal shows of `npm start` in the middle of its work, and of `ccscale explain` about a job that asks for too
 * much. `script` (util-linux) gives the programs a terminal to write to.
 */
export async function recordAll(): Promise<void> {
  const start = runInTerminal("npm start");
  try {
    await start.shows("Still serving");
    const frame = middleOf(framesOf(start.text()));
    save("start.terminal", "npm start", [`${prompt} npm start`, "…", ...frame.split("\n")]);
    await printed(
      `echo '[{"name": "1203", "constraints": {"ncpus": 16}, "nodeCount": 20}]' | npm run -s ccscale -- push --source me --local`,
    );
    const explain = "npm run -s ccscale -- explain 1203 --local";
    let explanation = await printed(explain);
    for (let tries = 0; tries < 60 && !explanation.includes("newest plan gave it"); tries++) {
      await sleep(1_000);
      explanation = await printed(explain);
    }
    save("explain.terminal", "ccscale explain", [
      `${prompt} ccscale explain 1203`,
      ...explanation.trimEnd().split("\n"),
    ]);
  } finally {
    start.stop();
  }
}

function runInTerminal(command: string) {
  const child = spawn("script", ["-qefc", `stty cols 104 rows 60; ${command}`, "/dev/null"], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = new Promise<void>((done) => child.once("close", () => done()));
  return {
    ended,
    text: () => text.replaceAll("\r\n", "\n"),
    shows: async (words: string) => {
      while (!text.includes(words)) {
        if (child.exitCode !== null)
          throw new Error(`Cannot record "${command}": it ended before it showed "${words}"`);
        await sleep(200);
      }
    },
    stop: () => child.kill("SIGINT"),
  };
}

async function printed(command: string): Promise<string> {
  const run = runInTerminal(command);
  await run.ended;
  return run.text();
}

/** Moves of the cursor, and what clears lines. */
const wipes = new RegExp(`${esc}\\[\\d*[A-GJK]`, "g");

/** What `--watch` and `npm start` draw again and again, each without what wipes the one before. */
function framesOf(text: string): readonly string[] {
  return text
    .split(`${esc}[?2026h`)
    .slice(1)
    .map((part) => (part.split(`${esc}[?2026l`)[0] ?? "").replaceAll(wipes, ""));
}

/** One in which tasks are done, others run, and nodes boot; else one with tasks done. */
function middleOf(frames: readonly string[]): string {
  const busy = frames.filter((frame) => /\b[1-9]\d*\/\d+ done, [1-9]\d* running/.test(frame));
  const booting = busy.filter((frame) => /Acquiring|Preparing/.test(frame));
  const frame = booting.at(-1) ?? busy.at(0) ?? frames[Math.floor(frames.length / 3)];
  if (frame === undefined) throw new Error("Cannot record npm start: it drew nothing");
  return frame;
}

function save(file: string, title: string, lines: readonly string[]): void {
  writeFileSync(
    join(folder, file),
    `${[title, ...lines.map((line) => line.trimEnd())].join("\n").trimEnd()}\n`,
  );
}
