import { beforeEach, expect } from "vitest";
import type { ActionAnswer } from "../../../shared/api/index.ts";
import { handlers } from "../../functions/api/handlers.ts";
import { apiOf } from "../../functions/api/routes.ts";
import { served } from "../../fuzz/served-world.ts";
import { nodeOf } from "../../support/cluster.ts";
import { cluster, worldWith } from "../../support/world.ts";

/** Actions asked for over the API, of a cluster whose nodes are one of each kind. The test file puts the world in memory in the place of the service. */

export const api = apiOf(handlers, cluster);
export const who = { by: "alice", reason: "maintenance" };

export function ask(
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<ActionAnswer> {
  return api.read("actions", { body: { ...who, ...body }, headers });
}

export async function refusalOf(body: Record<string, unknown>) {
  const response = await api.call("actions", { body: { ...who, ...body } });
  expect(response.status).toBe(409);
  return JSON.stringify(response.jsonBody);
}

const nodes = [
  nodeOf({ name: "htc-1" }),
  nodeOf({ name: "htc-2" }),
  nodeOf({ name: "busy-1", hostname: "busy" }),
  nodeOf({ name: "kept-1", keepAlive: true }),
  nodeOf({ name: "failed-1", status: "Failed" }),
  nodeOf({ name: "stopped-1", status: "Deallocated", targetState: "Deallocated", hostname: null }),
];

/** A new cluster of these nodes for each test: one is busy, and their scheduler drains. */
export function useNodes(): void {
  beforeEach(async () => {
    served.world = worldWith({ nodes });
    const { world } = served;
    // The planner would delete it before anybody can ask for something.
    world.configure({ engine: { failedNodes: "keep" } });
    await world.post([{ name: "running", constraints: { ncpus: 4 }, executingHostnames: ["busy"] }], {
      capabilities: ["drain"],
    });
    await world.round();
  });
}
