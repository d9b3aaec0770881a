import type { JobKind } from "../clients/agent/drivers/slurm-job-kinds.ts";
import { type Draw, drawsOf } from "./draws.ts";

/** CPUs and memory of a node, and a feature that it has. */
const sizes = {
  htc: { cpus: 4, memory: 15_000, feature: "a" },
  hpc: { cpus: 44, memory: 340_000, feature: "b" },
  smt: { cpus: 8, memory: 32_000, feature: "b" },
  gpu: { cpus: 24, memory: 210_000, feature: "a" },
  gpu1: { cpus: 4, memory: 15_000, feature: "a" },
  cores: { cpus: 2, memory: 15_000, feature: "a" },
  nvme: { cpus: 4, memory: 15_000, feature: "a" },
  disk: { cpus: 4, memory: 15_000, feature: "a" },
} as const;
type NodeKind = keyof typeof sizes;
const alone = ["htc", "hpc", "smt", "gpu", "gpu1", "cores", "nvme", "disk"] as const;
const mixed = ["htc&hpc", "gpu1&gpu", "htc&nvme", "htc&gpu", "smt&hpc", "htc&smt", "htc&disk"] as const;

/** Submissions of sbatch in partitions of their own, each wave as a kind: the same ones for the same seed. */
export function drawKinds({ seed, count, waves, usual }: Draw): readonly (readonly JobKind[])[] {
  const { int, pick, chance } = drawsOf(seed);

  function partition() {
    const nodes = chance(waves > 1 ? 50 : 12) ? pick(mixed) : pick(alone);
    const kinds = nodes.split("&") as NodeKind[];
    const { cpus, memory } = sizes[kinds[0] ?? "htc"];
    const shared = chance(usual ? 95 : 80) ? "NO" : pick(["EXCLUSIVE", "YES:2"]);
    const settings = [
      `MaxCPUsPerNode=${int(1, cpus)}`,
      `MaxNodes=${int(1, 4)}`,
      `MinNodes=${int(1, 3)}`,
      `DefMemPerCPU=${int(500, 8000)}`,
      `DefMemPerNode=${int(1000, memory)}`,
      `MaxMemPerCPU=${int(1000, 6000)}`,
      `MaxMemPerNode=${int(2000, memory)}`,
      `DefCpuPerGPU=${int(1, 8)}`,
      `DefMemPerGPU=${int(1000, 60_000)}`,
      "LLN=YES",
      "MaxTime=30",
    ];
    return {
      on: [`${nodes}!${shared}`, ...(chance(usual ? 10 : 35) ? [pick(settings)] : [])].join(" "),
      kinds,
    };
  }

  function memoryOption({ cpus, memory }: (typeof sizes)[NodeKind], hasGpus: boolean): string {
    const ofCpu = Math.floor(memory / cpus);
    return pick([
      `--mem=${pick([1000, 2000, Math.floor(memory / 2), Math.floor(memory / 3), int(500, memory)])}`,
      `--mem-per-cpu=${pick([500, 1000, ofCpu, Math.floor(ofCpu / 2), int(100, 2 * ofCpu)])}`,
      hasGpus ? `--mem-per-gpu=${int(1000, 60_000)}` : "--mem=0",
    ]);
  }

  function job(kinds: readonly NodeKind[], isPart: boolean): string {
    const size = sizes[pick(kinds)];
    const { cpus, feature } = size;
    const hasGpus = kinds.some((kind) => kind.startsWith("gpu"));
    const least = int(1, 3);
    const nodes = chance(35) ? [pick([`-N ${least}`, `-N ${least}-${least + int(0, usual ? 0 : 3)}`])] : [];
    const tasks = chance(70) ? int(least, Math.min(cpus, 8)) : int(least, 3 * cpus);
    const extras = [
      `--ntasks-per-node=${int(1, Math.min(cpus, 4))}`,
      `--ntasks-per-core=${int(1, 2)}`,
      `--ntasks-per-socket=${int(1, Math.min(cpus, 6))}`,
      `--threads-per-core=${int(1, 2)}`,
      `--sockets-per-node=${int(1, 2)}`,
      `--mincpus=${int(1, cpus)}`,
      `-B ${int(1, 2)}:${pick(["*", "1", "2", "4"])}:${pick(["*", "1", "2"])}`,
      `-m ${pick(["block", "cyclic", "plane=2", "block:cyclic", "pack", "nopack"])}`,
      `--hint=${pick(["nomultithread", "multithread", "compute_bound", "memory_bound"])}`,
      `-S ${int(0, 2)}`,
      `-C ${pick([feature, "a|b", "[a|b]", `${feature}*2`, "[a*1&b*1]", "a&b"])}`,
      `-x @-[${int(4, 5)}-6]`,
      `--switches=${int(1, 2)}`,
      `--tmp=${pick([1000, 50_000])}`,
      "--exclusive",
      "--overcommit",
      "--spread-job",
      "--use-min-nodes",
      "--contiguous",
      "--thread-spec=1",
      "--prefer=a",
      "-s",
      `-L @:${int(1, 3)}`,
      "-J @ -d singleton",
      pick(["-H", "--begin=now+1hour"]),
      "-t 60 --time-min=10",
    ];
    const gpus = [
      `--gres=gpu:${int(1, 4)}`,
      `-G ${int(1, 8)}`,
      `--gpus-per-node=${int(1, 4)}`,
      `--gpus-per-task=${int(1, 2)}`,
      `--gpus-per-socket=${int(1, 2)} --sockets-per-node=2`,
    ];
    const others = Array.from({ length: usual ? 0 : pick([0, 0, 1, 1, 2]) }, () => pick(extras));
    const array = chance(30) ? [`--array=1-${int(1, 5)}${pick(["", "", `%${int(1, 3)}`])}`] : [];
    return [
      ...nodes,
      `-n ${tasks}`,
      ...(chance(25) ? [`-c ${int(1, Math.min(cpus, 6))}`] : []),
      ...(chance(60) ? [memoryOption(size, hasGpus)] : []),
      ...(hasGpus && chance(75) ? [pick(gpus)] : []),
      ...(usual && chance(8) ? ["--exclusive"] : []),
      ...(kinds.includes("nvme") && chance(60) ? ["--gres=nvme:1"] : []),
      ...others,
      ...(isPart ? [] : array),
    ].join(" ");
  }

  return Array.from({ length: count }, () => {
    const partitions = [partition(), ...(chance(7) ? [partition()] : [])];
    const kinds = partitions.flatMap((each) => each.kinds);
    const isHeterogeneous = partitions.length === 1 && chance(6);
    const jobs = () =>
      Array.from({ length: pick([1, 1, 1, 2, 3]) }, () =>
        isHeterogeneous ? `-p @ ${job(kinds, true)} : -p @ ${job(kinds, true)}` : job(kinds, false),
      );
    const on = partitions.map((each) => each.on);
    return Array.from({ length: waves }, () => ({ on, options: jobs().join(" ; "), nodes: 0 }));
  });
}
