import { readFileSync } from "node:fs";
import { clusterStatusSchema } from "../../../shared/cyclecloud/status-schema.ts";
import { toCluster } from "../../../shared/cyclecloud/to-engine.ts";
import { createVmCatalogue } from "../../../shared/facts/vm-sizes.ts";
import type { ClusterReading } from "../../../shared/ports/cyclecloud.ts";

type Fields = Record<string, unknown>;
export interface StatusFixture extends Fields {
  nodearrays: (Fields & { nodearray: Fields; buckets: (Fields & { virtualMachine: Fields })[] })[];
  nodes: Fields[];
}

/** A fresh copy of a recorded status, to be changed by a test. */
export function fixture(situation: string): StatusFixture {
  return JSON.parse(readFileSync(new URL(`fixtures/${situation}.json`, import.meta.url), "utf8"));
}

/** The fixture's first array, bucket and last node, to be changed in place. */
export function parts(status: StatusFixture) {
  const array = status.nodearrays[0];
  const bucket = array?.buckets[0];
  const node = status.nodes[1];
  if (array === undefined || bucket === undefined || node === undefined) throw new Error("fixture too small");
  return { array, bucket, node };
}

export const catalogue = createVmCatalogue();

/** The fixture after `change`, in the engine's terms. */
export function read(
  change: (fixture: ReturnType<typeof parts> & { status: StatusFixture }) => void = () => {},
  catalogue = createVmCatalogue(),
): ClusterReading {
  const status = fixture("one-array-two-sizes");
  change({ ...parts(status), status });
  return toCluster({ name: "c", status: clusterStatusSchema.parse(status), nodes: status.nodes, catalogue });
}
