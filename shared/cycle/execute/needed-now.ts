import { kindOf, messageOf } from "../../errors/errors.ts";
import type { NodesAction } from "../../messages/index.ts";
import type { Operation, Ports } from "../../ports/index.ts";
import { mostOfLastMinutes } from "../operations.ts";
import { isUnwanted } from "./last-look.ts";
import { type Now, readNow, useOf, whyNeeded } from "./spare-node.ts";

type NeededPorts = Pick<
  Ports,
  "clock" | "configs" | "controls" | "demand" | "history" | "operations" | "samples" | "snapshots" | "targets"
>;

/** Stops that were asked for so long before a plan may have been recorded after it read the operations. */
const longestPlanSeconds = 120;

/**
 * Why nodes have to stay after all, by id; of actions that let spare nodes go. What was spare when a node asked may be needed
 * now, so it is judged anew. So are booting nodes that a plan found to be needed no more, and a plan's idle nodes when a stop was
 * granted beside the plan: it may not have known that the other one goes, and that stop was granted because these stay. A node
 * that cannot be judged stays.
 */
export async function neededNow(
  ports: NeededPorts,
  action: NodesAction,
): Promise<ReadonlyMap<string, string>> {
  if (action.kind !== "shutdown-nodes") return new Map();
  const isAsked = action.cause === "autostop";
  const isIdle = action.cause === "idle-timeout";
  const isJudged = isAsked || isUnwanted(action) || (isIdle && (await isStopBeside(ports, action)));
  if (!isJudged) return new Map();
  const config = await ports.configs.load(action.cluster);
  const allStay = (why: string) => new Map(action.nodes.map(({ nodeId }) => [nodeId, why]));
  if (config === undefined) return allStay("is of a cluster that is no longer configured");
  try {
    const now = await readNow(ports, config, { without: action.actionId });
    if (isAsked) return judgedOneByOne(now, action);
    const lead = isIdle ? "may be needed, since another node was let go" : "is needed again";
    return judgedTogether(now, action, (why) => allStay(`${lead}: ${why}`));
  } catch (error) {
    if (kindOf(error) !== "stale-snapshot") throw error;
    return allStay(messageOf(error));
  }
}

async function isStopBeside(
  { operations }: Pick<NeededPorts, "operations">,
  { cluster, createdAtSeconds }: NodesAction,
): Promise<boolean> {
  const open = (await operations.open(cluster)).map(({ value }) => value);
  const since = createdAtSeconds - longestPlanSeconds;
  return [...open, ...(await operations.recent(cluster, mostOfLastMinutes, since))].some(isGranted);
}

/** Whether a stop was granted, in any state except those in which its node stays. */
function isGranted({ action, state }: Operation): boolean {
  const isStop = action.kind === "shutdown-nodes" && action.cause === "autostop";
  return isStop && state !== "dropped" && state !== "failed";
}

function judgedOneByOne(now: Now, { nodes }: NodesAction): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ nodeId }) => {
      const judged = useOf(now, nodeId);
      if (judged.use === "spare") return [];
      return [[nodeId, judged.use === "needed" ? `is needed: ${judged.why}` : "is left alone now"]];
    }),
  );
}

/** Two plans, however many nodes: those that can go all the same are deleted by the next plan. */
function judgedTogether(
  now: Now,
  { nodes }: NodesAction,
  allStay: (why: string) => ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const why = whyNeeded(
    now,
    nodes.map(({ nodeId }) => nodeId),
  );
  return why === undefined ? new Map() : allStay(why);
}
