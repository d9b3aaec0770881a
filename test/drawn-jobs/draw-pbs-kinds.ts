import { type Draw, drawsOf } from "./draws.ts";

/** What PBS has of a node: CPUs, memory in GB, and resources of the site. */
export const sizes = {
  htc: { ncpus: 4, mem: 15, flavour: "slow" },
  hpc: { ncpus: 12, mem: 60, flavour: "fast" },
  gpu: { ncpus: 8, mem: 60, ngpus: 2, flavour: "fast" },
  disk: { ncpus: 4, mem: 15, scratch: "100gb", ib: true },
} as const;
export type NodeKind = keyof typeof sizes;
const alone = ["htc", "hpc", "gpu", "disk"] as const;
const mixed = [
  ["htc", "hpc"],
  ["htc", "gpu"],
  ["gpu", "hpc"],
  ["htc", "disk"],
] as const;

/** A queue, the node arrays that its jobs may use, and what is submitted to it each time; "@" stands for its name. */
export interface Drawn {
  readonly nodes: readonly NodeKind[];
  readonly queue: readonly string[];
  readonly waves: readonly (readonly string[])[];
}

/** Submissions of qsub, each kind to a queue of its own: the same ones for the same seed. */
export function drawPbsKinds({ seed, count, waves, usual }: Draw): readonly Drawn[] {
  const { int, pick, chance } = drawsOf(seed);

  function queueOf(nodes: readonly NodeKind[]): readonly string[] {
    if (!chance(usual ? 10 : 35)) return [];
    const { ncpus } = sizes[nodes[0] ?? "htc"];
    return [
      pick([
        `max_run = [u:PBS_GENERIC=${int(1, 3)}]`,
        `max_run = [o:PBS_ALL=${int(1, 4)}]`,
        `max_run_res.ncpus = [u:PBS_GENERIC=${int(1, 3 * ncpus)}]`,
        `max_run_res.mem = [o:PBS_ALL=${int(10, 60)}gb]`,
        `max_run_soft = [u:PBS_GENERIC=1]`,
        `resources_available.tokens = ${int(1, 5)}`,
        `resources_available.ncpus = ${int(1, 4 * ncpus)}`,
        `default_chunk.mem = ${int(1, 14)}gb`,
        `default_chunk.ncpus = ${int(1, ncpus)}`,
        `resources_default.place = ${pick(["scatter", "pack", "excl", "scatter:excl", "free:exclhost"])}`,
        `node_group_key = ${pick(["group_id", "host", "nodearray", "flavour"])}`,
        `Priority = ${int(1, 100)}`,
      ]),
    ];
  }

  function chunk(nodes: readonly NodeKind[]): string {
    const node = pick(nodes);
    const size = sizes[node];
    const most = chance(90) ? size.ncpus : size.ncpus + 1;
    const parts = [`ncpus=${chance(60) ? int(1, Math.ceil(most / 2)) : int(1, most)}`];
    if (chance(35)) parts.push(`mem=${pick([1, 2, int(1, size.mem), Math.floor(size.mem / 2)])}gb`);
    if (node === "gpu" && chance(60)) parts.push(`ngpus=${int(1, 2)}`);
    if (node === "disk" && chance(40)) parts.push(`scratch=${pick([10, 40, 50, 60, 100])}gb`);
    if (node === "disk" && chance(15)) parts.push(`ib=${pick(["true", "false"])}`);
    if (!usual && chance(8)) parts.push(`flavour=${pick(["@slow", "@fast"])}`);
    if (!usual && chance(8)) parts.push(`ungrouped=${pick(["true", "false"])}`);
    if (!usual && chance(5)) parts.push(`nodearray=@${nodes.indexOf(node)}`);
    if (!usual && chance(5)) parts.push("mpiprocs=2");
    return `${pick([1, 1, 1, 2, 2, 3, 4, 6])}:${parts.join(":")}`;
  }

  function place(): readonly string[] {
    if (chance(40)) return [];
    const words = [
      pick(usual ? ["free", "scatter", "scatter", "pack"] : ["free", "free", "scatter", "vscatter", "pack"]),
      ...(chance(25) ? [pick(["excl", "exclhost", "shared"])] : []),
      ...(chance(usual ? 10 : 25)
        ? [`group=${pick(["host", "group_id", "group_id", "nodearray", "flavour"])}`]
        : []),
    ];
    return ["-l", `place=${words.join(":")}`];
  }

  function job(nodes: readonly NodeKind[]): string {
    const chunks = Array.from({ length: pick(usual ? [1, 1, 1, 2] : [1, 1, 2, 2, 3]) }, () => chunk(nodes));
    const select =
      !usual && chance(8)
        ? [`nodes=${int(1, 3)}:ppn=${int(1, 4)}${pick(["", "", "#excl", "#shared"])}`]
        : [`select=${chunks.join("+")}`];
    return [
      "-l",
      ...select,
      ...(select[0]?.startsWith("nodes") ? [] : place()),
      ...(chance(25) ? ["-J", `1-${int(2, 6)}${pick(["", "", `%${int(1, 3)}`])}`] : []),
      ...(chance(10) ? ["-l", `tokens=${int(1, 3)}`] : []),
      ...(chance(8) ? ["-p", `${int(-50, 50)}`] : []),
    ].join(" ");
  }

  return Array.from({ length: count }, () => {
    const nodes = chance(40) ? pick(mixed) : [pick(alone)];
    const jobs = () => Array.from({ length: pick([1, 1, 2, 2, 3]) }, () => job(nodes));
    return { nodes, queue: queueOf(nodes), waves: Array.from({ length: waves }, jobs) };
  });
}
