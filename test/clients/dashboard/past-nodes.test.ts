import { expect, test } from "vitest";
import { pastNodes } from "../../../clients/dashboard/parts/past-nodes.ts";
import type { LivesAnswer } from "../../../shared/api/index.ts";

type Life = LivesAnswer["lives"][number];

/** Boots for ten seconds, is used for ten, and then idle. */
const lifeOf = (
  name: string,
  from: number,
  deletedSeconds: number | null,
  more: Partial<Life> = {},
): Life => ({
  nodeId: name,
  name,
  nodeArray: "htc",
  vmSize: "Standard_F4s_v2",
  hostname: null,
  instanceId: null,
  firstSeenSeconds: from,
  readySeconds: from + 10,
  idleSinceSeconds: null,
  deletedSeconds,
  failure: null,
  spans: [
    { use: "boot", fromSeconds: from, untilSeconds: from + 10 },
    { use: "used", fromSeconds: from + 10, untilSeconds: from + 20 },
    { use: "idle", fromSeconds: from + 20, untilSeconds: deletedSeconds ?? 1_000 },
  ],
  usdPerHour: 1,
  ...more,
});
const none = { buckets: [], groupsById: new Map() };

test("a node is there from its first sight until it is gone, with what it did then", () => {
  const at = pastNodes([lifeOf("a", 100, 150)], none);
  const uses = [99, 100, 115, 149, 150].map((moment) => at(moment).map(({ use }) => use));
  expect(uses).toEqual([[], ["boot"], ["jobs"], ["idle"], []]);
});

test("a node that was never Ready has failed from then on", () => {
  const spans = [{ use: "boot", fromSeconds: 100, untilSeconds: 300 }] as const;
  const failure = { atSeconds: 200, message: null };
  const at = pastNodes([lifeOf("a", 100, 300, { readySeconds: null, failure, spans: [...spans] })], none);
  expect([150, 250].map((moment) => at(moment)[0]?.use)).toEqual(["boot", "failed"]);
});

test("each keeps its place in its group, and one that is gone leaves it to a later one", () => {
  const lives = [
    lifeOf("c", 200, null),
    lifeOf("a", 100, 150),
    lifeOf("b", 110, null),
    lifeOf("d", 210, null),
  ];
  const at = pastNodes(lives, { ...none, groupsById: new Map([["d", "pg1"]]) });
  const slots = (moment: number) =>
    at(moment).map(({ name, slot, placementGroup }) => [name, slot, placementGroup]);
  expect(slots(120)).toEqual([
    ["a", 0, null],
    ["b", 1, null],
  ]);
  expect(slots(300)).toEqual([
    ["b", 1, null],
    ["c", 0, null],
    ["d", 0, "pg1"],
  ]);
});
