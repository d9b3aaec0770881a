import { z } from "zod";

/** The most problems in one event; the log of the service has all. */
const mostProblems = 20;
const longestProblem = 1_000;

const envelope = {
  version: z.literal(1),
  cluster: z.string().min(1),
  source: z.string().min(1),
  /** When it happened or was decided; the same whenever it is sent again. */
  atSeconds: z.number(),
};

export const schedulerNodeSchema = z.object({
  nodeId: z.string(),
  name: z.string(),
  hostname: z.string().nullable(),
  isRenamed: z
    .boolean()
    .optional()
    .describe("Of node-deleted: the host name alone is gone; the node goes on under another"),
  // Of nodes that joined: what a scheduler may want to know of them.
  nodeArray: z.string().optional(),
  vmSize: z.string().optional(),
  placementGroup: z.string().nullable().optional().describe("Null: it is in none"),
});

/**
 * `node-joined`: the nodes have host names from now on, and are new to the scheduler even where it knows the name.
 * `node-deleted`: they are gone. `boot-timeout`: they did not come up in time and are given up.
 * `drain`: start no more jobs there, and report the nodes' `state`. `undrain`: they are wanted again.
 */
const nodeEvent = z.object({
  ...envelope,
  kind: z.enum(["node-joined", "node-deleted", "boot-timeout", "drain", "undrain"]),
  nodes: z.array(schedulerNodeSchema).min(1),
});

/**
 * A message of this source, or something in it, was not taken. Sent when that is news: the same problems again are not told
 * again.
 */
const demandRefused = z.object({
  ...envelope,
  kind: z.literal("demand-refused"),
  /** True: nothing of the message took effect. False: only what `problems` names was set aside. */
  whole: z.boolean(),
  /** The message's sequence; null if it cannot be read. */
  sequence: z.int().min(0).nullable(),
  problems: z.array(z.string().max(longestProblem)).min(1).max(mostProblems),
});

/**
 * What happened to nodes, or is asked of them, and what became of demand. One Storage queue per source: `events-<source>`.
 * An event may come late, twice and out of order: of two `drain` or `undrain` events about a node, the one with the larger
 * `atSeconds` counts.
 */
export const schedulerEventSchema = z.discriminatedUnion("kind", [nodeEvent, demandRefused]);

/** An event about nodes. */
export type SchedulerEvent = z.infer<typeof nodeEvent>;
export type DemandRefused = z.infer<typeof demandRefused>;
/** Whatever may be on the queue of a source. */
export type SourceEvent = SchedulerEvent | DemandRefused;

/** The problems as such an event takes them. */
export function toldProblems(problems: readonly string[]): string[] {
  const cut = (text: string) =>
    text.length <= longestProblem ? text : `${text.slice(0, longestProblem - 1)}…`;
  if (problems.length <= mostProblems) return problems.map(cut);
  const shown = problems.slice(0, mostProblems - 1);
  return [...shown.map(cut), `and ${problems.length - shown.length} more`];
}
