import { type Draw, drawsOf } from "./draws.ts";

/** Slots of a node, and what a host has. */
export const sizes = {
  htc: { slots: 4, values: {} },
  hpc: { slots: 12, values: { exclusive: true } },
  gpu: { slots: 8, values: { gpus: 2, lockers: 1 } },
  disk: { slots: 4, values: { scratch: "100G", tokens: 3 } },
  long: { slots: 4, values: {} },
} as const;
export type NodeKind = keyof typeof sizes;
const alone = ["htc", "hpc", "gpu", "disk", "long"] as const;
const mixed = [
  ["htc", "hpc"],
  ["gpu", "htc"],
  ["hpc", "gpu"],
  ["disk", "htc"],
] as const;

/** A queue, the node arrays that its jobs may use, a quota rule, and what is submitted each time; "%" stands for its name. */
export interface Drawn {
  readonly nodes: readonly NodeKind[];
  readonly queue: Readonly<Record<string, string>>;
  readonly quota: string | undefined;
  readonly waves: readonly (readonly string[])[];
}

/** Submissions of qsub, each kind to a queue of its own: the same ones for the same seed. */
export function drawGeKinds({ seed, count, waves, usual }: Draw): readonly Drawn[] {
  const { int, pick, chance } = drawsOf(seed);

  function quotaOf(slots: number): string | undefined {
    if (!chance(usual ? 10 : 35)) return undefined;
    return pick([
      `users {*} queues % to slots=${int(1, 2 * slots)}`,
      `queues % to slots=${int(1, 3 * slots)}`,
      `queues % hosts {*} to slots=${int(1, slots)}`,
      `users {*} queues % hosts {*} to slots=${int(1, slots)}`,
      `queues % hosts {@%a} to slots=${int(1, slots)}`,
      `queues % hosts @%a to slots=${int(1, 2 * slots)}`,
      `queues % hosts {*} to slots=$num_proc`,
      `users ann queues % to slots=${int(0, slots)}`,
      `pes mpi queues % to slots=${int(1, 2 * slots)}`,
      `users @chemists queues % to gpus=${int(1, 3)}`,
      `projects proj queues % to slots=${int(1, slots)}`,
    ]);
  }

  function queueOf(slots: number): Readonly<Record<string, string>> {
    if (!chance(usual ? 8 : 25)) return {};
    return pick<Readonly<Record<string, string>>>([
      { complex_values: `gpus=${int(1, 3)}` },
      { complex_values: `scratch=${int(20, 80)}G` },
      { complex_values: "exclusive=true" },
      { complex_values: "ports=5" },
      { h_rt: "1:0:0" },
      { h_vmem: "4G" },
      { user_lists: "chemists" },
      { xuser_lists: "physicists" },
      { user_lists: "dept" },
      { user_lists: "unixgroup" },
      { seq_no: "5" },
      { pe_list: "mpi smp,[@%b=rr smp]" },
      { slots: `${slots},[@%b=${int(1, slots)}]` },
    ]);
  }

  function pe(slots: number): readonly string[] {
    if (chance(45)) return [];
    const name = pick(["smp", "smp", "mpi", "mpi", "rr", "two", "one", "few"]);
    const most = name === "smp" || name === "few" ? slots + (chance(10) ? 1 : 0) : 2 * slots + 3;
    const least = name === "two" ? 2 * int(1, 3) : int(1, most);
    return [
      "-pe",
      name,
      pick([`${least}`, `${least}`, `${least}`, ...(usual ? [] : [`${least}-${least + 6}`])]),
    ];
  }

  function job(nodes: readonly NodeKind[]): string {
    const node = pick(nodes);
    const { slots } = sizes[node];
    const ask = (text: string) => ["-l", text];
    const requests = [
      ...(node === "gpu" && chance(65) ? ask(`gpus=${int(1, 2)}`) : []),
      ...(node === "gpu" && chance(15) ? ask("lockers=1") : []),
      ...(node === "disk" && chance(50) ? ask(`scratch=${int(10, 60)}G`) : []),
      ...(node === "hpc" && chance(30) ? ask("exclusive=true") : []),
    ];
    const extras = [
      ask("lic=1"),
      ask("perjob=2"),
      ask("h_rt=1800"),
      ask("h_rt=7200"),
      ask("tokens=2"),
      ask("ports=2"),
      ["-soft", "-l", "gpus=1", "-hard"],
      ["-P", "proj"],
      ["-R", "y"],
      ["-js", "5"],
      ["-p", "-10"],
      ["-l", "nodearray=%a"],
      ["-q", "*@@%a"],
      ["-h"],
      ["-masterq", "%"],
      ["-l", "h=ip-*"],
    ];
    const extra = chance(usual ? 12 : 45) ? pick(extras) : [];
    return [
      ...(extra[0] === "-q" ? [] : ["-q", "%"]),
      ...pe(slots),
      ...requests,
      ...extra,
      ...(chance(25) ? ["-t", `1-${int(2, 6)}`, ...(chance(30) ? ["-tc", `${int(1, 3)}`] : [])] : []),
    ].join(" ");
  }

  return Array.from({ length: count }, () => {
    const nodes = chance(40) ? pick(mixed) : [pick(alone)];
    const { slots } = sizes[nodes[0] ?? "htc"];
    const jobs = () => Array.from({ length: pick([1, 1, 2, 2, 3]) }, () => job(nodes));
    const queue = nodes.length > 1 || chance(60) ? queueOf(slots) : {};
    const named = Object.values(queue).some((value) => value.includes("@%b")) && nodes.length < 2;
    return {
      nodes,
      queue: named ? {} : queue,
      quota: quotaOf(slots),
      waves: Array.from({ length: waves }, jobs),
    };
  });
}
