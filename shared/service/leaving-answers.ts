import { drainLeaving, type Leaving } from "../operate/index.ts";
import { type Answered, answered, notFound, problem, unknownCluster } from "./answered.ts";
import type { ServicePorts } from "./ports.ts";
import type { AnswerOf } from "./route-call.ts";

/** Drains a node that Azure is about to take. A node that reports too often is told when to report again. */
export async function answerLeaving(
  ports: ServicePorts,
  leaving: Leaving,
): Promise<Answered<AnswerOf<"leaving">>> {
  const { cluster, instance } = leaving;
  const nowSeconds = ports.clock.nowSeconds();
  const { pace, turns } = ports.stops;
  const name = JSON.stringify(["leaving", cluster, instance]);
  const wait = pace.waitSeconds(name, nowSeconds);
  if (wait > 0)
    return problem("too-often", 429, { title: "This node reported a moment ago", retryAfterSeconds: wait });
  const outcome = await turns.take(cluster, () => drainLeaving(ports, leaving));
  switch (outcome?.outcome) {
    case undefined: {
      pace.forget(name);
      const title = "Too many nodes report at the same moment";
      return problem("busy", 503, { title, retryAfterSeconds: 2 });
    }
    case "draining":
    case "drained-before":
    case "leaving":
      return answered({ cluster, atSeconds: nowSeconds, untilSeconds: null, ...outcome });
    case "unknown-instance": {
      const detail = "It is gone, or CycleCloud did not list it yet in the newest snapshot";
      return notFound(`No node of cluster "${cluster}" is instance "${instance}"`, detail);
    }
    case "unknown-cluster":
      return unknownCluster(cluster);
  }
}
