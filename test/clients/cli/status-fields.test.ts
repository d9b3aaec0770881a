import { Readable, Writable } from "node:stream";
import { expect, test } from "vitest";
import { statusText } from "../../../clients/cli/commands/status.ts";
import type { ClusterStatus } from "../../../shared/api/index.ts";
import { clusterStatus } from "../../../shared/views/index.ts";
import { cluster } from "../../support/world.ts";
import { busyWorld } from "./archived-world.ts";

/** Where `ccscale status` prints a field, or why it does not. */
type Printed = { readonly printed: string } | { readonly leftOut: string };

const inProblems = (kinds: string) => ({ leftOut: `the problems have it in words: ${kinds}` });

/** Every field of the status: one that is added there is asked for here, and a test looks whether it is true. */
const fields: { readonly [Field in keyof ClusterStatus]-?: Printed } = {
  cluster: { printed: "facts" },
  atSeconds: { printed: "facts, as the moment that ages are counted from" },
  problems: { printed: "first" },
  snapshot: { printed: "facts" },
  nodes: { printed: "facts" },
  plans: { printed: "facts, the newest" },
  openOperations: { printed: "facts" },
  idleTimeouts: { printed: "facts" },
  nextDeadlineSeconds: { printed: "facts" },
  spending: { printed: "facts, cost and budgets" },
  utilisation: { printed: "facts" },
  spot: { printed: "facts" },
  demand: { printed: "demand" },
  requestSets: { printed: "targets" },
  targets: { printed: "targets" },
  draining: { printed: "nodes that take no new jobs" },
  rolling: { printed: "rolling drain" },
  keptNodes: { printed: "kept and ignored nodes" },
  ignoredNodes: { printed: "kept and ignored nodes" },
  operations: { printed: "operations" },
  bought: { printed: "why these sizes" },
  waiting: { printed: "waiting jobs" },
  rejections: { printed: "rejected messages" },
  paused: inProblems("paused"),
  loginStopped: inProblems("login-refused"),
  failedNodes: inProblems("nodes-failed"),
  doubts: inProblems("demand-unknown"),
  unread: inProblems("demand-unread"),
  backedOff: inProblems("capacity-back-off"),
  refusedQuotas: inProblems("quota-refused"),
  bootsFailing: inProblems("boots-failing"),
  lostNodes: { leftOut: "`ccscale events` lists them with all else that happened" },
};

const silent = { write: (_chunk: unknown, _encoding: string, done: () => void) => done() };

test("ccscale status --all looks at the fields that it is said to print, and at no other", async () => {
  const status = await clusterStatus((await busyWorld()).ports, cluster);
  if (status === undefined) throw new Error("The cluster is configured");
  const read = new Set<string>();
  const watched = new Proxy(status, {
    get: (of, field) => {
      read.add(String(field));
      return Reflect.get(of, field);
    },
  });
  const terminal = { stdin: Readable.from([]), stdout: new Writable(silent), stderr: new Writable(silent) };
  statusText(terminal, watched, true);
  const printed = Object.entries(fields).flatMap(([field, each]) => ("printed" in each ? [field] : []));
  expect([...read].sort()).toEqual(printed.sort());
});
