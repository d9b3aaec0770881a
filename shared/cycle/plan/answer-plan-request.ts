import { kindOf, messageOf } from "../../errors/errors.ts";
import type { PlanRequest } from "../../messages/index.ts";
import { isAhead } from "../clocks.ts";
import { snapshotCluster } from "../snapshot/snapshot-cluster.ts";
import { type PlanOutcome, planScale } from "./plan-scale.ts";

type AnswerPorts = Parameters<typeof planScale>[0] & Parameters<typeof snapshotCluster>[0];

export type PlanRequestOutcome =
  | PlanOutcome
  /** A snapshot was taken, which asks for a plan by itself. */
  | { readonly outcome: "looked" }
  /** The newest snapshot was begun after this look was asked for. */
  | { readonly outcome: "seen" }
  /** CycleCloud did not answer: the next timer asks it again. */
  | { readonly outcome: "not-seen" };

/** Plans, or looks: both in the session of the cluster, so a burst of events makes one reading after the other. */
export async function answerPlanRequest(
  ports: AnswerPorts,
  request: PlanRequest,
): Promise<PlanRequestOutcome> {
  return request.refresh === true ? look(ports, request) : planScale(ports, request);
}

async function look(
  ports: AnswerPorts,
  { cluster, atSeconds, reason }: PlanRequest,
): Promise<PlanRequestOutcome> {
  const newest = (await ports.snapshots.load(cluster))?.value;
  const takenAtSeconds = newest?.takenAtSeconds ?? Number.NEGATIVE_INFINITY;
  if (takenAtSeconds >= atSeconds && !isAhead(takenAtSeconds, ports.clock.nowSeconds()))
    return { outcome: "seen" };
  try {
    await snapshotCluster(ports, cluster);
    return { outcome: "looked" };
  } catch (error) {
    if (kindOf(error) !== "upstream") throw error;
    // No immediate retry: it would burden a server that is in trouble.
    ports.log.warn("look", { cluster, reason, message: messageOf(error) });
    return { outcome: "not-seen" };
  }
}
