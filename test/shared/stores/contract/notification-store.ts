import { expect } from "vitest";
import type { NotificationRecord, NotificationStore } from "../../../../shared/ports/index.ts";
import { recordCases } from "./record-cases.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { startSeconds } from "./values.ts";

function recordOf(cluster: string, failures = 0): NotificationRecord {
  const words = {
    kind: "source-silent",
    problem: "source-expired",
    subject: "celery \u2028 \u{1f6d1}",
    text: 'Source "celery" is silent',
    next: "See whether it runs.",
    command: "ccscale status",
  } as const;
  return {
    cluster,
    destinations: [{ urlSetting: "TEAMS_WEBHOOK", format: "teams", kinds: ["source-silent"] }],
    incidents: [
      {
        ...words,
        key: "source-expired:celery",
        id: "i-1",
        sinceSeconds: startSeconds,
        unseenSinceSeconds: null,
        tellTo: ["TEAMS_WEBHOOK"],
      },
    ],
    candidates: [{ key: "no-plan", state: "plan-1", sinceSeconds: startSeconds + 0.5 }],
    outbox: [
      {
        ...words,
        id: "i-1-begun",
        incident: "i-1",
        phase: "begun",
        to: "TEAMS_WEBHOOK",
        cluster,
        sinceSeconds: startSeconds,
        atSeconds: startSeconds,
      },
    ],
    deliveries: [
      {
        to: "TEAMS_WEBHOOK",
        notBeforeSeconds: startSeconds + 60,
        failures,
        failingSinceSeconds: null,
        why: null,
      },
    ],
  };
}

export const notificationStoreCases: ContractCases<NotificationStore> = {
  ...recordCases<NotificationStore, NotificationRecord>({
    what: "what was told",
    of: recordOf,
    load: (store, name) => store.load(name),
    save: (store, _, value, ifMatch) => store.save(value, ifMatch),
  }),
  "the ETag that save returns is that of the record, and the one to save with next": async (store) => {
    const cluster = uniqueCluster();
    const first = await store.save(recordOf(cluster), undefined);
    expect((await store.load(cluster))?.etag).toBe(first);
    const second = await store.save(recordOf(cluster, 1), first);
    expect(await store.load(cluster)).toEqual({ value: recordOf(cluster, 1), etag: second });
  },
};
