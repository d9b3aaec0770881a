import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

interface TwoSizes {
  readonly config: object;
  readonly clusterStatus: object;
  readonly nodeList: { readonly nodes: readonly object[] };
  readonly schedulerNodes: readonly object[];
  readonly jobs: readonly object[];
}

const twoSizes = JSON.parse(readFileSync(fixture("two-sizes.json"), "utf8")) as TwoSizes;

/** An array with a Ready and a Failed F4s_v2, room for three F16s_v2, and one host on premise. */
export function scenario(changes: object = {}): object {
  return { name: "two-sizes", ...twoSizes, config: { cluster_name: "demo" }, ...changes };
}

/** One pass of a sequence: the same cluster with one node in the given state, and no other host. */
export function step(now: number, { status, jobs }: { status: string; jobs: readonly object[] }): object {
  const [node] = twoSizes.nodeList.nodes;
  const nodeList = { nodes: [{ ...node, Status: status }] };
  return { now, clusterStatus: twoSizes.clusterStatus, nodeList, jobs };
}

export function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
