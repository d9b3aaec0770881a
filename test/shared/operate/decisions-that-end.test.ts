import { expect, test } from "vitest";
import { type ActionBody, actionBody } from "../../../shared/api/index.ts";
import { endDecisions, loadControl, whyHeld } from "../../../shared/cycle/index.ts";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { act } from "../../../shared/operate/act.ts";
import type { ClusterControl } from "../../../shared/ports/index.ts";
import { clusterStatus, listEvents, listNodes, lookAhead } from "../../../shared/views/index.ts";
import { nodeOf } from "../../support/cluster.ts";
import { cluster, jobFor, type World, worldWith } from "../../support/world.ts";

const who = { by: "alice", reason: "long debug", dryRun: false };
const on = { nodes: { names: ["htc-1"] } };
const twoHours = 7_200;

/** Each kind of decision that may end by itself, and whether it is in the record. */
const kinds: readonly {
  readonly name: string;
  readonly body: (untilSeconds: number) => ActionBody;
  readonly holds: (control: ClusterControl) => boolean;
}[] = [
  {
    name: "keep-alive",
    body: (untilSeconds) => ({ kind: "keep-alive", on: true, ...who, ...on, untilSeconds }),
    holds: ({ keptNodes }) => keptNodes.length > 0,
  },
  {
    name: "drain",
    body: (untilSeconds) => ({ kind: "drain", force: false, ...who, ...on, untilSeconds }),
    holds: ({ drainedNodes }) => drainedNodes.length > 0,
  },
  {
    name: "ignore",
    body: (untilSeconds) => ({ kind: "ignore", ...who, ...on, untilSeconds }),
    holds: ({ ignoredNodes }) => ignoredNodes.length > 0,
  },
  {
    name: "pause",
    body: (untilSeconds) => ({ kind: "pause", ...who, untilSeconds }),
    holds: ({ paused }) => paused !== null,
  },
];

async function worldOfOne(): Promise<World> {
  const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
  await world.round();
  return world;
}

async function planIdOf(world: World): Promise<string | undefined> {
  return (await world.ports.plans.loadHead(cluster))?.value.planId;
}

test.each(kinds)("$name ends by itself, at its end and not before", async ({ body, holds }) => {
  const world = await worldOfOne();
  const untilSeconds = world.now() + twoHours;
  expect(await act(world.ports, { cluster, body: body(untilSeconds) })).toMatchObject({
    answer: {
      outcome: "done",
      summary: expect.stringContaining(new Date(untilSeconds * 1000).toISOString().slice(0, 19)),
    },
  });
  world.advance(twoHours - 1);
  expect(holds(await loadControl(world.ports, cluster))).toBe(true);
  world.advance(1);
  expect(holds(await loadControl(world.ports, cluster))).toBe(false);
});

const aboutNodes = kinds.filter(({ name }) => name !== "pause");

test.each(aboutNodes)("a plan is made when $name ends, though nothing else changed", async ({ body }) => {
  const world = await worldOfOne();
  await world.post([jobFor(1)]);
  await world.round();
  const untilSeconds = world.now() + 40;
  await act(world.ports, { cluster, body: body(untilSeconds) });
  await world.round();
  const during = (await world.ports.plans.loadHead(cluster))?.value;
  expect(during?.nextDeadlineSeconds).toBeLessThanOrEqual(untilSeconds);
  world.advance(untilSeconds - world.now());
  await world.round();
  expect(await planIdOf(world)).not.toBe(during?.planId);
});

test.each(kinds)("$name with an end that is over is refused", async ({ body, holds }) => {
  const world = await worldOfOne();
  expect(await act(world.ports, { cluster, body: body(world.now()) })).toMatchObject({
    outcome: expect.stringMatching("refused"),
    problems: [expect.stringContaining("expected a moment after now")],
  });
  expect(holds(await loadControl(world.ports, cluster))).toBe(false);
});

test.each(kinds)("$name again with another end replaces it", async ({ body, holds }) => {
  const world = await worldOfOne();
  await act(world.ports, { cluster, body: body(world.now() + 60) });
  const later = await act(world.ports, { cluster, body: body(world.now() + twoHours) });
  expect(later).toMatchObject({ answer: { outcome: "done" } });
  world.advance(twoHours - 1);
  expect(holds(await loadControl(world.ports, cluster))).toBe(true);
});

test("nothing is sent until the end of a pause, and the waiting plan is sent after it", async () => {
  const world = await worldOfOne();
  await act(world.ports, { cluster, body: { kind: "pause", ...who, untilSeconds: world.now() + 40 } });
  await world.post([jobFor(2), jobFor(2)]);
  await world.round();
  expect(world.cycleCloud.calls).toEqual([]);
  world.advance(41);
  await world.round();
  const config = await world.ports.configs.load(cluster);
  if (config === undefined) throw new Error("The cluster is configured");
  expect(whyHeld(config, await loadControl(world.ports, cluster))).toBeUndefined();
  expect(await clusterStatus(world.ports, cluster)).toMatchObject({ paused: null });
  expect(world.cycleCloud.calls).not.toEqual([]);
});

