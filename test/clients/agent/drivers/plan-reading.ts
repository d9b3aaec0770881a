import type { Reading } from "../../../../clients/agent/drivers/driver.ts";
import { defineJob, type PlanInput, parseAmount, plan } from "../../../../shared/engine/index.ts";
import { cluster, constraints, input } from "../../../shared/engine/tiny.ts";

type Known = Extract<Reading, { known: true }>;
export type Posted = Pick<Known, "jobs" | "shapes"> & Partial<Pick<Known, "nodes">>;
type NodeArrays = PlanInput["cluster"]["nodeArrays"];

/** The plan of a cluster, usually an empty one, for what a driver read. */
export function planReading(
  source: string,
  { jobs, shapes = [], nodes: hosts = [] }: Posted,
  nodeArrays: NodeArrays,
  nodes: PlanInput["cluster"]["nodes"] = [],
) {
  return plan(
    input({
      cluster: cluster({ nodeArrays, nodes, maxCount: 100_000, maxCoreCount: 1_000_000 }),
      jobs: jobs.map(({ constraints: json, submittedAt: _, notes: __, ...rest }) =>
        defineJob({ ...rest, constraints: constraints(json) }),
      ),
      schedulerNodes: hosts
        .filter(({ hostname }) => nodes.some((node) => node.hostname === hostname))
        .map(({ hostname, resources }) => ({ hostname, resources: amountsIn(resources) })),
      nodeShapes: shapes.map(({ nodeArray, vmSize = null, resources }) => ({
        source,
        nodeArray,
        vmSize,
        resources: amountsIn(resources),
      })),
    }),
  );
}

function amountsIn(resources: Readonly<Record<string, string | number | boolean | null>>) {
  return Object.fromEntries(
    Object.entries(resources).map(([name, value]) => [
      name,
      typeof value === "string" ? (parseAmount(value) ?? value) : value,
    ]),
  );
}
