import { toPlanInput } from "../../../shared/cycle/index.ts";
import type { Cluster, PlanInput } from "../../../shared/engine/index.ts";
import { defaultSettings } from "../../../shared/engine/index.ts";
import { parseDemand } from "../../../shared/messages/job-demand.ts";
import { clusterOf } from "../clusters.ts";

/** A kind of valid demand that is small to post and was, or could be, dear to plan. */
export interface DemandKind {
  readonly name: string;
  /** Job number `index`, without its name. */
  readonly job: (index: number) => Readonly<Record<string, unknown>>;
  /** Host number `index` that the scheduler reports; they get half of the bytes. */
  readonly host?: (index: number) => Readonly<Record<string, unknown>>;
  /** Existing nodes of the cluster. Default: 1,000. */
  readonly nodes?: number;
  /** Buckets of the cluster. Default: those of the bench (30 with placement groups). */
  readonly arrays?: number;
}

function range<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const members = (count: number, entry: (index: number) => readonly [string, unknown]) =>
  Object.fromEntries(range(count, entry));

export const demandKinds: readonly DemandKind[] = [
  { name: "a resource name per job", job: (i) => ({ constraints: { [`r${i}`]: 1 } }) },
  {
    name: "1,000 resource names per job",
    job: (i) => ({ constraints: members(1000, (k) => [`r${i}-${k}`, 1]) }),
  },
  {
    name: "xor of 3,000 names",
    job: (i) => ({ constraints: { xor: range(3000, (k) => ({ [`r${i}-${k}`]: 1 })) } }),
  },
  {
    name: "xor of 900 amounts that nodes have",
    job: (i) => ({ constraints: { xor: range(900, (k) => ({ ncpus: 130 - (k === i % 900 ? 100 : 0) })) } }),
  },
  {
    name: "or of 900 sizes, none there",
    job: (i) => ({ constraints: { ncpus: 1, or: range(900, (k) => ({ "node.vm_size": `x${i}-${k}` })) } }),
  },
  {
    name: "14 levels of not",
    job: (i) => ({
      constraints: range(14, () => 0).reduce<unknown>((inner) => ({ not: inner }), { ncpus: i % 64 }),
    }),
  },
  {
    name: "not a host, one per job",
    nodes: 2000,
    job: (i) => ({ constraints: { ncpus: 128, not: { "node.hostname": `h${i}` } } }),
  },
  {
    name: "not a host, and not up",
    nodes: 2000,
    job: (i) => ({ constraints: { ncpus: 1, "node.state": "Off", not: { "node.hostname": `h${i}` } } }),
  },
  {
    name: "an unknown host per job",
    nodes: 2000,
    job: (i) => ({ constraints: { "node.hostname": `h${i}` } }),
  },
  {
    name: "1,000 unknown hosts per job",
    nodes: 2000,
    job: (i) => ({ constraints: { "node.hostname": range(1000, (k) => `h${i}-${k}`) } }),
  },
  {
    name: "runs on unknown hosts",
    nodes: 2000,
    job: (i) => ({ iterations: 2, executingHostnames: [`h${i}`], constraints: { ncpus: 1 } }),
  },
  {
    name: "runs on a host a thousand times",
    nodes: 2000,
    job: (i) => ({ iterations: 5000, executingHostnames: range(5000, (k) => `ip-${(i + k) % 2000}`) }),
  },
  {
    name: "wildcards for hosts",
    nodes: 2000,
    job: (i) => ({ constraints: { "node.hostname": `*-*${i}*a*b*c*` } }),
  },
  {
    name: "wildcards of 60,000 characters",
    nodes: 2000,
    job: (i) => ({ constraints: { "node.name": `${"*h".repeat(30_000)}${i}` } }),
  },
  {
    name: "texts of 60,000 characters",
    nodes: 2000,
    job: (i) => ({ constraints: { "node.vm_size": `${i}${"x".repeat(60_000)}` } }),
  },
  {
    name: "a shared pool per job",
    job: (i) => ({
      constraints: {
        ncpus: 1,
        "shared-consumable-constraint": { "resource-name": `p${i}`, "current-value": 1, requested: 1 },
      },
    }),
  },
  {
    name: "900 shared pools per job",
    job: (i) => ({
      iterations: 1000,
      constraints: {
        ncpus: 1,
        "shared-consumable-constraint": {
          "resource-name": `p${i % 3}`,
          requested: 1,
          sources: range(900, (k) => `s${k}`),
          "current-values": range(900, () => 1e6),
        },
      },
    }),
  },
  {
    name: "all different, 400 buckets",
    arrays: 27,
    job: (i) => ({ constraints: { ncpus: 1 + (i % 64), memgb: 1 + i / 1000 } }),
  },
  {
    name: "all different, none fits, 400 buckets",
    arrays: 27,
    job: (i) => ({ constraints: { ncpus: 1000 + i } }),
  },
  {
    name: "a constraint per job, 400 buckets",
    arrays: 27,
    job: (i) => ({ constraints: { ncpus: 1, "node.vm_family": [`f${i}`, "Standard_E64s_v5"] } }),
  },
  {
    name: "parts of gangs that no placement group holds, 400 buckets",
    arrays: 27,
    job: (i) => ({
      gang: `g${i >> 1}`,
      colocated: true,
      packingStrategy: "scatter",
      nodeCount: 60,
      constraints: { ncpus: 1 + (i % 4) },
    }),
  },
  {
    name: "nodes by the thousand, too many",
    nodes: 2000,
    job: (i) => ({ nodeCount: 2500 + (i % 100), constraints: { ncpus: 1, memgb: 1 + i / 1000 } }),
  },
  {
    name: "a colocated job too many",
    nodes: 2000,
    job: (i) => ({ iterations: 20_000 + i, colocated: true, constraints: { ncpus: 1 } }),
  },
  {
    name: "or of amounts, slots by the million",
    job: (i) => ({
      iterations: 1_000_000,
      constraints: { or: [{ ncpus: 3 + (i % 7) }, { memgb: 1 + i / 100 }] },
    }),
  },
  {
    name: "hosts with 1,000 resources each",
    host: (i) => ({ hostname: `own-${i}`, resources: members(1000, (k) => [`r${i}-${k}`, 1]) }),
    job: (i) => ({ constraints: { [`r${i % 500}-${i % 1000}`]: 1 } }),
  },
  {
    name: "hosts of the scheduler's own",
    host: (i) => ({ hostname: `own-${i}`, resources: { ncpus: 1 + (i % 1000) } }),
    job: (i) => ({ constraints: { ncpus: 1, [`r${i % 100}`]: [`v${i}`] } }),
  },
  {
    name: "hosts that all differ, a shape per job",
    host: (i) => ({ hostname: `own-${i}`, resources: { a: i, b: -i, ncpus: 4 } }),
    job: (i) => ({ constraints: { a: [i * 7], b: 1 } }),
  },
];