const endKinds: Readonly<Record<string, string>> = {
  "keep-alive": "release",
  drain: "undrain",
  ignore: "unignore",
  pause: "resume",
};

async function endsIn(world: World) {
  const { events } = await listEvents(world.ports, cluster, { limit: 100, from: 0 });
  return events.filter(({ kind }) => Object.values(endKinds).includes(kind));
}

test.each(kinds)(
  "$name that ended by itself leaves one event of that moment, whoever finds it",
  async ({ name, body }) => {
    const world = await worldOfOne();
    const untilSeconds = world.now() + twoHours;
    await act(world.ports, { cluster, body: body(untilSeconds) });
    await endDecisions(world.ports, cluster);
    expect(await endsIn(world)).toEqual([]);
    world.advance(twoHours + 30);
    for (let beat = 0; beat < 3; beat += 1) await endDecisions(world.ports, cluster);
    expect(await endsIn(world)).toMatchObject([
      {
        kind: endKinds[name],
        atSeconds: untilSeconds,
        by: "the autoscaler",
        text: expect.stringContaining(`the ${name} by alice ended by itself (long debug).`),
        nodes: name === "pause" ? [] : ["htc-1"],
      },
    ]);
    expect((await world.ports.controls.load(cluster))?.value).toMatchObject({
      paused: null,
      ignoredNodes: [],
    });
  },
);

test.each(kinds)(
  "$name that is asked for again after its end leaves the event of the first",
  async ({ name, body }) => {
    const world = await worldOfOne();
    const firstEnd = world.now() + 60;
    await act(world.ports, { cluster, body: body(firstEnd) });
    world.advance(90);
    await act(world.ports, { cluster, body: body(world.now() + 60) });
    expect(await endsIn(world)).toMatchObject([{ kind: endKinds[name], atSeconds: firstEnd }]);
    await endDecisions(world.ports, cluster);
    expect(await endsIn(world)).toHaveLength(1);
  },
);

test.each(kinds)(
  "$name that somebody gives a later end before its first leaves no event of the first",
  async ({ body }) => {
    const world = await worldOfOne();
    await act(world.ports, { cluster, body: body(world.now() + 60) });
    await act(world.ports, { cluster, body: body(world.now() + twoHours) });
    world.advance(90);
    await endDecisions(world.ports, cluster);
    expect(await endsIn(world)).toEqual([]);
  },
);

test("while events cannot be kept it stays for the next beat, and does not hold", async () => {
  const world = await worldOfOne();
  const untilSeconds = world.now() + 60;
  await act(world.ports, { cluster, body: { kind: "pause", ...who, untilSeconds } });
  world.advance(90);
  const deaf = {
    ...world.ports.events,
    note: () => Promise.reject(new UpstreamError("no answer", { retryable: true })),
  };
  await expect(endDecisions({ ...world.ports, events: deaf }, cluster)).rejects.toThrow("no answer");
  expect((await loadControl(world.ports, cluster)).paused).toBeNull();
  await endDecisions(world.ports, cluster);
  expect(await endsIn(world)).toMatchObject([{ kind: "resume", atSeconds: untilSeconds }]);
});

test("status and nodes show when they end", async () => {
  const world = await worldOfOne();
  const untilSeconds = world.now() + twoHours;
  for (const { body } of kinds) await act(world.ports, { cluster, body: body(untilSeconds) });
  expect(await clusterStatus(world.ports, cluster)).toMatchObject({
    paused: { untilSeconds },
    keptNodes: [{ untilSeconds }],
    ignoredNodes: [{ name: "htc-1", by: "alice", untilSeconds }],
    draining: [{ untilSeconds }],
    problems: expect.arrayContaining([
      expect.objectContaining({ text: expect.stringContaining("Paused by alice until 20") }),
    ]),
  });
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("The cluster is configured");
  expect(listNodes(outlook, { limit: 10 })).toMatchObject({
    answer: {
      nodes: [
        {
          kept: [{ untilSeconds }],
          draining: { reason: expect.stringContaining("drained by alice until 20") },
        },
      ],
    },
  });
});

test.each(kinds)(
  "$name: an end that can be written as no date is refused, the last one that can is kept",
  async ({ body, holds }) => {
    const latestSeconds = 99_999_999_999;
    for (const untilSeconds of [latestSeconds + 1, 1e13, 1e300])
      expect(actionBody.safeParse(body(untilSeconds)).success).toBe(false);
    const world = await worldOfOne();
    const asked = actionBody.parse(body(latestSeconds));
    expect(await act(world.ports, { cluster, body: asked })).toMatchObject({ answer: { outcome: "done" } });
    expect(holds(await loadControl(world.ports, cluster))).toBe(true);
    expect(await clusterStatus(world.ports, cluster)).toBeDefined();
    await world.round();
  },
);
