import { describe, expect, test } from "vitest";
import { type Drains, decideOnDraining } from "../../../../shared/cycle/plan/drain.ts";
import type { Retirement } from "../../../../shared/engine/index.ts";
import type { DemandNode } from "../../../../shared/messages/job-demand.ts";
import type { DrainingNode, SourceDemand } from "../../../../shared/ports/index.ts";
import { clusterOf, emptyPlan, nodeOf } from "../../../support/cluster.ts";
import { rowOf } from "../../stores/contract/values.ts";

const now = 10_000;
const node = nodeOf({ name: "htc-1" });
const hostname = "host-htc-1";

type Word = Pick<DemandNode, "state" | "eventAtSeconds"> & { readonly host?: string };

function sourceOf(source: string, word: Word | undefined, fields: Partial<SourceDemand> = {}): SourceDemand {
  const nodes =
    word === undefined
      ? []
      : [{ hostname, resources: {}, ...word, ...(word.host && { hostname: word.host }) }];
  return {
    cluster: "hpc",
    source,
    sequence: 1,
    receivedAtSeconds: now,
    expiresAtSeconds: now + 300,
    jobs: [],
    nodes,
    capabilities: ["drain"],
    ignoredMessages: 0,
    ...fields,
  };
}

function recordOf(phase: DrainingNode["phase"], fields: Partial<DrainingNode> = {}): DrainingNode {
  const { nodeId, name } = node;
  return { nodeId, name, hostname, phase, sinceSeconds: now - 20, toldSeconds: now - 20, ...fields };
}

interface Case {
  readonly idle: boolean;
  readonly record?: DrainingNode;
  readonly demand?: readonly SourceDemand[];
  readonly cause?: Retirement["cause"];
  readonly leaving?: boolean;
  readonly wished?: boolean;
  readonly timeout?: number;
  readonly isSent?: boolean;
  readonly createdSeconds?: number;
}

function decide(what: Case): Drains {
  const { nodeId, name, nodeArray } = node;
  const retirement = {
    nodeId,
    name,
    nodeArray,
    hostname,
    cause: what.cause ?? "idle-timeout",
    sinceSeconds: 0,
  };
  return decideOnDraining(
    { ...emptyPlan, retire: what.idle ? [retirement] : [] },
    {
      before: what.record === undefined ? undefined : { draining: [what.record] },
      snapshot: { cluster: clusterOf({ nodes: [node] }) },
      demand: what.demand ?? [],
      history: [rowOf(node.nodeId, { createdSeconds: what.createdSeconds ?? 5_000 })],
      leavingNodeIds: what.leaving === true ? [nodeId] : [],
      drainedNodeIds: what.wished === true ? [nodeId] : [],
      drainTimeoutSeconds: what.timeout ?? 300,
      isSent: what.isSent ?? true,
      nowSeconds: now,
    },
  );
}

/** A decision in a few words: what becomes of the node, since when its drain or its end counts, and who is told of that moment. */
function inWords({ plan, draining, events }: Drains): string {
  const [retirement] = plan.retire;
  const drain = retirement?.drain;
  const how =
    drain === undefined ? "" : drain.isTimedOut ? " undrained" : ` drained at ${drain.sinceSeconds}`;
  const [record] = draining;
  return [
    retirement === undefined ? "stays" : `goes${how}`,
    record === undefined ? "up" : `${record.phase} ${record.sinceSeconds}`,
    ...events.map(({ kind, source, atSeconds }) => {
      expect(atSeconds).toBe(record?.sinceSeconds);
      return `${kind} ${source}`;
    }),
  ].join(", ");
}

const up: Word = { state: "up" };
/** By somebody's hand, not by an event. */
const out: Word = { state: "drained" };
/** The same, while something runs there or a reservation holds it. */
const held: Word = { state: "draining" };
/** Told so long ago that it is time to tell again. */
const again = { toldSeconds: now - 30 };
/** All demand is that of one source. */
const a = (word: Word | undefined, fields?: Partial<SourceDemand>) => ({
  demand: [sourceOf("a", word, fields)],
});
/** Its drain was decided so many seconds ago, and nobody was told. */
const since = (seconds: number) => recordOf("draining", { sinceSeconds: now - seconds, toldSeconds: null });
const silent = { expiresAtSeconds: now };
const drained = (eventAtSeconds: number): Word => ({ state: "drained", eventAtSeconds });

