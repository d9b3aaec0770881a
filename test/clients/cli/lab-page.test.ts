import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runDemo } from "../../../infra/local/demo/demo.ts";
import { parseWorkload } from "../../../infra/local/scheduler/workload.ts";
import { localConfig } from "../../../infra/local/start/local-config.ts";
import { some } from "../../support/cases.ts";
import { type LocalStack, startStack } from "../../support/local-stack.ts";
import { openSession, type Session } from "./stack/session.ts";

// docs/lab.md as an operator follows it, on the environment of "npm start -- --example lab".

const root = join(import.meta.dirname, "../../..");
const example = (name: string) => readFile(join(root, "examples/lab", name), "utf8");
const speed = 60;
/** More than a look at the service, less than anything that an exercise waits for. */
const betweenMs = 1_000;
/** In real seconds: holds and silences that an operator sits through, and a test need not. All are shorter than `quietMs`. */
const short = { demand_ttl: 8, boot_failure_backoff: 10, capacity_failure_backoff: 5 };
const heartbeatSeconds = 2;
/** In simulated seconds; boots differ: nodes of one request do not all fail in one snapshot. */
const times = {
  boot: { minSeconds: 45, medianSeconds: 60, maxSeconds: 90 },
  terminate: { minSeconds: 20, medianSeconds: 30, maxSeconds: 40 },
};
/** No node and no task has changed for so long: a line that is not shown by now never comes. */
const quietMs = 90_000;
/** Where nodes come and go without end. */
const endlessMs = 240_000;

const page = await readFile(join(root, "docs/lab.md"), "utf8");
const stopping = new AbortController();
let stack: LocalStack;
let session: Session;
let demo: ReturnType<typeof runDemo>;

beforeAll(async () => {
  const own = JSON.parse(await example("autoscale.json"));
  const config = { ...localConfig(speed, own), ...short };
  const definition = { ...JSON.parse(await example("cluster.json")), times };
  stack = await startStack({ definition, config, speed });
  session = openSession(stack, []);
  demo = runDemo({
    environment: stack.environment,
    jobs: parseWorkload(await example("jobs.json")),
    speed,
    heartbeatSeconds,
    timeoutSeconds: Number.POSITIVE_INFINITY,
    mayLoseNodes: true,
    goesOn: true,
    onFrame: () => {},
    signal: stopping.signal,
  });
}, 400_000);

afterAll(async () => {
  stopping.abort();
  await (await demo)?.stop();
  await stack?.stop();
});

interface Typed {
  readonly line: string;
  /** Lines that must be printed, in this order. */
  readonly shown: readonly string[];
}

/** What a section types, with what it shows. */
function typedIn(section: string): readonly Typed[] {
  const typed: { line: string; shown: string[] }[] = [];
  for (const [, block = ""] of section.matchAll(/^```\n(.*?)^```$/gms))
    for (const text of block.trimEnd().split("\n")) {
      const line = /^\$ ccscale (.*)$/.exec(text)?.[1];
      if (line !== undefined) typed.push({ line, shown: [] });
      else if (text !== "…") typed.at(-1)?.shown.push(text);
    }
  return typed;
}

/** Without what differs from one run to the next: lengths of time, moments, how many nodes one snapshot found lost or failed. */
function plain(text: string): string {
  return text
    .replace(/\bnode-(lost|failed) .* - +(?=\S+ (of|nodes|failed)\b)/, "")
    .replace(/\S+( nodes)?( of \S+ \(\S+\))? (was lost|were lost|failed): (\w+)/, "NODES$2 $3: $4")
    .replace(/\bwas lost: SpotEvicted.*/, "were lost: SpotEvicted.")
    .replaceAll(/\b\d+ of \d+ boots\b/g, "N of N boots")
    .replaceAll(/\b20\d\d-\d\d-\d\dT\S+Z\b/g, "MOMENT")
    .replaceAll(/\b(?:\d+[dhms])+\b/g, "TIME")
    .replaceAll(/\[\d+\]/g, "[N]")
    .replaceAll(/\bhtc-spot-\d+/g, "htc-spot-N")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Whether all lines are there, one after the other. */
function isShown(output: string, lines: readonly string[]): boolean {
  const printed = output.split("\n").map(plain);
  let from = 0;
  return lines.every((line) => {
    const wanted = plain(line);
    const at = printed.findIndex((each, index) => index >= from && each.includes(wanted));
    from = at + 1;
    return at >= 0;
  });
}

/** Only looks: it may be typed again until it shows what the page has. */
const looks = /^(lab (check|queue|status)|status|explain|nodes|jobs|limits|buckets|events)\b/;

/** What changes while something is still on its way. */
async function seen(): Promise<string> {
  const { nodes, demand } = await stack.readStatus();
  const sources = demand.map(({ source, expired }) => [source, expired]);
  return JSON.stringify([nodes, sources, await session.ccscale("lab queue")]);
}

async function type({ line, shown }: Typed): Promise<void> {
  const giveUpAt = Date.now() + endlessMs;
  let output = await session.ccscale(line);
  let before = "";
  let movedAt = Date.now();
  while (!isShown(output, shown) && looks.test(line)) {
    const now = await seen();
    if (now !== before) movedAt = Date.now();
    before = now;
    if (Date.now() - movedAt > quietMs || Date.now() > giveUpAt) break;
    await sleep(betweenMs);
    output = await session.ccscale(line);
  }
  if (!isShown(output, shown)) expect(output).toBe(shown.join("\n"));
  const isUndone = line.startsWith("lab check") && output.includes("is not resolved");
  expect(output.includes("[exit code 1]")).toBe(isUndone || line.startsWith("explain ex3"));
}

const sections = page.split(/^### /m).slice(1);

describe("the exercises of docs/lab.md", () => {
  test.each(some(sections).map((section) => [section.split("\n", 1)[0] ?? "", section] as const))(
    "%s",
    async (_, section) => {
      const typed = typedIn(section);
      expect(typed.length).toBeGreaterThan(4);
      expect(typed[0]?.line).toMatch(/^lab exercise \d$/);
      expect(typed.at(-1)?.shown.at(-1)).toMatch(/^Exercise \d is resolved\./);
      for (const each of typed) await type(each);
    },
    240_000,
  );

  test("an exercise that is solved by the configuration says how to take that back", async () => {
    await session.ccscale("config set spot.max_runtime 60 --yes");
    const output = await session.ccscale("lab exercise 4");
    expect(output).toContain("Exercise 4 would show nothing: spot.max_runtime is 60");
    expect(output).toContain("ccscale config unset spot.max_runtime");
  });

  test("a reset leaves nothing broken", async () => {
    await session.ccscale("lab reset");
    await type({ line: "lab status", shown: ["Nothing: all is as it was when the environment started."] });
  });
});
