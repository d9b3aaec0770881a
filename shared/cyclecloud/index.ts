/** CycleCloud: its REST API behind the port, and its answers in the engine's terms. */
export { createCycleCloud } from "./cyclecloud-client.ts";
export { LoginGate } from "./login-gate.ts";
export { clusterStatusSchema } from "./status-schema.ts";
export { toCluster } from "./to-engine.ts";