describe("decideOnDraining: an idle node", () => {
  test.each<[string, Omit<Case, "idle">, string]>([
    ["without any source goes", {}, "goes, up"],
    ["of a source that cannot drain goes", { demand: [sourceOf("a", up, { capabilities: [] })] }, "goes, up"],
    ["of a source that never said goes", a(up, { capabilities: undefined }), "goes, up"],
    ["that no source lists goes", a(undefined), "goes, up"],
    ["of a source that is silent goes", a(up, silent), "goes, up"],
    ["is drained first", a(up), "stays, draining 10000, drain a"],
    [
      "is drained first, whatever the domain of its host name",
      a({ host: "HOST-htc-1.example" }),
      "stays, draining 10000, drain a",
    ],
    [
      "is drained by every source that lists it",
      { demand: [sourceOf("a", up), sourceOf("b", up), sourceOf("c", undefined)] },
      "stays, draining 10000, drain a, drain b",
    ],
    [
      "that somebody drained by hand is not asked for: it goes when it is still out a while later",
      a(out, { sentAtSeconds: now }),
      "stays, draining 10000",
    ],
    [
      "that somebody is draining by hand is not asked for",
      a(held, { sentAtSeconds: now }),
      "stays, draining 10000",
    ],
    [
      "that one scheduler has out by hand is asked of the others",
      { demand: [sourceOf("a", out), sourceOf("b", up)] },
      "stays, draining 10000, drain b",
    ],
    [
      "that somebody drained by hand goes at once where nodes are not drained",
      { ...a(out), timeout: 0 },
      "goes undrained, up",
    ],
    [
      "that its scheduler holds stays, though nodes are not drained",
      { ...a(held), timeout: 0 },
      "stays, draining 10000",
    ],
    [
      "that is drained for the sake of another is drained anew",
      a(drained(10_100)),
      "stays, draining 10101, drain a",
    ],
    [
      "that is out for the sake of an earlier node of its name is drained anew, not taken back first",
      { createdSeconds: 9_001, ...a(drained(9_000)) },
      "stays, draining 10000, drain a",
    ],
    ["goes at once where nodes are not drained", { ...a(up), timeout: 0 }, "goes undrained, up"],
    ["that never came up goes at once", { cause: "boot-timeout", ...a(up) }, "goes, up"],
    ["that failed goes at once", { cause: "failed", ...a(up) }, "goes, up"],
    ["of a plan that is held is shown to go", { isSent: false, ...a(up) }, "goes, up"],
  ])("%s", (_case, what, expected) => {
    expect(inWords(decide({ ...what, idle: true }))).toBe(expected);
  });

  const draining = recordOf("draining");
  test.each<[string, Omit<Case, "idle">, string]>([
    ["waits", a(up), "stays, draining 9980"],
    [
      "is asked for again when nothing is reported",
      { record: recordOf("draining", again), ...a(up) },
      "stays, draining 9980, drain a",
    ],
    [
      "is not asked for again when it is under way",
      { record: recordOf("draining", again), ...a({ state: "draining", eventAtSeconds: 9_980 }) },
      "stays, draining 9980",
    ],
    ["is over when it is reported", a(drained(9_980)), "goes drained at 9980, draining 9980"],
    ["is not over by what was said of an earlier drain", a(drained(9_979)), "stays, draining 9980"],
    [
      "is over by somebody's hand when that was surely read after it was decided",
      { record: since(60), ...a(out, { sentAtSeconds: now - 30 }) },
      "goes drained at 9940, draining 9940",
    ],
    [
      "is not over by somebody's hand that may have been read before it was decided",
      { record: since(60), ...a(out, { sentAtSeconds: now - 31 }) },
      "stays, draining 9940",
    ],
    [
      "is not over by somebody's hand when nobody knows when that was read",
      { record: since(60), ...a(out) },
      "stays, draining 9940",
    ],
    [
      "is not over while something still runs there that somebody drained by hand",
      { record: since(60), ...a(held, { sentAtSeconds: now }) },
      "stays, draining 9940",
    ],
    [
      "is asked for once somebody's hand has taken it back",
      { record: since(60), ...a({ state: "up" }, { sentAtSeconds: now }) },
      "stays, draining 9940, drain a",
    ],
    [
      "is not over by a silent source that had it out by hand",
      { record: since(60), ...a(out, { ...silent, sentAtSeconds: now - 50 }) },
      "stays, draining 9940",
    ],
    [
      "is not over before all have reported it",
      { demand: [sourceOf("a", drained(9_980)), sourceOf("b", up)] },
      "stays, draining 9980",
    ],
    ["is over when nobody lists it any more", a(undefined), "goes drained at 9980, draining 9980"],
    ["is not over because its source fell silent", a(up, silent), "stays, draining 9980"],
    [
      "is over in time, whatever its source says",
      { record: recordOf("draining", { sinceSeconds: now - 300 }), ...a(up, silent) },
      "goes undrained, draining 9700",
    ],
    [
      "does not run out of time while its scheduler holds it, in a reservation or for maintenance",
      { record: since(9_000), ...a(held, { sentAtSeconds: now }) },
      "stays, draining 1000",
    ],
    [
      "does not run out of time while one of two schedulers holds it",
      { record: since(9_000), demand: [sourceOf("a", held), sourceOf("b", up, silent)] },
      "stays, draining 1000",
    ],
    [
      "runs out of time when the scheduler that held it fell silent",
      { record: since(9_000), ...a(held, silent) },
      "goes undrained, draining 1000",
    ],
    [
      "has its whole time again once its scheduler holds it no longer",
      { record: { ...since(9_000), heldAtSeconds: now - 299 }, ...a(up) },
      "stays, draining 1000, drain a",
    ],
    [
      "is over that time after its scheduler last held it",
      { record: { ...since(9_000), heldAtSeconds: now - 300 }, ...a(up) },
      "goes undrained, draining 1000",
    ],
    [
      "is believed to the time of its own event only, not to any in the far future",
      a(drained(1e300)),
      "stays, draining 9980",
    ],
    ["is left alone while it goes already", { leaving: true, ...a(up) }, "goes, draining 9980"],
    ["is kept in mind when the node fails meanwhile", { cause: "failed", ...a(up) }, "goes, draining 9980"],
    ["stays as it is while the plan is held", { isSent: false, ...a(up) }, "goes, draining 9980"],
  ])("that drains: its drain %s", (_case, what, expected) => {
    expect(inWords(decide({ record: draining, ...what, idle: true }))).toBe(expected);
  });

  const undraining = recordOf("undraining");
  test.each<[string, Omit<Case, "idle">, string]>([
    ["is not drained before", a(drained(9_970)), "stays, undraining 9980"],
    ["is drained once it is", a({ state: "up", eventAtSeconds: 9_980 }), "stays, draining 10000, drain a"],
    [
      "is drained after the time-out all the same",
      { record: recordOf("undraining", { sinceSeconds: now - 300 }), ...a(drained(9_970)) },
      "stays, draining 10000, drain a",
    ],
    ["goes when nobody lists it", { demand: [] }, "goes, up"],
  ])("that is not yet taken back %s", (_case, what, expected) => {
    expect(inWords(decide({ record: undraining, ...what, idle: true }))).toBe(expected);
  });
});

