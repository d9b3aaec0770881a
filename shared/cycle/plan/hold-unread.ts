import { kindOf, messageOf } from "../../errors/errors.ts";
import type { PlanHead, Ports, UnreadHold } from "../../ports/index.ts";
import { lookForUnread } from "../unread-demand.ts";
import type { MadePlan } from "./make-plan.ts";

const soonestLookSeconds = 5;
const latestLookSeconds = 15;

export interface Held {
  /** The plan without the deletions that wait. */
  readonly made: MadePlan;
  /** Absent: nothing is unread, or the plan deletes no idle node. */
  readonly unread?: UnreadHold;
  /** When another plan checks again; null: nothing waits. */
  readonly lookAgainSeconds: number | null;
}

/**
 * Idle nodes stay while demand lies unread that may name them as busy. A plan that deletes none asks nothing, and only its
 * deletions wait: drains go on, since they take nothing away from a job that has started. The executor looks again before it
 * asks CycleCloud, and for nodes that go for other reasons it alone does.
 */
export async function holdForUnread(
  ports: Pick<Ports, "log" | "unreadDemand">,
  made: MadePlan,
  known: {
    readonly cluster: string;
    readonly before: Pick<PlanHead, "unread"> | undefined;
    readonly isSent: boolean;
    readonly nowSeconds: number;
  },
): Promise<Held> {
  const { cluster, before, isSent, nowSeconds } = known;
  const staying = made.decided.retire.filter(({ cause }) => cause !== "idle-timeout");
  const idle = made.decided.retire.length - staying.length;
  if (!isSent || idle === 0) return { made, lookAgainSeconds: null };
  // A start time from a clock that was ahead must not prolong the wait.
  const sinceSeconds = Math.min(before?.unread?.sinceSeconds ?? nowSeconds, nowSeconds);
  const unreadNow = await look(ports, { cluster, since: async () => sinceSeconds, nowSeconds });
  if (unreadNow === undefined) return { made, lookAgainSeconds: null };
  const unread = { messages: unreadNow.messages, sinceSeconds, nodes: unreadNow.isOver ? 0 : idle };
  ports.log[unreadNow.isOver ? "warn" : "info"]("demand-unread", { cluster, ...unread });
  if (unreadNow.isOver) return { made, unread, lookAgainSeconds: null };
  const pauseSeconds = Math.max(soonestLookSeconds, (nowSeconds - sinceSeconds) / 2);
  return {
    made: { ...made, decided: { ...made.decided, retire: staying } },
    unread,
    lookAgainSeconds: nowSeconds + Math.min(pauseSeconds, latestLookSeconds),
  };
}

interface UnreadNow {
  readonly messages: number | null;
  readonly isOver: boolean;
}

/** A queue that does not answer delays only deletions, not the plan. */
async function look(
  ports: Pick<Ports, "log" | "unreadDemand">,
  asked: Parameters<typeof lookForUnread>[1],
): Promise<UnreadNow | undefined> {
  try {
    return await lookForUnread(ports, asked);
  } catch (error) {
    if (kindOf(error) !== "upstream") throw error;
    ports.log.warn("demand-unread", { cluster: asked.cluster, message: messageOf(error) });
    return { messages: null, isOver: false };
  }
}
