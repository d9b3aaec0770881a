import type { PlanRequest } from "../../messages/index.ts";
import { isOpen, type Ports } from "../../ports/index.ts";
import { digestOf } from "../control.ts";
import type { News, WorldOpened } from "./load-world.ts";

type Planned = Pick<Ports, "clock" | "ids">;

/** How far the clocks of two instances may differ. */
const longestSkewSeconds = 5;

/**
 * Whether the newest plan has seen all that there is. Messages that come one after the other are often seen by the plan
 * before their own, which would only be made again. A request for new demand stands for every other request of its window,
 * which the broker dropped as a repeat: so nothing else may have changed either. When in doubt, it is planned.
 */
export function isPlanned(
  ports: Planned,
  { atSeconds }: PlanRequest,
  { head: stored, operations, control, config, demand, targets, seen, recent, losses }: WorldOpened & News,
): boolean {
  const head = stored?.value;
  // The run that made the newest plan for this very request may have died half way.
  if (head === undefined || head.requestedAtSeconds === atSeconds) return false;
  if (operations.some(({ value }) => value.state === "planned")) return false;
  if (head.controlDigest !== digestOf(ports, control)) return false;
  if (head.configDigest !== digestOf(ports, config)) return false;
  const [loss] = losses;
  const sinceSeconds = head.demandReadAtSeconds - longestSkewSeconds;
  const { capacityFailureBackoffSeconds } = config.cycle;
  return (
    seen?.value.takenAtSeconds === head.snapshotTakenAtSeconds &&
    (head.nextDeadlineSeconds === null || head.nextDeadlineSeconds > ports.clock.nowSeconds()) &&
    demand.length === Object.keys(head.demandSequences).length &&
    demand.every(({ source, sequence }) => head.demandSequences[source] === sequence) &&
    targets.every(
      ({ requestSet, receivedAtSeconds }) => head.targetRequests[requestSet] === receivedAtSeconds,
    ) &&
    !recent.some((operation) => !isOpen(operation) && operation.updatedAtSeconds >= sinceSeconds) &&
    // An older one counts for no plan any more.
    (loss === undefined ||
      loss.eventId === head.newestLossId ||
      loss.atSeconds < sinceSeconds - capacityFailureBackoffSeconds)
  );
}
