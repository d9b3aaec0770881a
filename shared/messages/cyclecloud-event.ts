import { z } from "zod";
import { describeProblems } from "./problems.ts";

const typePrefix = "Microsoft.CycleCloud.";
const longestName = 300;
const longestMessage = 500;

/** Events that CycleCloud sends at the end of a transition, successful or not. */
export const nodeEventKinds = [
  "NodeAdded",
  "NodeCreated",
  "NodeStarted",
  "NodeDeallocated",
  "NodeTerminated",
] as const;
export const clusterEventKinds = [
  "ClusterStarted",
  "ClusterTerminated",
  "ClusterDeleted",
  "ClusterSizeIncreased",
] as const;

type CycleCloudEventKind = (typeof nodeEventKinds)[number] | (typeof clusterEventKinds)[number];

/** The members of a CycleCloud event that the service uses. */
export interface CycleCloudEvent {
  /** Event Grid may deliver an event twice, under the same id. */
  readonly eventId: string;
  readonly kind: CycleCloudEventKind;
  /** When it happened, by CycleCloud's clock; Unix seconds. */
  readonly atSeconds: number;
  readonly cluster: string;
  /** `SpotEvicted`, `AllocationFailed`, `Autoscaled` and others; null when the event gives none. */
  readonly reason: string | null;
  /** The node of an event about one, if the event names it. Names are used again, ids are not. */
  readonly nodeId: string | null;
  readonly nodeName: string | null;
  readonly nodeArray: string | null;
  readonly vmSize: string | null;
  /** The error's code and text, cut; null when the event has neither. */
  readonly message: string | null;
}

export type ParsedEvent =
  | { readonly outcome: "event"; readonly event: CycleCloudEvent }
  /** Well-formed, and of no kind that means anything here. */
  | { readonly outcome: "unknown-kind"; readonly eventType: string }
  | { readonly outcome: "malformed"; readonly problems: readonly string[] };

const name = z.string().min(1).max(longestName);
const maybeText = z.string().min(1).max(longestName).nullish().catch(null);

/** CycleCloud writes the zone with or without a colon. */
const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT[\d:.]{5,20}(Z|[+-]\d\d:?\d\d)?$/, "expected a time in ISO 8601")
  .refine((text) => Number.isFinite(Date.parse(text)), "expected a time in ISO 8601");

/** The envelope of Event Grid; CycleCloud's documentation calls its `id` `eventId`. */
const envelope = z.object({
  id: name.optional(),
  eventId: name.optional(),
  eventType: name,
  eventTime: time,
  data: z.unknown(),
});

const data = z.object({
  clusterName: name,
  reason: maybeText,
  nodeId: maybeText,
  nodeName: maybeText,
  nodeArray: maybeText,
  vmSku: maybeText,
  errorCode: maybeText,
  message: z.string().nullish().catch(null),
});

/** Looks at the kind first: an event of another kind may hold anything. */
export function parseCycleCloudEvent(body: unknown): ParsedEvent {
  try {
    return parse(body);
  } catch (error) {
    // Nested some thousand levels deep: the schema runs out of stack.
    if (!(error instanceof RangeError)) throw error;
    return { outcome: "malformed", problems: ["event: nested too deeply to be read"] };
  }
}

function parse(body: unknown): ParsedEvent {
  const outer = envelope.safeParse(body, { reportInput: true });
  if (!outer.success) return malformed(outer.error);
  const { eventType, eventTime, id, eventId = id } = outer.data;
  const kind = kindOf(eventType);
  if (kind === undefined) return { outcome: "unknown-kind", eventType };
  if (eventId === undefined)
    return { outcome: "malformed", problems: ["id: missing, expected the event's id"] };
  const inner = data.safeParse(outer.data.data, { reportInput: true });
  if (!inner.success) return malformed(inner.error);
  const { clusterName: cluster, reason, nodeId, nodeName, nodeArray, vmSku, errorCode, message } = inner.data;
  const said = [errorCode, message].filter((part) => typeof part === "string" && part !== "").join(": ");
  return {
    outcome: "event",
    event: {
      eventId,
      kind,
      atSeconds: secondsOf(eventTime),
      cluster,
      reason: reason ?? null,
      nodeId: nodeId ?? null,
      nodeName: nodeName ?? null,
      nodeArray: nodeArray ?? null,
      vmSize: vmSku ?? null,
      message: said === "" ? null : said.slice(0, longestMessage),
    },
  };
}

/** A time without a zone is in UTC. */
function secondsOf(text: string): number {
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text);
  return Date.parse(hasZone ? text : `${text}Z`) / 1_000;
}

function kindOf(eventType: string): CycleCloudEventKind | undefined {
  const kinds: readonly CycleCloudEventKind[] = [...nodeEventKinds, ...clusterEventKinds];
  return kinds.find((kind) => eventType === `${typePrefix}${kind}`);
}

function malformed(error: z.ZodError): ParsedEvent {
  return { outcome: "malformed", problems: describeProblems(error) };
}
