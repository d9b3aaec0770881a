import type { DemandMessage } from "../../messages/job-demand.ts";
import type { DemandPart, DemandStore, SourceDemand } from "../../ports/index.ts";
import { isOld } from "./merge-demand.ts";

export type DeltaMessage = Extract<DemandMessage, { kind: "delta" }>;

export type Assembled =
  | { readonly outcome: "whole"; readonly message: DemandMessage }
  | { readonly outcome: "waiting-for-parts"; readonly have: number; readonly want: number };

/** A snapshot in parts takes effect when its last part has come, whichever that is. */
export async function assemble(
  demand: DemandStore,
  message: DemandMessage,
  nowSeconds: number,
): Promise<Assembled> {
  if (message.kind !== "snapshot" || message.part === undefined || message.part.count === 1) {
    return { outcome: "whole", message };
  }
  const current = await demand.load(message.cluster, message.source);
  // A part of what is old already waits for nothing: it is ignored like any old message.
  if (current !== undefined && isOld(current.value, message, nowSeconds))
    return { outcome: "whole", message };
  const { part, jobs, nodes } = message;
  await demand.savePart(message, { index: part.index, jobs, nodes });
  // A part beyond the count is left over from an attempt of the sender that was cut differently.
  const parts = (await demand.loadParts(message)).filter((each) => each.index < part.count);
  if (parts.length < part.count) {
    return { outcome: "waiting-for-parts", have: parts.length, want: part.count };
  }
  const whole = { jobs: parts.flatMap((each) => each.jobs), nodes: parts.flatMap((each) => each.nodes) };
  return { outcome: "whole", message: { ...message, ...whole } };
}

/** Keeps a delta that came before its predecessor: queues do not keep order, and a burst comes all at once. */
export async function parkDelta(demand: DemandStore, delta: DeltaMessage): Promise<void> {
  const { jobs, nodes, remove, capabilities } = delta;
  await demand.savePart(delta, { index: 0, jobs, nodes, remove, capabilities });
}

/** The parked delta that comes right after what a source wants now. */
export async function parkedAfter(
  demand: DemandStore,
  { cluster, source, sequence }: SourceDemand,
): Promise<(DemandPart & { readonly remove: readonly string[] }) | undefined> {
  const parts = await demand.loadParts({ cluster, source, sequence: sequence + 1 });
  const delta = parts.find((part) => part.remove !== undefined);
  return delta === undefined ? undefined : { ...delta, remove: delta.remove ?? [] };
}
