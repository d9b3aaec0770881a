import type { HttpResponseInit } from "@azure/functions";
import type { Cursor } from "../../shared/api/index.ts";
import type { Outlook } from "../../shared/views/index.ts";
import { answerForCluster, type Call, type Read, unknownCluster } from "./http.ts";
import { service } from "./service.ts";

/**
 * Answers a call from what is known of the cluster and the plan that would be made now; a page from what the page before
 * it was made from. `read` comes first: a query or body that is refused costs no plan.
 */
export function answerFromOutlook<T>(
  call: Call,
  read: Read<T>,
  work: (outlook: Outlook, value: T) => HttpResponseInit,
): Promise<HttpResponseInit> {
  return answerForCluster(call, async ({ ports, cluster }) => {
    if (!read.ok) return read.response;
    const outlook =
      heldOutlook(cluster, read.value, ports.clock.nowSeconds()) ??
      (await service.outlooks.lookAhead(ports, cluster));
    return outlook === undefined ? unknownCluster(cluster) : work(outlook, read.value);
  });
}

function heldOutlook(cluster: string, query: unknown, nowSeconds: number): Outlook | undefined {
  const { cursor } = (query ?? {}) as { readonly cursor?: Cursor };
  const madeAtSeconds = cursor?.[2];
  return madeAtSeconds === undefined ? undefined : service.outlooks.held(cluster, madeAtSeconds, nowSeconds);
}
