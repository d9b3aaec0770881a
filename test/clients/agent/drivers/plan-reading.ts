import type { Reading } from "../../../../clients/agent/drivers/driver.ts";
import { defineJob, type PlanInput, parseAmount, plan } from "../../../../shared/engine/index.ts";
import { cluster, constraints, input } from "../../../shared/engine/tiny.ts";

export type Posted = Pick<Extract<Reading, { known: true }>, "jobs" | "shapes">;
type NodeArrays = PlanInput["cluster"]["nodeArrays"];

/** The plan of a cluster, usually an empty one, for what a driver read. */
export function planReading(
  source: string,
  { jobs, shapes = [] }: Posted,
  nodeArrays: NodeArrays,
  nodes: PlanInput["cluster"]["nodes"] = [],
) {
  return plan(
    input({
      cluster: cluster({ nodeArrays, nodes, maxCount: 100_000, maxCoreCount: 1_000_000 }),
      jobs: jobs.map(({ constraints: json, submittedAt: _, notes: __, ...rest }) =>
        defineJob({ ...rest, constraints: constraints(json) }),
      ),
      nodeShapes: shapes.map(({ nodeArray, vmSize = null, resources }) => ({
        source,
        nodeArray,
        vmSize,
        resources: Object.fromEntries(
          Object.entries(resources).map(([name, value]) => [
            name,
            typeof value === "string" ? (parseAmount(value) ?? value) : value,
          ]),
        ),
      })),
    }),
  );
}
