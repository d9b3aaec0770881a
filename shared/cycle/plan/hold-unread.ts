import { kindOf, messageOf } from "../../errors/errors.ts";
import type { PlanHead, Ports, UnreadHold } from "../../ports/index.ts";
import { restsOnDemand } from "../doubts.ts";
import { lookForUnread } from "../unread-demand.ts";
import type { MadePlan } from "./make-plan.ts";

const soonestLookSeconds = 5;
const latestLookSeconds = 15;

export interface Held {
  /** The plan without the deletions that wait. */
  readonly made: MadePlan;
  /** Absent: nothing is unread, or the plan deletes nothing and none before it had to wait. */
  readonly unread?: UnreadHold;
  /** Nobody has asked for the plan of `unread.lookAgainSeconds` yet. */
  readonly asksForLook: boolean;
}

/**
 * Idle nodes stay while demand lies unread that may name them as busy. A plan asks only when it deletes something, or to see
 * whether the wait of one before it is over; and only deletions of idle nodes wait here: drains go on, since they take nothing
 * away from a job that has started. The executor looks again before it asks CycleCloud, and for nodes that go for other reasons
 * it alone does; how long they have waited stands in the plan.
 */
export async function holdForUnread(
  ports: Pick<Ports, "log" | "unreadDemand">,
  made: MadePlan,
  plan: {
    readonly cluster: string;
    readonly before: Pick<PlanHead, "unread"> | undefined;
    readonly isSent: boolean;
    readonly nowSeconds: number;
  },
): Promise<Held> {
  const { cluster, isSent, nowSeconds } = plan;
  const before = plan.before?.unread;
  const { retire } = made.decided;
  const none = { made, asksForLook: false };
  if (!isSent || (retire.length === 0 && before === undefined)) return none;
  // A start time from a clock that was ahead must not prolong the wait.
  const sinceSeconds = Math.min(before?.sinceSeconds ?? nowSeconds, nowSeconds);
  const unreadNow = await look(ports, { cluster, since: async () => sinceSeconds, nowSeconds });
  if (unreadNow === undefined) return none;
  const { messages, isOver } = unreadNow;
  const staying = isOver ? retire : retire.filter(({ cause }) => !restsOnDemand(cause));
  const nodes = retire.length - staying.length;
  const asked = before?.lookAgainSeconds ?? null;
  // One plan that looks again is enough, however many are made meanwhile.
  const isAsked = asked !== null && asked > nowSeconds && asked <= nowSeconds + latestLookSeconds;
  const pauseSeconds = Math.max(soonestLookSeconds, (nowSeconds - sinceSeconds) / 2);
  const lookSeconds = isAsked ? asked : nowSeconds + Math.min(pauseSeconds, latestLookSeconds);
  const unread = {
    messages,
    sinceSeconds,
    nodes,
    isOver,
    lookAgainSeconds: nodes === 0 ? null : lookSeconds,
  };
  ports.log[isOver ? "warn" : "info"]("demand-unread", { cluster, messages, sinceSeconds, nodes });
  return {
    made: { ...made, decided: { ...made.decided, retire: staying } },
    unread,
    asksForLook: nodes > 0 && !isAsked,
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
