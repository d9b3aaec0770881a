import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ClusterStatus } from "../../../shared/api/index.ts";

/** The views of the dashboard that show a field of the status, or why none does. */
type Shown = { readonly views: readonly string[] } | { readonly leftOut: string };

const inProblems = { leftOut: "the problems have it in words" };

/** Every field of the status: one that is added there is asked for here. */
const fields: { readonly [Field in keyof ClusterStatus]-?: Shown } = {
  cluster: { views: ["overview"] },
  atSeconds: { views: ["clusters", "overview", "targets"] },
  problems: { views: ["clusters", "config-editor", "overview"] },
  idleTimeouts: { views: ["config"] },
  paused: { views: ["clusters", "overview"] },
  snapshot: { views: ["clusters", "config-editor", "overview"] },
  nodes: { views: ["clusters", "overview"] },
  plans: { views: ["clusters", "overview"] },
  spending: { views: ["clusters", "overview"] },
  demand: { views: ["overview", "reject"] },
  targets: { views: ["overview", "targets"] },
  requestSets: { views: ["targets"] },
  waiting: { views: ["overview"] },
  rejections: { views: ["reject"] },
  loginStopped: inProblems,
  failedNodes: inProblems,
  doubts: inProblems,
  unread: inProblems,
  backedOff: inProblems,
  refusedQuotas: inProblems,
  bootsFailing: inProblems,
  openOperations: { leftOut: "the page of operations lists them" },
  operations: { leftOut: "the page of operations has all of them" },
  draining: { leftOut: "the page of nodes shows it of each node" },
  keptNodes: { leftOut: "the page of nodes shows it of each node" },
  ignoredNodes: { leftOut: "the page of nodes shows it of each node" },
  rolling: {
    leftOut: "the page of nodes shows which drain; how far a rolling drain is, `ccscale status` says",
  },
  lostNodes: { leftOut: "the page of events lists them" },
  bought: { leftOut: "the page of a plan gives the reason of each size" },
  spot: { leftOut: "the page of nodes marks spot nodes; evictions are among the events" },
  utilisation: { leftOut: "the charts of use show it over time" },
  nextDeadlineSeconds: { leftOut: "only `ccscale status` says when time alone makes a plan due" },
};

const views = ["clusters", "config", "config-editor", "overview", "reject", "targets"];

/** Whether a view takes the field out of the status: `status.field`, `answer?.field`, or `{ field } = status`. */
function isShownBy(view: string, field: string): boolean {
  const text = readFileSync(
    join(import.meta.dirname, `../../../clients/dashboard/views/${view}.tsx`),
    "utf8",
  );
  const taken = [...text.matchAll(/const \{([^{}]*)\} = status;/g)].some(([, names = ""]) =>
    names.split(",").some((name) => name.trim() === field),
  );
  return taken || new RegExp(String.raw`\b(?:status|answer)\??\.${field}\b`).test(text);
}

test.each(Object.entries(fields))("%s is shown where it is said to be", (field, shown) => {
  const found = views.filter((view) => isShownBy(view, field));
  // Other answers of these views have a cluster and a moment too.
  if ("views" in shown) expect(found).toEqual(expect.arrayContaining([...shown.views]));
  else expect(found).toEqual([]);
});
