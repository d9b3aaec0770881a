import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runDemo } from "../../../infra/local/demo/demo.ts";
import { parseWorkload } from "../../../infra/local/scheduler/workload.ts";
import { localConfig } from "../../../infra/local/start/local-config.ts";
import { type LocalStack, startStack } from "../../support/local-stack.ts";
import { openSession, type Session } from "./stack/session.ts";

// docs/lab.md as an operator follows it, on the environment of "npm start -- --example lab".

const root = join(import.meta.dirname, "../../..");
const example = (name: string) => readFile(join(root, "examples/lab", name), "utf8");
const speed = 60;
/** More than a look at the service, less than anything that an exercise waits for. */
const betweenMs = 250;
/** For a line of the page to appear: the longest wait of an exercise is that for a silent source. */
const patienceMs = 240_000;

const page = await readFile(join(root, "docs/lab.md"), "utf8");
const stopping = new AbortController();
let stack: LocalStack;
let session: Session;
let demo: ReturnType<typeof runDemo>;

beforeAll(async () => {
  const own = JSON.parse(await example("autoscale.json"));
  // The heartbeat of the scheduler comes every 20 s; a minute of waiting for silence is one that a test need not take.
  const config = { ...localConfig(speed, own), demand_ttl: 30 };
  stack = await startStack({
    clusterFile: join(root, "examples/lab/cluster.json"),
    cluster: "lab",
    config,
    speed,
  });
  session = openSession(stack, []);
  demo = runDemo({
    environment: stack.environment,
    jobs: parseWorkload(await example("jobs.json")),
    speed,
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

/** Without what differs from one run to the next: lengths of time, moments, ids, the width of columns, indices of tasks. */
function plain(text: string): string {
  return text
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

async function type({ line, shown }: Typed): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  let output = await session.ccscale(line);
  while (!isShown(output, shown) && looks.test(line) && Date.now() < giveUpAt) {
    await sleep(betweenMs);
    output = await session.ccscale(line);
  }
  if (!isShown(output, shown)) expect(output).toBe(shown.join("\n"));
  const isUndone = line.startsWith("lab check") && output.includes("is not resolved");
  expect(output.includes("[exit code 1]")).toBe(isUndone || line.startsWith("explain ex3"));
}

const sections = page.split(/^### /m).slice(1);

describe("the exercises of docs/lab.md", () => {
  test.each(sections.map((section) => [section.split("\n", 1)[0] ?? "", section] as const))(
    "%s",
    async (_, section) => {
      const typed = typedIn(section);
      expect(typed.length).toBeGreaterThan(4);
      expect(typed[0]?.line).toMatch(/^lab exercise \d$/);
      expect(typed.at(-1)?.shown.at(-1)).toMatch(/^Exercise \d is resolved\./);
      for (const each of typed) await type(each);
    },
    400_000,
  );

  test("an exercise that is solved by the configuration says how to take that back", async () => {
    const output = await session.ccscale("lab exercise 4");
    expect(output).toContain("Exercise 4 would show nothing: spot.max_runtime is 60");
    expect(output).toContain("ccscale config unset spot.max_runtime");
  });

  test("a reset leaves nothing broken", async () => {
    await session.ccscale("lab reset");
    await type({ line: "lab status", shown: ["Nothing: all is as it was when the environment started."] });
  });
});
