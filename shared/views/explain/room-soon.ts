import type { CauseView } from "../../api/index.ts";
import {
  type ClusterNode,
  countsWith,
  type LimitFigure,
  type Reason,
  shortHostname,
} from "../../engine/index.ts";
import { duration } from "../../text/durations.ts";
import { counted, someOf } from "../../text/text.ts";
import type { NodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";

/** What gives room under a limit without anybody's doing. */
export interface RoomSoon {
  /** A sentence; empty: nothing is known to go. */
  readonly text: string;
  /** When the first idle node goes, or the first job ends where all have an end; null: neither is known. */
  readonly untilSeconds: CauseView["untilSeconds"];
}

const nothing: RoomSoon = { text: "", untilSeconds: null };

/** Nodes that count under a limit and are on their way out, or idle with their time-out running. */
export function roomSoon(
  outlook: Outlook,
  views: NodeViews,
  { bucket }: Reason,
  figure: LimitFigure | undefined,
): RoomSoon {
  if (bucket === null || figure === undefined) return nothing;
  const counts = countsWith(outlook.snapshot.cluster, bucket, figure.limit);
  const leavingIds = new Set(outlook.input.leavingNodeIds);
  const counting = outlook.snapshot.cluster.nodes.filter(counts);
  const leaving = counting.filter(
    ({ nodeId, targetState }) => leavingIds.has(nodeId) || targetState === "Terminated",
  );
  const idle = views
    .idle()
    .filter(({ reported }) => !leavingIds.has(reported.nodeId) && counts(reported))
    .map(({ reported: { name }, deleteAtSeconds }) => ({ name, deleteAtSeconds }));
  const firstSeconds = idle.reduce(
    (first, { deleteAtSeconds }) => Math.min(first, deleteAtSeconds),
    Number.POSITIVE_INFINITY,
  );
  const named = (nodes: readonly { readonly name: string }[]) =>
    `${nodes.length} (${someOf(nodes.map(({ name }) => name))})`;
  const ends = jobEnds(outlook, counting);
  const sentences = [
    ...(leaving.length === 0 ? [] : [`On their way out there: ${named(leaving)}.`]),
    ...(idle.length === 0
      ? []
      : [`Idle there: ${named(idle)}; the first goes in ${duration(firstSeconds - outlook.atSeconds)}.`]),
    ...endsInWords(ends, outlook.atSeconds),
  ];
  return {
    text: sentences.map((sentence) => ` ${sentence}`).join(""),
    untilSeconds: firstAfter(outlook.atSeconds, [
      firstSeconds,
      ...(ends.openCount === 0 ? ends.endSeconds.slice(0, 1) : []),
    ]),
  };
}

function firstAfter(nowSeconds: number, moments: readonly number[]): number | null {
  const first = Math.min(...moments.filter((each) => each > nowSeconds));
  return Number.isFinite(first) ? first : null;
}

/** When the jobs that run on nodes end at the latest, as their sources say; the earliest first. */
interface JobEnds {
  readonly endSeconds: readonly number[];
  /** Jobs of which no end is known, or whose end is over. */
  readonly openCount: number;
}

function jobEnds({ input, atSeconds }: Outlook, nodes: readonly ClusterNode[]): JobEnds {
  const hosts = new Set(
    nodes.flatMap(({ hostname }) => (hostname === null ? [] : [shortHostname(hostname)])),
  );
  const running = input.jobs.filter(({ executingHostnames }) =>
    executingHostnames.some((host) => hosts.has(shortHostname(host))),
  );
  const ends = running.map(({ startedAtSeconds, runtimeSeconds }) =>
    startedAtSeconds === null || runtimeSeconds === null ? null : startedAtSeconds + runtimeSeconds,
  );
  const endSeconds = ends.filter((end) => end !== null && end > atSeconds) as number[];
  return { endSeconds: endSeconds.toSorted((a, b) => a - b), openCount: ends.length - endSeconds.length };
}

/** When it may start, although nobody raises the limit. */
function endsInWords({ endSeconds, openCount }: JobEnds, nowSeconds: number): readonly string[] {
  const [first, last] = [endSeconds[0], endSeconds.at(-1)];
  if (first === undefined || last === undefined) return [];
  const count = endSeconds.length + openCount;
  const of =
    openCount === 0 ? `The ${counted(count, "jobs")}` : `Of ${counted(count, "jobs")} ${endSeconds.length}`;
  const verb = endSeconds.length === 1 ? "ends" : "end";
  const when =
    first === last
      ? `in ${duration(first - nowSeconds)}`
      : `in ${duration(first - nowSeconds)} to ${duration(last - nowSeconds)}`;
  return [`${of} that ${count === 1 ? "runs" : "run"} there ${verb} ${when} at the latest.`];
}
