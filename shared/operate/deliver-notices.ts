import type { Delivery, Notice, NotificationRecord, Sent } from "../ports/index.ts";

/** Nobody else sends meanwhile. Longer than a run takes to send what it claimed. */
const claimSeconds = 90;
const shortestWaitSeconds = 60;
const longestWaitSeconds = 3_600;
/** A message that could not be sent for that long is given up. */
const longestTrySeconds = 86_400;
/** For one destination in one run: receivers take about one a second. */
const mostAtOnce = 5;

/** What one run may send: of each destination in this order, and no further after one that did not arrive. */
export type Claimed = ReadonlyMap<string, readonly Notice[]>;

/** Claims what is due, for a run that sends once this is saved. If it dies, the next one that comes after the claim does. */
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

/** What came of it, by destination: what arrived, and why the one behind it did not. */
export interface Told {
  readonly to: string;
  readonly arrived: readonly string[];
  readonly failed: Extract<Sent, { ok: false }> | undefined;
}

/** The record when messages arrived or did not, and those that are given up. */
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
  // Who received no message when it began receives none when it is over.
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

/** None when the last one arrived: the next is due at once. */
function deliveryAfter(before: Delivery, { to, failed }: Told, nowSeconds: number): readonly Delivery[] {
  if (failed === undefined) return [];
  const failures = before.failures + 1;
  const waitSeconds = Math.min(longestWaitSeconds, shortestWaitSeconds * 2 ** Math.min(failures - 1, 10));
  const failingSinceSeconds = before.failingSinceSeconds ?? nowSeconds;
  return [{ to, failures, failingSinceSeconds, why: failed.why, notBeforeSeconds: nowSeconds + waitSeconds }];
}

function deliveryOf({ deliveries }: NotificationRecord, to: string): Delivery | undefined {
  return deliveries.find((each) => each.to === to);
}
