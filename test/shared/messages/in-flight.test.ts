import { expect, test } from "vitest";
import {
  planRequestSchema,
  scaleActionSchema,
  schedulerEventSchema,
} from "../../../shared/messages/index.ts";

/**
 * Messages of release 0.1.0, with nothing but what it had to write: they lie on the queues while a newer release is
 * deployed. Whoever has to change one breaks that.
 */
const action = {
  version: 1,
  actionId: "a",
  planId: null,
  cluster: "hpc",
  requestId: "r",
  reason: "jobs",
  createdAtSeconds: 1,
  expiresAtSeconds: 2,
};
const nodes = [{ nodeId: "n", name: "htc-1" }];
const event = { version: 1, cluster: "hpc", source: "slurm", atSeconds: 1 };
const set = { nodeArray: "htc", vmSize: "Standard_F4s_v2", placementGroup: null, count: 1, names: ["htc-1"] };
const readers = { plan: planRequestSchema, action: scaleActionSchema, event: schedulerEventSchema };
const inFlight = [
  ["a plan request", "plan", { version: 1, cluster: "hpc", reason: "demand", atSeconds: 1 }],
  ["nodes to create", "action", { ...action, kind: "create-nodes", sets: [set] }],
  ["nodes to start", "action", { ...action, kind: "start-nodes", nodes }],
  ["nodes to shut down", "action", { ...action, kind: "shutdown-nodes", cause: "idle-timeout", nodes }],
  ["nodes to retry", "action", { ...action, kind: "retry-failed", nodes }],
  ["nodes to remove", "action", { ...action, kind: "remove-nodes", nodes }],
  ["an event", "event", { ...event, kind: "drain", nodes: [{ nodeId: "n", name: "htc-1", hostname: null }] }],
  [
    "refused demand",
    "event",
    { ...event, kind: "demand-refused", whole: true, sequence: null, problems: ["cluster: missing"] },
  ],
] as const;

test.each(inFlight)(
  "%s of the release before is read, and of the next one all but what is new",
  (_what, reader, message) => {
    expect(readers[reader].parse(message)).toEqual(message);
    expect(readers[reader].parse({ ...message, ofTheNextRelease: true })).toEqual(message);
  },
);
