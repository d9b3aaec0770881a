import { requestStop, type StopOutcome, type StopRequest } from "../operate/index.ts";
import { type Answered, answered, notFound, problem, unknownCluster } from "./answered.ts";
import type { ServicePorts } from "./ports.ts";
import type { AnswerOf } from "./route-call.ts";

const busyRetrySeconds = 10;
const heldRetrySeconds = 60;

/** Decides one node's stop when its turn comes. A node that asks too often is answered when to ask again. */
export async function answerStop(
  ports: ServicePorts,
  request: StopRequest,
): Promise<Answered<AnswerOf<"stop">>> {
  const { cluster, instance } = request;
  const { pace, turns } = ports.stops;
  const name = JSON.stringify([cluster, instance]);
  const wait = pace.waitSeconds(name, ports.clock.nowSeconds());
  if (wait > 0) {
    const title = "This node asked a moment ago";
    return problem("too-often", 429, { title, retryAfterSeconds: wait });
  }
  const outcome = await turns.take(cluster, () => requestStop(ports, request));
  if (outcome === undefined) pace.forget(name);
  return toAnswer(outcome ?? { outcome: "busy" }, { ...request, atSeconds: ports.clock.nowSeconds() });
}

function toAnswer(
  outcome: StopOutcome,
  { cluster, instance, atSeconds }: StopRequest & { readonly atSeconds: number },
): Answered<AnswerOf<"stop">> {
  switch (outcome.outcome) {
    case "granted":
      return answered({ cluster, atSeconds, ...outcome });
    case "leaving":
      return answered({ cluster, atSeconds, actionId: null, ...outcome });
    case "refused": {
      const { node, why, reason, retryAfterSeconds } = outcome;
      const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      return problem("refused", 409, { title: `Node "${node}" stays: it ${why}`, detail: reason, ...wait });
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
      const detail = "It is gone, or CycleCloud did not list it yet in the newest snapshot";
      return notFound(`No node of cluster "${cluster}" is instance "${instance}"`, detail);
    }
    case "unknown-cluster":
      return unknownCluster(cluster);
  }
}
