import type { CauseView } from "../../api/index.ts";
import type { BucketSurvey, Reason, ReasonCode } from "../../engine/index.ts";
import { exactDuration } from "../../text/durations.ts";
import { counted } from "../../text/text.ts";
import type { OutlookJob } from "../job-states.ts";
import type { Outlook } from "../outlook.ts";
import { amount, cause, figures } from "./cause.ts";

interface InTheWay {
  /** What keeps the job off, as the end of a sentence. */
  readonly why: string;
  readonly next: string;
}

/**
 * Spot sizes with room that take everything the job asks for, and that the job stays off: what whoever asks can change himself, while
 * more of a quota has to be asked of Azure. One for each cause, the size with most room.
 */
export function spotOff(outlook: Outlook, { job, outcome }: OutlookJob): readonly CauseView[] {
  const roomiest = new Map<ReasonCode, { reason: Reason; size: BucketSurvey; nodes: number }>();
  for (const reason of outcome.reasons) {
    if (inTheWay(reason, job) === null) continue;
    const size = sizeOf(outlook, reason);
    if (size === undefined) continue;
    const nodes = leftAfterPlan(outlook, size);
    if (nodes > (roomiest.get(reason.code)?.nodes ?? 0)) roomiest.set(reason.code, { reason, size, nodes });
  }
  return [...roomiest.values()].flatMap(({ reason, size, nodes }) => {
    const way = inTheWay(reason, job);
    if (way === null) return [];
    const { nodeArray, vmSize } = size;
    const text = `Room is free in ${nodeArray}/${vmSize}, ${counted(nodes * vcpusOf(outlook, size), "cores")} on ${counted(nodes, "new nodes")}, and only one thing keeps the job off: ${way.why}.`;
    return [cause("spot-off", { text, next: way.next, ...figures(reason) })];
  });
}

/** By the codes of reasons that name a condition of spot nodes. */
const ways: { readonly [code in ReasonCode]?: (asked: number, runtimeSeconds: number | null) => InTheWay } = {
  SpotRunTimeTooLong(asked, runtimeSeconds) {
    const bound = exactDuration(asked);
    const runs = runtimeSeconds === null ? "for longer" : exactDuration(runtimeSeconds);
    return {
      why: `it may run ${runs}, and spot.max_runtime is ${bound}`,
      next: `Submit it with a run time of at most ${bound}; or raise the bound: \`ccscale config set spot.max_runtime ${runtimeSeconds === null ? "SECONDS" : Math.ceil(runtimeSeconds)}\`.`,
    };
  },
  SpotEvictedTooOften: (asked) => ({
    why: `it lost spot nodes ${counted(asked, "times")} or more (spot.evictions_before_regular)`,
    next: `Let it try once more: \`ccscale config set spot.evictions_before_regular ${asked + 1}\`.`,
  }),
  SpotNotInterruptible: () => ({
    why: "its sender says that it may not be interrupted",
    next: 'If it can start over after an eviction, submit it as one that may be interrupted ("interruptible").',
  }),
};

/** Null: the reason is another one. */
function inTheWay({ code, asked }: Reason, { runtimeSeconds }: OutlookJob["job"]): InTheWay | null {
  return ways[code]?.(amount(asked), runtimeSeconds) ?? null;
}

export function sizeOf(outlook: Outlook, { bucket }: Reason): BucketSurvey | undefined {
  return outlook
    .buckets()
    .find(
      ({ nodeArray, vmSize, placementGroup, isOpen }) =>
        isOpen &&
        nodeArray === bucket?.nodeArray &&
        vmSize === bucket.vmSize &&
        placementGroup === bucket.placementGroup,
    );
}

export function leftAfterPlan({ plan }: Outlook, size: BucketSurvey): number {
  const use = plan.buckets.find(
    ({ nodeArray, vmSize, placementGroup }) =>
      nodeArray === size.nodeArray && vmSize === size.vmSize && placementGroup === size.placementGroup,
  );
  return use?.availableCount ?? 0;
}

export function vcpusOf({ input }: Outlook, { nodeArray, vmSize }: BucketSurvey): number {
  const array = input.cluster.nodeArrays.find(({ name }) => name === nodeArray);
  return array?.buckets.find((bucket) => bucket.vmSize === vmSize)?.vm.vcpuCount ?? 0;
}
