import type { DemandMessage } from "../messages/job-demand.ts";
import type { DemandPart, Ports, SourceDemand, Stored } from "../ports.ts";
import { mergeDemand } from "./merge-demand.ts";
import { requestPlan } from "./request-plan.ts";

export type AcceptOutcome =
  | { readonly outcome: "accepted"; readonly jobs: number; readonly nodes: number }
  /** An older or repeated message. */
  | { readonly outcome: "ignored" }
  | { readonly outcome: "waiting-for-parts"; readonly have: number; readonly want: number }
  /** A delta that came before its predecessor: the queue should offer it again. */
  | { readonly outcome: "early"; readonly reason: string }
  | { readonly outcome: "rejected"; readonly problems: readonly string[] };

type DemandPorts = Pick<Ports, "clock" | "configs" | "demand" | "log" | "planRequests">;

/**
 * Takes one demand message that was checked already: merges it into what its source wants and asks for a plan.
 * Throws ConflictError when another message of the same source was faster; the message is simply tried again.
 */
export async function acceptDemand(ports: DemandPorts, message: DemandMessage): Promise<AcceptOutcome> {
  const outcome = await merge(ports, message);
  ports.log.info("demand", {
    cluster: message.cluster,
    source: message.source,
    sequence: message.sequence,
    kind: message.kind,
    outcome: outcome.outcome,
    jobs: message.jobs.length,
  });
  return outcome;
}

async function merge(ports: DemandPorts, message: DemandMessage): Promise<AcceptOutcome> {
  const config = await ports.configs.load(message.cluster);
  if (config === undefined) return unknownCluster(ports, message.cluster);
  const current = await ports.demand.load(message.cluster, message.source);
  const whole = await assemble(ports, message, current);
  if ("outcome" in whole) return whole;

  const merged = mergeDemand(current?.value, whole.message, {
    nowSeconds: ports.clock.nowSeconds(),
    ttlSeconds: message.ttlSeconds ?? config.cycle.demandTtlSeconds,
  });
  if (merged.outcome === "early") return { outcome: "early", reason: earlyReason(message, merged.have) };
  await ports.demand.save(merged.demand, current?.etag);
  if (merged.outcome === "ignored") return { outcome: "ignored" };
  if (whole.inParts) await ports.demand.dropParts(message);
  await requestPlan(ports, { cluster: message.cluster, reason: `demand from ${message.source}` });
  return { outcome: "accepted", jobs: merged.demand.jobs.length, nodes: merged.demand.nodes.length };
}

interface Whole {
  readonly message: DemandMessage;
  readonly inParts: boolean;
}

/** A snapshot in parts takes effect when its last part has come, whichever that is. */
async function assemble(
  ports: DemandPorts,
  message: DemandMessage,
  current: Stored<SourceDemand> | undefined,
): Promise<Whole | AcceptOutcome> {
  if (message.kind !== "snapshot" || message.part === undefined || message.part.count === 1) {
    return { message, inParts: false };
  }
  const isOld = current !== undefined && message.sequence <= current.value.sequence;
  if (isOld) return { message, inParts: false };
  const part: DemandPart = { index: message.part.index, jobs: message.jobs, nodes: message.nodes };
  await ports.demand.savePart(message, part);
  const want = message.part.count;
  // A part beyond the count is left over from an attempt of the sender that was cut differently.
  const parts = (await ports.demand.loadParts(message)).filter((each) => each.index < want);
  if (parts.length < want) return { outcome: "waiting-for-parts", have: parts.length, want };
  const jobs = parts.flatMap((each) => each.jobs);
  const nodes = parts.flatMap((each) => each.nodes);
  return { message: { ...message, jobs, nodes }, inParts: true };
}

async function unknownCluster(ports: DemandPorts, cluster: string): Promise<AcceptOutcome> {
  const known = await ports.configs.clusters();
  const wanted = known.length === 0 ? "but no cluster is configured" : `expected one of ${known.join(", ")}`;
  return { outcome: "rejected", problems: [`cluster: "${cluster}", ${wanted}`] };
}

function earlyReason(message: DemandMessage, have: number | undefined): string {
  const base = have === undefined ? "no snapshot of this source" : `sequence ${have}`;
  return `Cannot apply delta ${message.sequence} of source "${message.source}": have ${base}, expected ${message.sequence - 1}`;
}
