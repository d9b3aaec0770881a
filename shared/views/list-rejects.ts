import type { RejectAnswer, RejectsAnswer } from "../api/index.ts";
import type { Ports, RejectedMessage, Rejection } from "../ports/index.ts";
import { type PageQuery, pageOfTimeline } from "./page.ts";

/** Messages of the cluster that were refused or given up, and those that name no known cluster, newest first. */
export async function listRejects(
  ports: Pick<Ports, "clock" | "rejections">,
  cluster: string,
  query: PageQuery,
): Promise<RejectsAnswer> {
  const { items, next, total } = await pageOfTimeline(
    {
      load: (limit, untilSeconds) => newestRejections(ports, cluster, limit, untilSeconds),
      atSecondsOf: ({ receivedAtSeconds }) => receivedAtSeconds,
      nameOf: ({ rejectionId }) => rejectionId,
    },
    query,
  );
  return { cluster, atSeconds: ports.clock.nowSeconds(), rejections: items, next, total };
}

/** One of the cluster's, or of those that name no known cluster, with its whole message; undefined when there is none. */
export async function showReject(
  ports: Pick<Ports, "clock" | "rejections">,
  cluster: string,
  rejectionId: string,
): Promise<RejectAnswer | undefined> {
  const found = await findReject(ports, cluster, rejectionId);
  if (found === undefined) return undefined;
  const { rejection, body = null } = found;
  return { cluster, atSeconds: ports.clock.nowSeconds(), rejection, message: body };
}

export async function findReject(
  { rejections }: Pick<Ports, "rejections">,
  cluster: string,
  rejectionId: string,
): Promise<RejectedMessage | undefined> {
  return (await rejections.load(cluster, rejectionId)) ?? rejections.load(undefined, rejectionId);
}

/** Those of the cluster, and those that name no known one. */
export async function newestRejections(
  { rejections }: Pick<Ports, "rejections">,
  cluster: string,
  limit: number,
  untilSeconds?: number,
): Promise<readonly Rejection[]> {
  const [own, nobodys] = await Promise.all([
    rejections.list(cluster, limit, untilSeconds),
    rejections.list(undefined, limit, untilSeconds),
  ]);
  return [...own, ...nobodys].sort(newestFirst).slice(0, limit);
}

function newestFirst(a: Rejection, b: Rejection): number {
  return b.receivedAtSeconds - a.receivedAtSeconds || (a.rejectionId < b.rejectionId ? 1 : -1);
}