describe("decideOnDraining: a node that is wanted", () => {
  test.each<[string, Omit<Case, "idle">, string]>([
    ["is nobody's business while it is up", a(up), "stays, up"],
    ["is nobody's business when somebody drained it by hand", a(out), "stays, up"],
    [
      "is taken back when it drains",
      { record: recordOf("draining"), ...a(drained(9_980)) },
      "stays, undraining 10000, undrain a",
    ],
    [
      "is taken back later than it was drained, on whatever clock",
      { record: recordOf("draining", { sinceSeconds: now + 5 }), ...a(up) },
      "stays, undraining 10006, undrain a",
    ],
    [
      "is taken back though nobody has drained it yet: the event may be on its way",
      { record: recordOf("draining"), ...a(up) },
      "stays, undraining 10000, undrain a",
    ],
    [
      "is taken back when it is out for the sake of an earlier node of its name",
      { createdSeconds: 9_001, ...a(drained(9_000)) },
      "stays, undraining 10000, undrain a",
    ],
    [
      "is nobody's business when an operator had it drained",
      { createdSeconds: 9_000, ...a(drained(9_000)) },
      "stays, up",
    ],
    ["is not waited for when nobody lists it", { record: recordOf("draining"), demand: [] }, "stays, up"],
    ["is waited for", { record: recordOf("undraining"), ...a(drained(9_970)) }, "stays, undraining 9980"],
    [
      "is waited for and asked for again",
      { record: recordOf("undraining", again), ...a(drained(9_970)) },
      "stays, undraining 9980, undrain a",
    ],
    [
      "is waited for as long as its source is silent",
      { record: recordOf("undraining", { sinceSeconds: 100 }), ...a(drained(1), silent) },
      "stays, undraining 100",
    ],
    [
      "is up once it is taken back",
      { record: recordOf("undraining"), ...a({ state: "up", eventAtSeconds: 9_980 }) },
      "stays, up",
    ],
    [
      "is up when an operator had it drained after that",
      { record: recordOf("undraining"), ...a(drained(9_981)) },
      "stays, up",
    ],
    [
      "is up when somebody drained it by hand after that",
      { record: recordOf("undraining"), ...a(out) },
      "stays, up",
    ],
    [
      "is up after the time-out when its source does not say which event it obeys",
      { record: recordOf("undraining", { sinceSeconds: now - 300 }), ...a(up) },
      "stays, up",
    ],
    ["stays as it is while it goes", { leaving: true, record: recordOf("draining") }, "stays, draining 9980"],
  ])("%s", (_case, what, expected) => {
    expect(inWords(decide({ ...what, idle: false }))).toBe(expected);
  });
});

