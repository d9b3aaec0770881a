import { describe, expect, test } from "vitest";
import {
  busyHostnames,
  isOutByItself,
  liveSources,
  longestSilenceSeconds,
  presentDemand,
} from "../../../../shared/cycle/demand/live-demand.ts";
import { whyWantsUnknown } from "../../../../shared/cycle/demand/unknown-wants.ts";
import type { DemandJob } from "../../../../shared/messages/job-demand.ts";
import type { SourceDemand } from "../../../../shared/ports/index.ts";

const expiresAtSeconds = 1_000;

function job(fields: Partial<DemandJob> & { readonly name: string }): DemandJob {
  return {
    constraints: { ncpus: 1 },
    iterations: 1,
    nodeCount: 0,
    colocated: false,
    exclusive: false,
    executingHostnames: [],
    priority: 0,
    ...fields,
  };
}

function source(...jobs: DemandJob[]): SourceDemand {
  return {
    cluster: "hpc",
    source: "pbs",
    sequence: 1,
    receivedAtSeconds: expiresAtSeconds - 300,
    expiresAtSeconds,
    jobs,
    nodes: [],
    ignoredMessages: 0,
  };
}

const jobs = [
  job({ name: "waits", iterations: 10 }),
  job({ name: "half-runs", iterations: 4, executingHostnames: ["a", "b"] }),
  job({ name: "gang-runs", nodeCount: 2, executingHostnames: ["c.cluster", "D"] }),
];

const wantedAt = (nowSeconds: number) =>
  presentDemand([source(...jobs)], nowSeconds).flatMap((each) =>
    each.jobs.map(({ name, iterations, nodeCount }) => [name, nodeCount || iterations]),
  );

test.each([
  [-1, undefined],
  [0, 'source "pbs" is silent'],
  [longestSilenceSeconds - 1, 'source "pbs" is silent'],
  [longestSilenceSeconds, "no source reports its demand"],
])("%i seconds after the end of its time to live, why its wants are unknown: %s", (seconds, why) => {
  expect(whyWantsUnknown([source(...jobs)], expiresAtSeconds + seconds)).toBe(why);
});

describe("demand of a source", () => {
  test.each<readonly [string, number, readonly (readonly [string, number])[]]>([
    [
      "counts whole in its time to live",
      expiresAtSeconds - 1,
      [
        ["waits", 10],
        ["half-runs", 4],
        ["gang-runs", 2],
      ],
    ],
    [
      "is what runs once it is silent",
      expiresAtSeconds,
      [
        ["half-runs", 2],
        ["gang-runs", 2],
      ],
    ],
    [
      "is what runs for a day",
      expiresAtSeconds + longestSilenceSeconds - 1,
      [
        ["half-runs", 2],
        ["gang-runs", 2],
      ],
    ],
    ["is nothing after that", expiresAtSeconds + longestSilenceSeconds, []],
  ])("%s", (_, nowSeconds, wanted) => {
    expect(wantedAt(nowSeconds)).toEqual(wanted);
    expect(liveSources([source()], nowSeconds)).toHaveLength(nowSeconds < expiresAtSeconds ? 1 : 0);
  });

  test("a running job that was set aside has its hosts, to itself when its constraints cannot be read", () => {
    const running = { hostnames: ["e"], isWhole: true };
    const items = [
      {
        kind: "job",
        index: 0,
        name: "known",
        problems: [],
        running: { ...running, constraints: { ncpus: 2 } },
      },
      { kind: "job", index: 1, name: null, problems: [], running },
      { kind: "job", index: 2, name: "waits", problems: [] },
    ] as const;
    const [, standIns] = presentDemand([{ ...source(), setAside: { items, more: 0 } }], expiresAtSeconds - 1);
    const runs = { iterations: 1, nodeCount: 0, colocated: false, executingHostnames: ["e"], priority: 0 };
    expect(standIns?.jobs).toEqual([
      { ...runs, name: "known", constraints: { ncpus: 2 }, exclusive: false },
      { ...runs, name: "(job 1, set aside)", constraints: [], exclusive: true },
    ]);
  });

  test("hosts of silent sources count as busy, by short name", () => {
    const demand = [source(...jobs)];
    expect([...busyHostnames(demand, expiresAtSeconds)]).toEqual(["a", "b", "c", "d"]);
    expect([...busyHostnames(demand, expiresAtSeconds + longestSilenceSeconds)]).toEqual([]);
  });
});

test.each([
  ["up", {}, false],
  ["drained", { state: "drained" }, true],
  ["drained for an event of ours", { state: "drained", eventAtSeconds: 1 }, false],
] as const)("whether a node that is %s is out by itself", (_, said, isOut) => {
  expect(isOutByItself({ hostname: "a", resources: {}, ...said })).toBe(isOut);
});
