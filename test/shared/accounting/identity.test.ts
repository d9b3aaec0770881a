import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Amount,
  accountFor,
  type Book,
  type DayPage,
  jobKey,
  type Line,
  linesByNode,
  nothing,
  openBook,
  plus,
  type SeenJob,
  type SeenNode,
  type Sight,
  settled,
  totalOf,
} from "../../../shared/accounting/index.ts";
import { cases } from "../../support/cases.ts";

type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

const startSeconds = Date.UTC(2026, 10, 21, 22, 58) / 1_000;

const people = fc.constantFrom("ada", "ben", null);

const jobs = fc.uniqueArray(
  fc.record({ name: fc.constantFrom("1", "2", "3", "4"), user: people, account: people, queue: people }),
  { selector: ({ name }) => name, maxLength: 4 },
);

const shares = fc.array(
  fc.record({
    name: fc.constantFrom("1", "2", "3", "4", "of nobody"),
    share: fc.oneof(fc.constantFrom(0, 1, 1 / 3), fc.double({ min: 0, max: 1, noNaN: true })),
  }),
  { maxLength: 3 },
);

const nodes = fc.uniqueArray(
  fc.record({
    nodeId: fc.constantFrom("a", "b", "c", "d"),
    nodeArray: fc.constantFrom("htc", "hpc"),
    vmSize: fc.constantFrom("F2s", "F4s"),
    spot: fc.boolean(),
    usdPerHour: fc.oneof(fc.constant(null), fc.double({ min: 0, max: 40, noNaN: true })),
    use: fc.constantFrom<SeenNode["use"][]>(
      "jobs",
      "jobs",
      "boot",
      "idle",
      "drained",
      "kept",
      "failed",
      "ending",
    ),
    jobs: shares,
  }),
  { selector: ({ nodeId }) => nodeId, maxLength: 4 },
);

/** Sights with the steps between them in seconds: repeats, late ones, a minute, hours, days. */
const story = fc.array(
  fc.record({
    step: fc.oneof(
      fc.constantFrom(-90, 0, 1, 60, 60, 60, 61, 3_600, 100_000),
      fc.integer({ min: 1, max: 400 }),
      fc.double({ min: 0.0004, max: 90, noNaN: true }),
    ),
    nodes,
    jobs,
    /** The run dies before its record is written: the next one starts from the record before. */
    dies: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

function sightOf(
  takenAtSeconds: number,
  seen: { nodes: Drawn<typeof nodes>; jobs: Drawn<typeof jobs> },
): Sight {
  return {
    takenAtSeconds,
    jobs: seen.jobs.map((job): SeenJob => ({ ...job, source: "slurm", key: jobKey("slurm", job.name) })),
    nodes: seen.nodes.map(
      (node): SeenNode => ({
        ...node,
        jobs:
          node.use === "jobs"
            ? node.jobs.map(({ name, share }) => ({ key: jobKey("slurm", name), share }))
            : [],
      }),
    ),
  };
}

/** Every page ever closed, by its start: a page that is written again has to be the same. */
interface Archive {
  readonly hours: Map<number, readonly Line[]>;
  readonly days: Map<number, readonly Line[]>;
  jobs: Amount;
}

function archive(kept: Archive, { closed }: Book): void {
  for (const { fromSeconds, lines } of closed.hours) kept.hours.set(fromSeconds, lines);
  for (const { fromSeconds, lines } of closed.days) kept.days.set(fromSeconds, lines);
  kept.jobs = closed.jobs.reduce<Amount>(plus, kept.jobs);
}

/** The same in another way: the mean of what two sights show, times the time between them. */
function trapezoid(sights: readonly Sight[]): { readonly nodeMs: number; readonly usd: number } {
  let [nodeMs, usd] = [0, 0];
  for (const [index, after] of sights.entries()) {
    const before = sights[index - 1];
    if (before === undefined) continue;
    const [fromMs, toMs] = [
      Math.round(before.takenAtSeconds * 1_000),
      Math.round(after.takenAtSeconds * 1_000),
    ];
    const middleMs = Math.floor((fromMs + toMs) / 2);
    const halves = [
      ...before.nodes.map((node) => ({ node, ms: middleMs - fromMs })),
      ...after.nodes.map((node) => ({ node, ms: toMs - middleMs })),
    ];
    for (const { node, ms } of halves) {
      nodeMs += ms;
      usd += ((node.usdPerHour ?? 0) * ms) / 3_600_000;
    }
  }
  return { nodeMs, usd };
}

/** What nodes cost, by what they are and what for; without people. */
function byKind(lines: readonly Line[]): ReadonlyMap<string, readonly number[]> {
  const sums = new Map<string, readonly number[]>();
  for (const { purpose, nodeArray, vmSize, spot, nodeMs, nanoUsd, unpricedNodeMs } of lines) {
    const key = JSON.stringify([purpose, nodeArray, vmSize, spot]);
    const [ms = 0, nano = 0, unpriced = 0] = sums.get(key) ?? [];
    sums.set(key, [ms + nodeMs, nano + nanoUsd, unpriced + unpricedNodeMs]);
  }
  return new Map([...sums].filter(([, [ms, nano]]) => ms !== 0 || nano !== 0).toSorted());
}

/** So few nodes are all kept by name, and have all of the page. */
function expectNodesToAddUp(page: DayPage): void {
  const lines = linesByNode(page);
  expect(lines.filter(({ node }) => node === null)).toEqual([]);
  expect(byKind(lines)).toEqual(byKind(page.lines));
}

test("all that is told adds up to what the nodes ran and cost, by hour, by day and by job", () => {
  fc.assert(
    fc.property(story, (steps) => {
      let at = startSeconds;
      let book: Book | undefined;
      const kept: Archive = { hours: new Map(), days: new Map(), jobs: nothing };
      const counted: Sight[] = [];
      for (const step of steps) {
        at += step.step;
        const sight = sightOf(at, step);
        const next: Book = book === undefined ? openBook(sight) : accountFor(book, sight);
        if (step.dies || next === book) continue;
        counted.push(sight);
        book = next;
        archive(kept, book);
        for (const page of book.closed.days) expectNodesToAddUp(page);
      }
      if (book === undefined) return;
      book = settled(book);
      expectNodesToAddUp(book.day);
      const hours = totalOf([...[...kept.hours.values()].flat(), ...book.hour.lines]);
      const days = totalOf([...[...kept.days.values()].flat(), ...book.day.lines]);
      const { nodeMs, usd } = trapezoid(counted);
      expect(hours.nodeMs).toBe(nodeMs);
      expect(days).toEqual(hours);
      // One rounding a node, hour and sight, of half a thousand-millionth of a dollar at most.
      expect(Math.abs(hours.nanoUsd / 1e9 - usd)).toBeLessThan(1e-5);
      const ofJobs = [...[...kept.days.values()].flat(), ...book.day.lines].filter(
        ({ purpose }) => purpose === "job",
      );
      const named = book.running.reduce<Amount>(plus, kept.jobs);
      // A share of a job that nobody knows has no total of its own.
      expect(named.nodeMs).toBeLessThanOrEqual(totalOf(ofJobs).nodeMs);
      expect(ofJobs.every(({ nanoUsd, nodeMs }) => nanoUsd >= 0 && nodeMs >= 0)).toBe(true);
    }),
    cases(1_000),
  );
});