describe("decideOnDraining: a node that an operator wants drained", () => {
  test.each<[string, Case, string]>([
    ["is drained though a job could use it", { idle: false, ...a(up) }, "stays, draining 10000, drain a"],
    [
      "is drained though idle nodes are not",
      { idle: false, timeout: 0, ...a(up) },
      "stays, draining 10000, drain a",
    ],
    ["is draining though no source can drain", { idle: false }, "stays, draining 10000"],
    [
      "is drained when it was being taken back",
      { idle: false, record: recordOf("undraining"), ...a(drained(9_970)) },
      "stays, draining 10000, drain a",
    ],
    [
      "is drained when it was being taken back and is idle",
      { idle: true, record: recordOf("undraining"), ...a(up) },
      "stays, draining 10000, drain a",
    ],
    [
      "is drained later than anything its source obeys",
      { idle: false, ...a({ state: "up", eventAtSeconds: 10_003 }) },
      "stays, draining 10004, drain a",
    ],
    [
      "is not taken back",
      { idle: false, record: recordOf("draining"), ...a(drained(9_980)) },
      "stays, draining 9980",
    ],
    [
      "is asked for again after a while",
      { idle: false, record: recordOf("draining", again), ...a(up) },
      "stays, draining 9980, drain a",
    ],
    [
      "is not asked of a source that has it out by its own making",
      { idle: false, ...a(out) },
      "stays, draining 10000",
    ],
    [
      "waits for a source that is silent",
      { idle: false, record: recordOf("draining"), ...a(up, silent) },
      "stays, draining 9980",
    ],
    [
      "goes once it is drained and idle",
      { idle: true, record: recordOf("draining"), ...a(drained(9_980)) },
      "goes drained at 9980",
    ],
    [
      "waits for its drain when it is idle",
      { idle: true, record: recordOf("draining"), ...a(held) },
      "stays, draining 9980",
    ],
    ["is left alone by a plan that is held", { idle: false, isSent: false }, "stays, up"],
  ])("%s", (_case, what, expected) => {
    expect(inWords(decide({ ...what, wished: true }))).toContain(expected);
  });

  test("is told of by the host name that it got since", () => {
    const record = recordOf("draining", { hostname: null, toldSeconds: null });
    const { draining, events } = decide({
      idle: false,
      wished: true,
      record,
      ...a(up),
    });
    expect([draining[0]?.hostname, events[0]?.nodes[0]?.hostname]).toEqual([hostname, hostname]);
  });
});

describe("decideOnDraining: the next look", () => {
  test.each<[string, Case, number | null]>([
    ["of nothing is never due", { idle: false, ...a(up) }, null],
    ["is due when it is time to ask again", { idle: true, ...a(up) }, now + 30],
    [
      "is due at the time-out once nobody needs to be asked",
      { idle: true, record: recordOf("draining"), ...a({ state: "draining", eventAtSeconds: now }) },
      now - 20 + 300,
    ],
    ["is due at the time-out when that comes first", { idle: true, ...a(up), timeout: 10 }, now + 10],
    [
      "is not due by the clock while its scheduler holds it",
      { idle: true, record: since(9_000), ...a(held) },
      null,
    ],
    [
      "is not due while its source is silent and its time is over",
      { idle: false, record: recordOf("undraining", { sinceSeconds: 100 }), ...a(drained(1), silent) },
      null,
    ],
  ])("%s", (_case, what, expected) => {
    expect(decide(what).nextLookSeconds).toBe(expected);
  });

  test("a thousand nodes are told of in one event for each source", () => {
    const nodes = Array.from({ length: 1_000 }, (_, index) => nodeOf({ name: `htc-${index}` }));
    const listed = nodes.map(({ hostname: host }) => ({ hostname: host ?? "", resources: {} }));
    const retire = nodes.map(({ nodeId, name, nodeArray, hostname: host }): Retirement => {
      return { nodeId, name, nodeArray, hostname: host, cause: "idle-timeout", sinceSeconds: 0 };
    });
    const { events, plan, draining } = decideOnDraining(
      { ...emptyPlan, retire },
      {
        before: undefined,
        snapshot: { cluster: clusterOf({ nodes }) },
        history: [],
        demand: ["a", "b"].map((source) => sourceOf(source, undefined, { nodes: listed })),
        leavingNodeIds: [],
        drainedNodeIds: [],
        drainTimeoutSeconds: 300,
        isSent: true,
        nowSeconds: now,
      },
    );
    expect(events.map((event) => [event.source, event.nodes.length])).toEqual([
      ["a", 1_000],
      ["b", 1_000],
    ]);
    expect(draining).toHaveLength(1_000);
    expect(plan.retire).toEqual([]);
  });
});
