import { actionBody, type NodeView } from "../../../shared/api/index.ts";
import { messageOf } from "../../../shared/errors/errors.ts";
import { describeProblems } from "../../../shared/messages/index.ts";
import type { KeptAlive } from "../../agent/drivers/driver.ts";
import type { NamedNodesService, ServiceNode } from "../../agent/named-nodes.ts";
import { NotFound, Refused } from "../exit-code.ts";
import { askAll } from "./ask-all.ts";
import type { Service } from "./service.ts";

/** In a query: many servers take no address of 8 KiB. A longer list is a list of all nodes. */
const longestNames = 4_000;

/** In the record of a node that is kept alive: it is told by this from one that a person keeps. */
const forScheduler = "the scheduler never switches it off (SuspendExcNodes)";

export function keptAliveOf({
  keepAlive,
  kept,
}: Pick<NodeView, "keepAlive" | "kept">): KeptAlive | undefined {
  if (!keepAlive) return undefined;
  return kept.some(({ reason }) => reason === forScheduler) ? "scheduler" : "others";
}

/** For the agent: nodes that a scheduler names. `by` is in the record of each request. */
export function namedNodesOf(service: Service, by: string): NamedNodesService {
  return {
    nodes: async (names) => {
      const list = names.join(",");
      const { items } = await askAll(service, "nodes", {
        call: { query: { resources: "-", ...(list.length > longestNames ? {} : { name: list }) } },
        pick: ({ nodes }) => nodes,
      });
      return items.map(
        ({ nodeId, name, hostname, origin, state, targetState, failure, ...node }): ServiceNode => ({
          nodeId,
          name,
          hostname,
          isPending: origin === "pending",
          state,
          targetState,
          failure: failure?.message ?? null,
          keptAlive: keptAliveOf(node),
        }),
      );
    },
    create: async (nodes, key) => {
      const asked = actionBody.safeParse({ kind: "create-nodes", by, ...nodes });
      // Never to be had, whatever the cluster has room for.
      if (!asked.success) return { outcome: "refused", why: describeProblems(asked.error).join("; ") };
      try {
        const { actions } = await service.ask("actions", { key, body: asked.data });
        const pairs = actions.flatMap(({ actionId, create }) =>
          create.flatMap(({ names }) => names.map((name) => [name, actionId ?? ""] as const)),
        );
        return { outcome: "requested", actionIdOf: new Map(pairs) };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const { problems, takenNames } = error;
        if (takenNames.length > 0) return { outcome: "taken" };
        // How many can be had, and what bounds its own array; the others are about arrays that were not asked for.
        return { outcome: "refused", why: problems.slice(0, 2).join("; ") || messageOf(error) };
      }
    },
    remove: async (names) => {
      const reason = "Slurm has powered it down";
      const body = { kind: "delete", by, reason, nodes: { names } };
      const { actions, skipped } = await service.ask("actions", { body });
      return {
        asked: actions.flatMap(({ nodes }) => nodes.map(({ name }) => name)),
        stays: skipped.filter(({ refused }) => refused).map(({ node, why }) => ({ name: node, why })),
      };
    },
    keepAlive: async (names, on) => {
      const body = { kind: "keep-alive", by, reason: forScheduler, nodes: { names }, on };
      await service.ask("actions", { body });
    },
    operation: async (actionId) => {
      try {
        const { state, messages } = await service.ask("operation", { params: { actionId } });
        return { isOpen: ["planned", "sent", "accepted"].includes(state), messages };
      } catch (error) {
        if (error instanceof NotFound) return { isOpen: false, messages: [] };
        throw error;
      }
    },
  };
}
