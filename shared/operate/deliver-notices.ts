import type { Delivery, Notice, NotificationRecord, Sent } from "../ports/index.ts";

/** How long a claim keeps other runs from sending. Longer than a run needs to send what it claimed. */
const claimSeconds = 90;
const shortestWaitSeconds = 60;
const longestWaitSeconds = 3_600;
/** How long a message is retried. */
const longestTrySeconds = 86_400;
/** Most messages to one destination in one run: receivers accept about one a second. */
const mostAtOnce = 5;

/** What one run may send, in this order for each destination. A failure stops the rest for that destination. */
export type Claimed = ReadonlyMap<string, readonly Notice[]>;

/** Claims what is due. The run sends after the claim is saved; if it dies, the first run after the claim ends sends it. */
export function claimNotices(
  record: NotificationRecord,
  nowSeconds: number,
): { readonly record: NotificationRecord; readonly claimed: Claimed } {
  const isDue = (to: string) => {
    const waitSeconds = (deliveryOf(record, to)?.notBeforeSeconds ?? 0) - nowSeconds;
    // A clock that was far ahead must not hold a message back until that time comes.
    return waitSeconds <= 0 || waitSeconds > longestWaitSeconds;
  };
  const byDestination = Map.groupBy(record.outbox, ({ to }) => to);
  const claimed = new Map(
    [...byDestination]
      .filter(([to]) => isDue(to))
      .map(([to, notices]) => [to, notices.slice(0, mostAtOnce)] as const),
  );
  const deliveries = [
    ...record.deliveries.filter(({ to }) => !claimed.has(to)),
    ...[...claimed.keys()].map((to) => ({
      ...(deliveryOf(record, to) ?? { to, failures: 0, failingSinceSeconds: null, why: null }),
      notBeforeSeconds: nowSeconds + claimSeconds,
    })),
  ];
  return { record: { ...record, deliveries }, claimed };
}

/** The result by destination: which messages arrived, and why the next one did not. */
export interface Told {
  readonly to: string;
  readonly arrived: readonly string[];
  readonly failed: Extract<Sent, { ok: false }> | undefined;
}

/** The record after sending, and the messages that are given up. */
export function settleNotices(
  record: NotificationRecord,
  told: readonly Told[],
  nowSeconds: number,
): { readonly record: NotificationRecord; readonly givenUp: readonly Notice[] } {
  const toldTo = (to: string) => told.find((each) => each.to === to);
  const left = record.outbox.filter(({ to, id }) => !toldTo(to)?.arrived.includes(id));
  const isOld = ({ to, atSeconds }: Notice) =>
    toldTo(to)?.failed !== undefined && nowSeconds - atSeconds >= longestTrySeconds;
  const old = left.filter(isOld);
  // A destination that never received the beginning of an incident is not sent its end.
  const isPart = ({ to, incident }: { to: string; incident: string }) =>
    old.some((each) => each.phase === "begun" && each.to === to && each.incident === incident);
  const givenUp = left.filter((notice) => old.includes(notice) || isPart(notice));
  const outbox = left.filter((notice) => !givenUp.includes(notice));
  return {
    record: {
      ...record,
      outbox,
      incidents: record.incidents.map((incident) => ({
        ...incident,
        tellTo: incident.tellTo.filter((to) => !isPart({ to, incident: incident.id })),
      })),
      deliveries: record.deliveries.flatMap((delivery) => {
        const each = toldTo(delivery.to);
        return each === undefined ? [delivery] : deliveryAfter(delivery, each, nowSeconds);
      }),
    },
    givenUp,
  };
}

/** The pause before the next attempt; none after a success. */
function deliveryAfter(before: Delivery, { to, failed }: Told, nowSeconds: number): readonly Delivery[] {
  if (failed === undefined) return [];
  const waitSeconds = Math.min(longestWaitSeconds, shortestWaitSeconds * 2 ** before.failures);
  const failingSinceSeconds = before.failingSinceSeconds ?? nowSeconds;
  const failures = before.failures + 1;
  return [{ to, failures, failingSinceSeconds, why: failed.why, notBeforeSeconds: nowSeconds + waitSeconds }];
}

function deliveryOf({ deliveries }: NotificationRecord, to: string): Delivery | undefined {
  return deliveries.find((each) => each.to === to);
}