/** Messages as a sender would write them, of so many bytes together, each checked as the service checks it. */
export function planInputOf(kind: DemandKind, bytes: number): PlanInput {
  const posted = postedOf(kind, bytes);
  const message = { version: 1, kind: "snapshot", cluster: "bench", source: "hostile", sequence: 1 };
  const parsed = parseDemand({ ...message, sentAt: "2027-01-15T08:00:00Z", ...posted });
  if (!parsed.ok) throw new Error(`"${kind.name}" is no valid demand: ${parsed.problems[0]}`);
  const nowSeconds = 1_800_000_000;
  const demand = {
    cluster: "bench",
    source: "hostile",
    sequence: 1,
    ignoredMessages: 0,
    receivedAtSeconds: nowSeconds,
    sentAtSeconds: nowSeconds,
    expiresAtSeconds: nowSeconds + 300,
    jobs: parsed.message.jobs,
    nodes: parsed.message.nodes,
  };
  const cluster = limited(clusterOf(kind.nodes ?? 1000), kind.arrays ?? 3);
  const loaded = { settings: defaultSettings, snapshot: { cluster }, demand: [demand] };
  return toPlanInput({ ...loaded, targets: [], operations: [], history: [] }, nowSeconds);
}

function postedOf({ job, host }: DemandKind, bytes: number) {
  const take = (most: number, limit: number, make: (index: number) => unknown) => {
    const taken: unknown[] = [];
    for (let left = most; left > 0 && taken.length < limit; ) {
      const next = make(taken.length);
      left -= JSON.stringify(next).length + 1;
      taken.push(next);
    }
    return taken;
  };
  const nodes = host === undefined ? [] : take(bytes / 2, 100_000, host);
  const share = host === undefined ? bytes : bytes / 2;
  return { nodes, jobs: take(share, 100_000, (index) => ({ name: `${index}`, ...job(index) })) };
}

/** A cluster that can grow to thousands of nodes, not to millions; its arrays repeated until there are enough. */
function limited(cluster: Cluster, arrays: number): Cluster {
  const nodeArrays = range(arrays, (index) => {
    const array = cluster.nodeArrays[index % 3] ?? cluster.nodeArrays[0];
    if (array === undefined) throw new Error("The bench's cluster has no node array");
    return index < 3 ? array : { ...array, name: `${array.name}${index}` };
  });
  return { ...cluster, maxCoreCount: 200_000, nodeArrays };
}
