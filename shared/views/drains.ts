import type { ClusterStatus } from "../api/index.ts";
import { untilText } from "../cycle/index.ts";
import type {
  ClusterControl,
  DrainedNode,
  DrainingNode,
  OutNode,
  PlanHead,
  Snapshot,
} from "../ports/index.ts";

/** A node that takes no new jobs or is being taken back: who wants it so, why, and since when. */
export type NodeDrain = ClusterStatus["draining"][number];

interface DrainFacts {
  /** Undefined: no plan was made. */
  readonly head: Pick<PlanHead, "draining"> | undefined;
  readonly control: Pick<ClusterControl, "drainedNodes">;
  readonly out: readonly OutNode[];
  readonly snapshot: Pick<Snapshot, "cluster"> | undefined;
}

/** Who drains what plans drain by themselves. */
const autoscaler = "the autoscaler";

/** Nodes that drain or are taken back, as in the snapshot. An operator's wish counts before a scheduler's, and that before a plan's. */
export function drainsOf({ head, control, out, snapshot }: DrainFacts): readonly NodeDrain[] {
  const records = new Map(head?.draining.map((record) => [record.nodeId, record]));
  const wishes = new Map(control.drainedNodes.map((wish) => [wish.nodeId, wish]));
  const outs = new Map(out.map((each) => [each.nodeId, each]));
  if (records.size + wishes.size + outs.size === 0) return [];
  return (snapshot?.cluster.nodes ?? []).flatMap(({ nodeId, name, hostname }): NodeDrain[] => {
    const record = records.get(nodeId);
    const words = wished(wishes.get(nodeId)) ?? saidOf(outs.get(nodeId));
    if (record === undefined && words === undefined) return [];
    const phase = words === undefined ? (record?.phase ?? "draining") : "draining";
    const toldSeconds = record?.toldSeconds ?? null;
    return [{ nodeId, name, hostname, phase, toldSeconds, ...(words ?? plansOwn(record)) }];
  });
}

type Words = Pick<NodeDrain, "by" | "why" | "source" | "sinceSeconds" | "untilSeconds">;

function wished(wish: DrainedNode | undefined): Words | undefined {
  if (wish === undefined) return undefined;
  const { by, reason: why, atSeconds: sinceSeconds, untilSeconds } = wish;
  return { by, why, source: null, sinceSeconds, ...(untilSeconds !== undefined && { untilSeconds }) };
}

function saidOf(out: OutNode | undefined): Words | undefined {
  if (out === undefined) return undefined;
  const { by, why, source, sinceSeconds, isHeld } = out;
  const reason = why ?? "no reason was given";
  return {
    by: by ?? "somebody",
    why: isHeld ? `${reason}; it is not deleted while that lasts` : reason,
    source,
    sinceSeconds,
  };
}

function plansOwn(record: DrainingNode | undefined): Words {
  const why =
    record?.phase === "undraining"
      ? "was wanted again; its schedulers have not reported it up since"
      : "idle, deleted once it is drained";
  return { by: autoscaler, why, source: null, sinceSeconds: record?.sinceSeconds ?? null };
}

/** Whether it is undrained only when somebody asks for it. */
function isPersons({ by, source }: NodeDrain): boolean {
  return source !== null || by !== autoscaler;
}

/** Who and why, for a line. */
export function drainInWords(drain: NodeDrain): string {
  const { by, why, source, untilSeconds } = drain;
  const end = untilText({ untilSeconds });
  return isPersons(drain) ? `drained by ${by}${source === null ? "" : ` in ${source}`}${end}: ${why}` : why;
}
