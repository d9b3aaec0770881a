import { expect } from "vitest";
import { ConflictError } from "../../../../shared/errors/errors.ts";
import type { NotificationRecord, NotificationStore } from "../../../../shared/ports/index.ts";
import { type ContractCase, uniqueCluster } from "./suite.ts";
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

export const notificationStoreCases: readonly ContractCase<NotificationStore>[] = [
  {
    name: "a cluster of which nothing was told has no record",
    async run(store) {
      expect(await store.load(uniqueCluster())).toBeUndefined();
    },
  },
  {
    name: "gives back what was saved, and clusters are kept apart",
    async run(store) {
      const [one, other] = [uniqueCluster(), uniqueCluster()];
      await store.save(recordOf(one), undefined);
      await store.save(recordOf(other, 7), undefined);
      expect((await store.load(one))?.value).toEqual(recordOf(one));
      expect((await store.load(other))?.value).toEqual(recordOf(other, 7));
    },
  },
  {
    name: "the ETag that save returns is that of the record, and the one to save with next",
    async run(store) {
      const cluster = uniqueCluster();
      const first = await store.save(recordOf(cluster), undefined);
      expect((await store.load(cluster))?.etag).toBe(first);
      const second = await store.save(recordOf(cluster, 1), first);
      expect(await store.load(cluster)).toEqual({ value: recordOf(cluster, 1), etag: second });
    },
  },
  {
    name: "of two who save what they read, one is told of the conflict and changes nothing",
    async run(store) {
      const cluster = uniqueCluster();
      const etag = await store.save(recordOf(cluster), undefined);
      await store.save(recordOf(cluster, 1), etag);
      await expect(store.save(recordOf(cluster, 2), etag)).rejects.toThrow(ConflictError);
      await expect(store.save(recordOf(cluster, 3), undefined)).rejects.toThrow(ConflictError);
      expect((await store.load(cluster))?.value).toEqual(recordOf(cluster, 1));
    },
  },
];
