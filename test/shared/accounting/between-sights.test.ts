import { describe, expect, test } from "vitest";
import {
  accountFor,
  type Book,
  jobKey,
  Lines,
  openBook,
  type SeenNode,
  type Sight,
  settled,
} from "../../../shared/accounting/index.ts";

const noon = Date.UTC(2026, 10, 22, 12) / 1_000;

function sight(takenAtSeconds: number, ...nodes: readonly Partial<SeenNode>[]): Sight {
  const job = (name: string, user: string | null) => ({
    key: jobKey("slurm", name),
    source: "slurm",
    name,
    user,
    account: null,
    queue: null,
    ...(user !== null && { submittedAt: "2026-11-22T11:00:00.500Z" }),
  });
  return {
    takenAtSeconds,
    jobs: [job("1", "ada"), job("2", null)],
    nodes: nodes.map((node, index) => ({
      nodeId: `node-${index}`,
      nodeArray: "htc",
      vmSize: "F4s",
      spot: false,
      usdPerHour: 3.6,
      use: "idle",
      jobs: [],
      ...node,
    })),
  };
}

const share = (name: string, part: number) => ({ key: jobKey("slurm", name), share: part });

function between(before: Sight, after: Sight): Book {
  return settled(accountFor(openBook(before), after));
}

/** Purpose and user, node-seconds, US dollars. */
function told(before: Sight, after: Sight): readonly (readonly [string, number, number])[] {
  const { closed, hour } = between(before, after);
  return new Lines([...closed.hours, hour].flatMap(({ lines }) => lines))
    .toArray()
    .map(({ purpose, user, nodeMs, nanoUsd }) => [
      user === null ? purpose : `${purpose} ${user}`,
      nodeMs / 1_000,
      nanoUsd / 1e9,
    ]);
}

describe("who had a node between two sights", () => {
  test("nobody, while it idles", () => {
    expect(told(sight(noon, {}), sight(noon + 60, {}))).toEqual([["idle", 60, 0.06]]);
  });

  test("its use before has the first half, its use after the second", () => {
    const running = { use: "jobs", jobs: [share("1", 1)] } as const;
    expect(told(sight(noon, { use: "boot" }), sight(noon + 60, running))).toEqual([
      ["boot", 30, 0.03],
      ["job ada", 30, 0.03],
    ]);
  });

  test("a node that only one of them shows was there for half of the time", () => {
    expect(told(sight(noon), sight(noon + 60, { use: "boot" }))).toEqual([["boot", 30, 0.03]]);
    expect(told(sight(noon, { use: "ending" }), sight(noon + 60))).toEqual([["ending", 30, 0.03]]);
  });

  test("jobs have their shares, and the rest is unused", () => {
    const shared = { use: "jobs", jobs: [share("1", 0.5), share("2", 0.25)] } as const;
    expect(told(sight(noon, shared), sight(noon + 60, shared))).toEqual([
      ["job ada", 30, 0.03],
      ["job", 15, 0.015],
      ["unused", 15, 0.015],
    ]);
  });

  test("a share that changes has half of the time, as a use has", () => {
    const of = (part: number) => ({ use: "jobs", jobs: [share("1", part)] }) as const;
    expect(told(sight(noon, of(1)), sight(noon + 60, of(0.5)))).toEqual([
      ["job ada", 45, 0.045],
      ["unused", 15, 0.015],
    ]);
  });

  test("shares of more than the node are cut in proportion", () => {
    const shared = { use: "jobs", jobs: [share("1", 1), share("2", 1)] } as const;
    expect(told(sight(noon, shared), sight(noon + 60, shared))).toEqual([
      ["job ada", 30, 0.03],
      ["job", 30, 0.03],
    ]);
  });

  test("a job that takes nothing leaves the node unused, not idle", () => {
    const taken = { use: "jobs", jobs: [share("1", 0)] } as const;
    expect(told(sight(noon, taken), sight(noon + 60, taken))).toEqual([["unused", 60, 0.06]]);
  });

  test("an unknown price is time without money", () => {
    const { hour } = between(sight(noon, { usdPerHour: null }), sight(noon + 60, { usdPerHour: null }));
    expect(hour.lines).toMatchObject([{ nodeMs: 60_000, nanoUsd: 0, unpricedNodeMs: 60_000 }]);
  });

  test("hours are cut at the full hour", () => {
    const { closed, hour } = between(sight(noon - 10, {}), sight(noon + 50, {}));
    expect(closed.hours.map(({ untilSeconds, lines }) => [untilSeconds, lines[0]?.nodeMs])).toEqual([
      [noon, 10_000],
    ]);
    expect([hour.fromSeconds, hour.lines[0]?.nodeMs]).toEqual([noon, 50_000]);
  });

  test("a job that changes its user is the first one's until the middle, whatever else stays", () => {
    const running = { use: "jobs", jobs: [share("1", 1)] } as const;
    const [before, after] = [sight(noon, running), sight(noon + 60, running)];
    const ben = { ...after, jobs: after.jobs.map((job) => ({ ...job, user: "ben" })) };
    expect(told(before, ben)).toEqual([
      ["job ada", 30, 0.03],
      ["job ben", 30, 0.03],
    ]);
  });

  test("a job that ended keeps the nodes that it was last seen on, and when it was submitted", () => {
    const on = (...names: string[]) =>
      ({ use: "jobs", jobs: names.map((name) => share(name, 0.5)) }) as const;
    const before = sight(noon, on("1", "2"), on("1"));
    const { closed } = accountFor(openBook(before), { ...before, takenAtSeconds: noon + 60, jobs: [] });
    expect(closed.jobs.map(({ key, nodes, submittedSeconds }) => [key, nodes, submittedSeconds])).toEqual([
      ["slurm:1", ["node-0", "node-1"], noon - 3_600],
      ["slurm:2", ["node-0"], undefined],
    ]);
  });

  test.each([0, -60])("a sight that is %d seconds newer changes nothing", (seconds) => {
    const book = openBook(sight(noon, {}));
    expect(accountFor(book, sight(noon + seconds))).toBe(book);
  });
});
