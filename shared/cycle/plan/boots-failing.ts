import {
  type Cluster,
  type EngineSettings,
  forNodeArray,
  kindName,
  type NodeHistory,
  type NodeKind,
} from "../../engine/index.ts";
import type { BackedOff, BootsFailing } from "../../ports/index.ts";

/** How far back boots are counted, unless the back-off is longer. */
const windowSeconds = 3_600;

/** How a boot ended. */
interface Boot extends NodeKind {
  readonly atSeconds: number;
  readonly failed: boolean;
}

/**
 * VM sizes whose boots mostly fail: more of them would only cost money, and jobs that another size can take should go there. So
 * many failures are needed, and more than half of the boots within the hour; from there on the back-off grows with their share,
 * to the whole at none that came up. It runs from the last failure. After it they are tried again.
 */
export function bootsFailing(known: {
  /** As the last plan left it. */
  readonly history: readonly NodeHistory[];
  /** What the snapshot shows. */
  readonly cluster: Pick<Cluster, "nodes">;
  readonly settings: EngineSettings;
  /** As many failures are needed; 0: there is no back-off. */
  readonly failures: number;
  readonly backoffSeconds: number;
  readonly nowSeconds: number;
}): readonly BootsFailing[] {
  const { failures: least, backoffSeconds, nowSeconds } = known;
  if (least === 0) return [];
  const since = nowSeconds - Math.max(windowSeconds, backoffSeconds);
  const boots = bootsOf(known).filter(({ atSeconds }) => atSeconds > since);
  const bySize = Map.groupBy(boots, kindName);
  return [...bySize.values()].flatMap((ended) => {
    const failed = ended.filter((boot) => boot.failed);
    const [first] = failed;
    if (first === undefined || failed.length < least) return [];
    const last = failed.reduce((latest, { atSeconds }) => Math.max(latest, atSeconds), 0);
    const share = failed.length / ended.length;
    const untilSeconds = last + Math.round(backoffSeconds * Math.max(0, 2 * share - 1));
    if (untilSeconds <= nowSeconds) return [];
    const { nodeArray, vmSize } = first;
    return [{ nodeArray, vmSize, failures: failed.length, boots: ended.length, untilSeconds }];
  });
}

/** Boots that ended, those that only this snapshot shows as failed included. */
function bootsOf({
  history,
  cluster,
  settings,
  nowSeconds,
}: Parameters<typeof bootsFailing>[0]): readonly Boot[] {
  const rows = new Map(history.map((row) => [row.nodeId, row]));
  const unseen = cluster.nodes.filter(({ nodeId, status, targetState }) => {
    const row = rows.get(nodeId);
    const isNews = row === undefined || (row.readySeconds === null && row.failure === undefined);
    return status === "Failed" && targetState === "Started" && isNews;
  });
  const failedNow = new Set(unseen.map(({ nodeId }) => nodeId));
  const ended = history.flatMap((row): Boot[] => {
    const { nodeId, nodeArray, vmSize } = row;
    if (failedNow.has(nodeId)) return [];
    const end = endOf(row, { nowSeconds, timeout: forNodeArray(settings.bootTimeoutSeconds, nodeArray) });
    return end === null ? [] : [{ nodeArray, vmSize, ...end }];
  });
  const failed = unseen.map(({ nodeArray, vmSize }) => ({
    nodeArray,
    vmSize,
    atSeconds: nowSeconds,
    failed: true,
  }));
  return [...ended, ...failed];
}

/** Null: still booting, or deleted before its outcome was seen. A node that failed and came up on a retry counts as up. */
function endOf(
  { createdSeconds, readySeconds, deletedSeconds, failure }: NodeHistory,
  { nowSeconds, timeout }: { readonly nowSeconds: number; readonly timeout: number },
): Pick<Boot, "atSeconds" | "failed"> | null {
  if (readySeconds !== null) return { atSeconds: readySeconds, failed: false };
  if (failure !== undefined) return { atSeconds: failure.atSeconds, failed: true };
  const overSeconds = createdSeconds + timeout;
  return overSeconds < (deletedSeconds ?? nowSeconds) ? { atSeconds: overSeconds, failed: true } : null;
}

/** The same as backed-off buckets. */
export function bucketsOf(failing: readonly BootsFailing[]): readonly BackedOff[] {
  return failing.map(({ nodeArray, vmSize, failures, boots, untilSeconds }) => {
    const why = `${failures} of ${boots} boots of ${nodeArray}/${vmSize} failed within an hour`;
    return { nodeArray, vmSize, untilSeconds, why };
  });
}
