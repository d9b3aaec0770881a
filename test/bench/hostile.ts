/**
 * What hostile input costs: every case of `hostile/` runs in a process of its own, whose processor time and peak memory are
 * printed as it ends. `npm run bench -- hostile [--only WORDS] [--timeout 300] [--heap-mb 4096]`.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import type { Figures } from "./hostile/case.ts";
import { hostileCases } from "./hostile/index.ts";

/** `failed`: why there are no figures. */
interface Result {
  readonly seconds: number;
  readonly peakMb: number;
  readonly figures: Figures;
  readonly failed: string | null;
}

const { values } = parseArgs({
  options: {
    case: { type: "string" },
    only: { type: "string", default: "" },
    timeout: { type: "string", default: "300" },
    "heap-mb": { type: "string", default: "4096" },
  },
});
if (values.case === undefined) await runAll();
else await runOne(values.case);

async function runAll(): Promise<void> {
  for (const { name } of hostileCases.filter(({ name }) => name.includes(values.only))) {
    console.log(line(name, await inChild(name)));
  }
}

/** In the child: the figures as the last line of the output. */
async function runOne(name: string): Promise<void> {
  const found = hostileCases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`No case "${name}"`);
  const figures = await found.run();
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const peakMb = Math.round(maxRSS / 1024);
  console.log(JSON.stringify({ figures, peakMb, seconds: (userCPUTime + systemCPUTime) / 1e6 }));
}

function inChild(name: string): Promise<Result> {
  const args = [
    "--expose-gc",
    `--max-old-space-size=${values["heap-mb"]}`,
    import.meta.filename,
    "--case",
    name,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const start = performance.now();
  let output = "";
  let errors = "";
  let failed: string | null = null;
  const timer = setTimeout(() => {
    failed = `no end after ${values.timeout} s`;
    child.kill("SIGKILL");
  }, Number(values.timeout) * 1000);
  child.stdout.on("data", (text) => {
    output += text;
  });
  child.stderr.on("data", (text) => {
    errors += text;
  });
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code === 0) {
        resolve({ ...JSON.parse(output.trim().split("\n").at(-1) ?? ""), failed: null });
        return;
      }
      const seconds = (performance.now() - start) / 1000;
      const why = failed ?? /heap|memory|Invalid string length/i.exec(errors)?.[0] ?? errors.slice(-200);
      resolve({ seconds, peakMb: 0, figures: {}, failed: why });
    });
  });
}

function line(name: string, result: Result): string {
  const figures = Object.entries(result.figures).map(([key, value]) => `${key} ${value}`);
  return `${name.padEnd(45)} ${shown(result)}  ${figures.join(", ")}`;
}

function shown({ seconds, peakMb, failed }: Result): string {
  const time = `${seconds.toFixed(1).padStart(6)} s`;
  return failed === null ? `${time} ${String(peakMb).padStart(5)} MB` : `${time} FAILED (${failed})`;
}
