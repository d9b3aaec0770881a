import type { HttpResponseInit } from "@azure/functions";
import type { StopAnswer } from "../../shared/api/index.ts";
import { requestStop, type StopOutcome, type StopRequest } from "../../shared/operate/request-stop.ts";
import { type Call, json, notFound, problem, unknownCluster } from "./http.ts";
import type { Service } from "./wire.ts";

const busyRetrySeconds = 10;
const heldRetrySeconds = 60;

/** Decides on one node's stop, in its turn, and says what came of it. */
export async function answerStop(
  { ports }: Call,
  { pace, turns }: Service["stops"],
  request: StopRequest,
): Promise<HttpResponseInit> {
  const { cluster, instance } = request;
  const wait = pace.waitSeconds(JSON.stringify([cluster, instance]), ports.clock.nowSeconds());
  if (wait > 0) {
    const title = "This node asked a moment ago";
    return problem("too-often", 429, { title, retryAfterSeconds: wait });
  }
  const outcome = await turns.take(cluster, () => requestStop(ports, request));
  return said(outcome ?? { outcome: "busy" }, { ...request, atSeconds: ports.clock.nowSeconds() });
}

function said(
  outcome: StopOutcome,
  { cluster, instance, atSeconds }: StopRequest & { readonly atSeconds: number },
): HttpResponseInit {
  switch (outcome.outcome) {
    case "granted":
      return json({ cluster, atSeconds, ...outcome } satisfies StopAnswer);
    case "leaving":
      return json({ cluster, atSeconds, actionId: null, ...outcome } satisfies StopAnswer);
    case "refused": {
      const { node, why, reason, retryAfterSeconds } = outcome;
      const words = { title: `Node "${node}" stays: it ${why}`, detail: reason };
      return problem(
        "refused",
        409,
        retryAfterSeconds === undefined ? words : { ...words, retryAfterSeconds },
      );
    }
    case "held": {
      const title = `Nothing is stopped: ${outcome.why}`;
      return problem("refused", 409, { title, detail: "held", retryAfterSeconds: heldRetrySeconds });
    }
    case "busy": {
      const title = "Too many nodes ask at the same moment";
      return problem("busy", 503, { title, retryAfterSeconds: busyRetrySeconds });
    }
    case "unknown-instance": {
      const detail = "It is gone, or CycleCloud did not have it yet when it was asked last";
      return notFound(`No node of cluster "${cluster}" is instance "${instance}"`, detail);
    }
    case "unknown-cluster":
      return unknownCluster(cluster);
  }
}
