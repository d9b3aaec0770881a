import { expandHostlist } from "../../../../clients/agent/drivers/slurm/hostlist.ts";
import { array, bucket, node } from "../../../shared/engine/tiny.ts";
import type { Slurm } from "../../../support/machines/slurm.ts";
import { type Posted, planReading } from "./plan-reading.ts";

/** Nodes as slurm.conf has them, and the VM that each would be. */
const nodeKinds = {
  htc: { slurm: "CPUs=4 RealMemory=15000 Feature=a", vcpus: 4, memoryGiB: 16, gpus: 0 },
  hpc: {
    slurm: "CPUs=44 Sockets=2 CoresPerSocket=22 ThreadsPerCore=1 RealMemory=340000 Feature=b",
    vcpus: 44,
    memoryGiB: 352,
    gpus: 0,
  },
  smt: {
    slurm: "CPUs=8 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=32000 Feature=b",
    vcpus: 8,
    memoryGiB: 32,
    gpus: 0,
  },
  gpu1: { slurm: "CPUs=4 RealMemory=15000 Gres=gpu:1", vcpus: 4, memoryGiB: 16, gpus: 1 },
  gpu: {
    slurm: "CPUs=24 Sockets=2 CoresPerSocket=12 ThreadsPerCore=1 RealMemory=210000 Gres=gpu:a100:4 Feature=a",
    vcpus: 24,
    memoryGiB: 220,
    gpus: 4,
  },
  /** Part of it is kept for the system. Cores are kept only where a node daemon has registered: here none does. */
  spec: {
    slurm: "CPUs=4 CoreSpecCount=1 MemSpecLimit=1000 RealMemory=15000 Feature=a",
    vcpus: 4,
    memoryGiB: 16,
    gpus: 0,
  },
  /** Cores, of which the VM has two threads each: as azslurm writes them with `use_pcpu`. */
  cores: {
    slurm: "CPUs=2 Sockets=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=15000 Feature=a",
    vcpus: 4,
    memoryGiB: 16,
    gpus: 0,
  },
  nvme: { slurm: "CPUs=4 RealMemory=15000 Gres=nvme:1 Feature=a", vcpus: 4, memoryGiB: 16, gpus: 0 },
  disk: { slurm: "CPUs=4 RealMemory=15000 TmpDisk=50000 Feature=a", vcpus: 4, memoryGiB: 16, gpus: 0 },
};
type NodeKind = keyof typeof nodeKinds;

/** Devices that every machine has, in place of its GPUs: slurmd asks for a file of each. */
const standIns = "/dev/null,/dev/zero,/dev/full,/dev/random";

export const nodesPerPartition = 6;

export interface JobKind {
  /** Its partition, or several: the kinds of their nodes ("htc&hpc"), with `OverSubscribe` and more behind a "!". */
  readonly on: readonly string[];
  /** What is given to sbatch; "@" stands for the name of the first partition. Several jobs stand on both sides of a ";". */
  readonly options: string;
  /** Nodes that the real controller used when it had those that were bought. */
  readonly nodes: number;
  /** Why it gets none, or fewer at first. */
  readonly why?: string;
}

const on = (where: string, options: string, nodes: number, why?: string): JobKind => ({
  on: where.split("+"),
  options,
  nodes,
  ...(why === undefined ? {} : { why }),
});

/** Each gets partitions and nodes of its own, so that none uses what another left. */
export const jobKinds: readonly JobKind[] = [
  on("hpc!EXCLUSIVE", "-n 88", 2),
  on("hpc!EXCLUSIVE", "-n 88 --mem=0", 2),
  on("hpc!EXCLUSIVE", "-n 1", 1),
  on("hpc!EXCLUSIVE", "-N 2", 2),
  on("hpc!EXCLUSIVE", "-N 2 -n 88", 2),
  on("hpc!EXCLUSIVE", "-N 2-4 -n 88", 2),
  on("hpc!EXCLUSIVE", "-N 1-4 -n 88", 2),
  on("hpc!EXCLUSIVE", "-N 2-4 -n 88 --use-min-nodes", 2),
  on("hpc!EXCLUSIVE", "--array=1-3 -n 10", 3),
  on("hpc!EXCLUSIVE", "--array=1-3 -n 88", 6),
  on("hpc!EXCLUSIVE", "--array=1-5%2 -n 1", 2),
  on("hpc", "--exclusive -n 88", 2),
  on("hpc", "--exclusive --array=1-3 -n 1", 3),
  on("hpc", "--exclusive=user -n 4", 1),
  on("hpc", "--exclusive=mcs -n 4", 1),
  on("hpc", "-n 88", 2),
  on("hpc!FORCE:2", "-n 88", 2),
  on("hpc!YES:2", "-n 44", 1),
  on("hpc!YES:2", "--oversubscribe -n 44", 1),
  on("htc", "-n 8", 2),
  on("htc", "-n 6", 2),
  on("htc", "-n 8 --mem=2G", 2),
  on("htc", "-n 8 --mem-per-cpu=1G", 2),
  on("htc", "-n 6 --mem-per-cpu=6G", 3),
  on("htc", "-n 3 --mem-per-cpu=15000M", 3),
  on("htc", "-c 2 --mem=2G", 1),
  on("htc", "-c 3 -n 4", 4),
  on("htc", "-n 12 --use-min-nodes", 3),
  on("htc", "--ntasks-per-node=2 -n 8", 4),
  on("htc", "--ntasks-per-node=2 -N 3", 3),
  on("htc", "--ntasks-per-node=2", 1),
  on("htc", "--ntasks-per-node=3 -n 7", 3),
  on("htc", "-N 2-4 --ntasks-per-node=2", 2),
  on("htc", "-N 2-4", 2),
  on("htc", "-N 1-4", 1),
  on("htc", "-N 1-4 -n 8", 2),
  on("htc", "-N 1 -n 4", 1),
  on("htc", "-N 2 -n 3", 2),
  on("htc", "-N 3 -n 6", 3),
  on("htc", "--mem=4G -N 2-3 -n 6", 2),
  on("htc", "--overcommit -n 8", 1),
  on("htc", "--overcommit -N 2 -n 20", 2),
  on("htc", "--overcommit -n 8 --exclusive", 1),
  on("htc", "--exclusive --mem=2G -n 8", 2),
  on("htc", "--mincpus=3 -n 4", 1),
  on("htc", "--mincpus=4 -n 2 -N 2", 2),
  on("htc", "--mem=0", 1),
  on("htc", "-N 2 -n 2 --mem=0", 2),
  on("htc", "--mem=14G -n 2 --array=1-2", 2),
  on("htc", "--array=1-6 -c 2", 3),
  on("htc", "--array=1-6 -c 3", 6),
  on("htc", "--array=1-6%2 -c 2", 1),
  on("htc", "--spread-job -n 4", 1),
  on("htc", "--contiguous -n 8", 2),
  on("htc", "--distribution=cyclic -N 2 -n 8", 2),
  on("hpc", "--switches=1 -N 4", 4),
  on("hpc", "-p @ -N 2 -n 2 : -p @ -N 1 -n 4", 3),
  on("smt", "-n 8", 1),
  on("smt", "-n 16 --exclusive", 2),
  on("smt", "-n 4 -c 3", 2),
  on("smt", "-n 8 --ntasks-per-core=1", 2),
  on("smt", "-n 8 --threads-per-core=1", 2),
  on("smt", "-n 8 --hint=nomultithread", 2),
  on("smt", "--ntasks-per-socket=2 -n 6", 3),
  on("smt", "-B 1:2:1 -n 4", 1),
  on("gpu", "--gres=gpu:2", 1),
  on("gpu", "--gres=gpu:a100:2 -N 2", 2),
  on("gpu", "--gres=gpu:1 -n 30", 2),
  on("gpu", "--gpus=4", 1),
  on("gpu", "--gpus=6", 2),
  on("gpu", "--gpus=a100:2", 1),
  on("gpu", "--gpus=8 -N 2", 2),
  on("gpu", "--gpus=2 --array=1-4", 2),
  on("gpu", "--gpus-per-node=2 -N 2", 2),
  on("gpu", "--gpus-per-task=1 -n 6", 2),
  on("gpu", "--gpus-per-task=2 -n 3 -c 4", 2),
  on("gpu", "--gpus-per-socket=2 --sockets-per-node=2", 1),
  on("gpu", "--gpus-per-socket=1 --sockets-per-node=2 -N 2", 2),
  on("gpu", "--ntasks-per-gpu=2 --gpus=4", 1),
  on("gpu", "--gpus=4 --cpus-per-gpu=6", 1),
  on("gpu", "--gpus=4 --mem-per-gpu=20G", 1),
  on("gpu", "--exclusive --gres=gpu:1", 1),
  on("hpc!EXCLUSIVE+htc", "-n 8", 1),
  on("htc+hpc!EXCLUSIVE", "-n 4", 1),
  on("htc+hpc", "-n 88", 2),
  on("htc+hpc", "-N 2", 2),
  on("htc", "-x @-[4-6] -n 4", 1),
  on("htc", "-x @-[1-3] -n 4", 0, "it excludes the node that would come next"),
  on("htc", "-C a -n 8", 2),
  on("htc", "-C a|b", 1),
  on("htc", "-C a*2 -N 2", 2),
  on("htc", "-C a*1 -N 3", 3),
  on("htc+hpc", "-C b -n 2", 1),
  on("htc", "--mem=7600M --array=1-2", 2),
  on("htc", "-n 8 --mem-per-cpu=3800M", 3),
  on("spec", "--mem=7200M --array=1-2", 2),
  on("spec", "--exclusive -n 6", 2),
  on("cores", "--array=1-4 -n 2", 4),
  on("cores", "-n 3", 2),
  on("htc!NO MaxCPUsPerNode=2", "-n 4", 2),
  on("htc!NO MaxCPUsPerNode=2", "--array=1-4 --mem=1G", 2),
  on("nvme", "--gres=nvme:1", 1),
  on("nvme", "--gres=nvme:1 --array=1-2 --mem=1G", 2),
  on("htc&nvme", "--gres=nvme:1 -N 2", 2),
  on("htc&hpc", "-N1 -n 44", 1),
  on("htc&hpc", "-n 4 --mem-per-cpu=1G", 1),
  on("htc&hpc", "--exclusive -n 60", 2),
  on("htc", "-L ansys:2", 1),
  on("htc", "-L ansys:2 -N 3", 0, "the job before it takes the licences"),
  on("htc", "-w @-3", 0, "a node cannot be ordered by its name"),
  on("htc", "-w @-[2-3] -n 2", 0, "nodes cannot be ordered by their names"),
  on("htc", "--begin=now+1hour", 0, "its time has not come"),
  on("htc", "--hold", 0, "held"),
  on("htc", "--dependency=afterok:1", 0, "depends on a job that waits"),
  on("smt", "--array=1-8 -n 1 --mem=1G", 2),
  on("smt", "--array=1-4 --mem-per-cpu=6G", 2),
  on("smt", "-n 9 --mem-per-cpu=1G", 2),
  on("htc&disk", "--tmp=10G", 1),
  on("htc&hpc", "-C a|b -N 2", 2),
  on("htc&hpc", "-C [a|b] -N 2", 2),
  on("htc&hpc", "-C [a*2&b*1] -N 3", 3),
  on("htc", "-N 2-8 -n 12 --mem-per-cpu=1G", 3),
  on("htc", "-n 5 --ntasks-per-node=2 -c 2", 3),
  on("htc", "-n 4 -c 2 --mem-per-cpu=1G", 2),
  on("htc", "--ntasks-per-node=4 -N 1 --mem-per-cpu=3G", 1),
  on("htc", "--mem-per-cpu=8G -n 2", 2),
  on("htc", "--spread-job -N 2-4 -n 4", 2),
  on("htc", "--use-min-nodes -N 2-6 -n 9", 3),
  on("htc", "--overcommit -n 8 -c 2", 1),
  on("htc", "--array=1-4 -N 2 -n 2 --mem=1G", 2),
  on("htc", "--array=1-3%1 -N 2", 2),
  on("htc", "--mincpus=3 -N 2 -n 2", 2),
  on("htc", "--core-spec=1 -n 4", 1),
  on("htc", "-S 1 --exclusive -n 6", 2),
  on("htc", "--deadline=now+10minutes --time-min=5 -t 60 -n 4", 1),
  on("htc", "--distribution=plane=4 -n 8", 2),
  on("htc", "-N 2 -n 8 -m pack", 2),
  on("smt", "-n 5 -c 3 --mem-per-cpu=1G", 3),
  on("smt", "-c 3 --array=1-4 --mem=1G", 2),
  on("smt", "--hint=compute_bound -n 8", 2),
  on("smt", "--hint=nomultithread -n 6 -c 2", 3),
  on("smt", "--threads-per-core=1 --array=1-3 -c 3 --mem=1G", 3),
  on("smt", "--ntasks-per-core=1 -n 5 --mem-per-cpu=1G", 2),
  on("smt", "--ntasks-per-node=3 --ntasks-per-core=1 -N 2", 2),
  on("smt", "-B 1:4:1 -n 8", 2),
  on("smt", "-n 1 --mem=20G --array=1-3", 3),
  on("gpu", "--gpus-per-task=1 -n 5 -c 3", 2),
  on("gpu", "--gpus=5 -N 2", 2),
  on("gpu", "--gpus=4 --cpus-per-gpu=12", 2),
  on("gpu", "--gpus=4 --mem-per-gpu=100G", 2),
  on("gpu", "--gres=gpu:1 --cpus-per-gpu=8 --array=1-4 --mem=10G", 2),
  on("gpu", "--gres=gpu:1 --mem-per-gpu=100G --array=1-3", 2),
  on("gpu", "--gpus-per-task=1 -n 4 --mem-per-gpu=60G", 2),
  on("gpu", "--gpus-per-task=1 -n 4 --cpus-per-gpu=8", 2),
  on("gpu", "--gpus=4 --gpus-per-task=2", 1),
  on("gpu", "-N 1-3 --gpus-per-node=2 -n 50", 3),
  on("gpu", "--gpus=1 -n 30 --mem-per-cpu=1G", 2),
  on("gpu!NO DefCpuPerGPU=10", "-G 1 --array=1-4 --mem=10G", 2),
  on("gpu!NO DefCpuPerGPU=10", "--gpus-per-task=1 -n 4", 2),
  on("gpu!NO DefMemPerGPU=100000", "-G 1 --array=1-4", 2),
  on("gpu!NO DefMemPerGPU=100000", "-G 1 --mem=10G --array=1-4", 1),
  on("gpu!NO DefMemPerGPU=100000 DefCpuPerGPU=6", "--gres=gpu:1 --array=1-4", 2),
  on("htc&gpu", "-G 2", 1),
  on("gpu1&gpu", "--gres=gpu:1 -N 2", 2),
  on("gpu&gpu1", "-G 4 --mem-per-gpu=100G", 2),
  on("htc&hpc", "-n 200", 5),
  on("htc&hpc", "--mem=100G --array=1-4", 2),
  on("htc&hpc", "-C [a*1&b*2] -N 3 -n 12", 3),
  on("htc!NO MaxMemPerNode=8000", "--mem=7000 --array=1-3", 2),
  on("htc!NO MaxMemPerCPU=2000", "--mem-per-cpu=4G -n 4", 4),
  on("htc!NO DefMemPerNode=6000", "--array=1-4", 2),
  on("hpc!NO MaxCPUsPerNode=10", "-c 6 --array=1-3 --mem=1G", 3),
  on("smt!NO MaxCPUsPerNode=4", "-n 8", 2),
  on("htc!NO MinNodes=3", "-n 8", 3),
  on("htc!NO LLN=YES", "--array=1-6 -n 1 --mem=1G", 2),
  on("htc!NO ExclusiveUser=YES", "--array=1-4 -n 1 --mem=1G", 1),
  on("htc!YES:2", "--oversubscribe --array=1-2 -N 2 --mem=1G", 2),
  on("htc!EXCLUSIVE", "-p @ -n 4 : -p @ -n 4", 2),
  on("htc!NO SelectTypeParameters=CR_Core", "--array=1-4 --mem=7000", 1),
  on("htc!NO MaxTime=5+htc", "-t 60 -n 8", 2),
  on("htc!NO MaxTime=5+hpc", "-t 60 --time-min=3 -n 8", 2),
  on("htc!NO MinNodes=3+htc", "-n 8", 2),
  on("htc!NO MinNodes=3+htc!NO MinNodes=3", "-n 8", 3),
  on("htc!NO MaxMemPerNode=4000+htc", "--mem=8000 -n 2", 1),
  on("htc!NO MaxNodes=1+hpc", "-n 8", 1),
  on("htc!NO State=DOWN+htc", "-n 8", 2),
  on("htc!NO RootOnly=YES+hpc", "-n 8", 2),
  on("htc+hpc!NO MaxCPUsPerNode=2", "-n 8 --mem-per-cpu=1G", 2),
  on("gpu", "-p @ -N 2 --gpus-per-node=4 : -p @ -n 4 --exclusive", 3),
  on("htc!NO MaxTime=5", "-t 60 -n 8", 0, "longer than its partition allows"),
  on("htc!NO MaxNodes=2", "-N 1-6 -n 4", 0, "a range beyond what its partition allows"),
  on("htc", "-n 5 --mem=5G --array=1-2", 3),
  on("htc", "-N 2 -n 5 --mem=2G --array=1-2", 3),
  on("htc", "-N 3 -n 6 --mem=1G --array=1-2", 4),
  on("htc", "-N 3 -n 7 --mem=1G --array=1-2", 4),
  on("htc", "-N 2 -n 5 --mem-per-cpu=1G --array=1-3", 4),
  on("htc", "-N 2 -n 5 -m cyclic --mem=2G --array=1-2", 3),
  on("htc", "-N 2-5 -n 5 --mem=1G --array=1-2", 3),
  on("htc", "-N 3-5 --ntasks-per-node=2 --mem=1G --array=1-2", 3),
  on("htc", "-n 2 --mem=4G ; -n 5 --mem=4G", 2),
  on("htc", "-N 2 -n 5 --mem=1G ; --array=1-3 -n 1 --mem=1G", 2),
  on("htc", "--array=1-10 -n 1 --mem=3G ; --array=1-3 -c 2 --mem=2G", 4),
  on("htc", "--array=1-4 -n 1 --mem=1G ; -n 6 --mem=1G ; --array=1-2 -c 2 --mem=2G", 4),
  on("htc", "--array=1-8%3 -c 4 ; --array=1-8%2 -c 2 --mem=1G", 4),
  on("htc", "-N 2 -n 2 -c 3 --mem=1G ; -n 4 --mem=1G", 3),
  on("htc", "--thread-spec=1 -n 4", 1),
  on("htc", "--core-spec=2 -n 4 --mem=2G", 1),
  on("htc", "--ntasks-per-core=1 -n 6", 2),
  on("htc", "--mem=0 -n 5 --array=1-2", 4),
  on("htc", "--spread-job -n 6 --mem=1G", 2),
  on("htc", "--contiguous -N 3 -n 3 --mem=1G", 3),
  on("htc", "--oversubscribe -n 4 --mem=1G --array=1-2", 2),
  on("htc!FORCE:2", "--array=1-4 -n 4 --mem=1G", 4),
  on("htc!EXCLUSIVE", "-n 5 --array=1-2", 4),
  on("htc!EXCLUSIVE", "--mem=1G -N 2-3 -n 9", 3),
  on("htc!EXCLUSIVE", "-c 3 -n 3", 3),
  on("htc!EXCLUSIVE MaxNodes=2", "-n 8", 2),
  on("htc!NO MaxMemPerCPU=2000", "--mem=6G -c 1 --array=1-3", 3),
  on("htc!NO DefMemPerCPU=8000", "--array=1-3", 3),
  on("htc!NO MaxCPUsPerNode=3", "-n 5 --mem=1G", 2),
  on("htc!NO MaxCPUsPerNode=2", "-N 2 -n 2 --mem=1G --array=1-3", 4),
  on("htc!NO LLN=YES", "--array=1-2 -N 2 -n 3 --mem=1G", 2),
  on("htc!NO MinNodes=2", "--array=1-2 -n 1 --mem=1G", 2),
  on("htc!NO MinNodes=2", "-N 1 -n 1 --mem=1G", 0, "fewer nodes than its partition gives"),
  on("htc!NO MaxNodes=3", "--array=1-2 -N 1-2 -n 8", 4),
  on("htc!NO State=INACTIVE+htc", "-n 2", 1),
  on(
    "htc!NO ExclusiveUser=YES",
    "--uid=ann --chdir=/tmp -N 2 -n 8 ; --uid=bob --chdir=/tmp --array=1-4 -n 1 --mem=2G",
    3,
  ),
  on("hpc", "--cores-per-socket=11 -n 44", 1),
  on("hpc", "--sockets-per-node=2 -n 4", 1),
  on("hpc", "--ntasks-per-socket=1 -n 4", 2),
  on("hpc", "--ntasks-per-socket=10 -n 44", 3),
  on("hpc", "-N 2 -n 50 --mem=1G --array=1-3", 4),
  on("hpc", "-c 23 -n 2 --mem=1G --array=1-2", 4),
  on("hpc", "-p @ -n 1 : -p @ -n 1 : -p @ -n 1", 3),
  on("hpc", "--switches=1 -N 2 -n 50 --mem=1G", 2),
  on("smt", "-n 9 --mem=1G --array=1-2", 3),
  on("smt", "-N 2 -n 11 --mem=1G --array=1-3", 5),
  on("smt", "--threads-per-core=1 -N 2 -n 6", 2),
  on("smt", "-N 2 -n 3 --mem=1G --array=1-3", 2),
  on("cores", "-n 5 --mem-per-cpu=1G", 3),
  on("disk", "--tmp=40G --array=1-3 -n 1 --mem=1G", 1),
  on("nvme", "--gres=nvme -N 2 -n 5 --mem=1G", 2),
  on("gpu", "-G 5 --mem=1G --array=1-2", 3),
  on("gpu", "-N 2 -G 5 --mem=1G --array=1-2", 3),
  on("gpu", "-G 6 -n 6 --mem=1G --array=1-2", 3),
  on("gpu", "-G 6 --cpus-per-gpu=6 --mem=1G --array=1-2", 3),
  on("gpu", "-N 2 -n 30 --gres=gpu:1 --mem=1G --array=1-2", 3),
  on("gpu", "--gpus-per-task=a100:1 -n 5", 2),
  on("gpu", "--gpus-per-task=1 -n 6 -c 7", 2),
  on("gpu", "--ntasks-per-gpu=1 --gpus=6", 2),
  on("gpu", "-G 3 -N 3", 3),
  on("gpu", "-G 7 --mem-per-gpu=50G", 2),
  on("gpu", "-G 2 --gres-flags=enforce-binding --array=1-2 -n 2 --mem=1G", 1),
  on("gpu!EXCLUSIVE", "--gpus-per-task=1 -n 6", 2),
  on("gpu!NO DefCpuPerGPU=8", "-G 5 --mem=1G --array=1-2", 4),
  on("gpu!NO DefMemPerGPU=100000", "--gres=gpu:1 --mem-per-cpu=1G -n 4 --array=1-4", 1),
  on("gpu!NO DefMemPerGPU=100000", "--gpus-per-task=1 --mem-per-cpu=1G -n 8", 4),
  on("gpu!NO DefMemPerGPU=100000", "-G 8 --mem=20G", 4),
  on("gpu!NO DefMemPerGPU=100000 DefMemPerCPU=2000", "-G 1 --array=1-4", 2),
  on("gpu!NO DefMemPerGPU=100000 DefMemPerCPU=2000", "-G 1 --mem-per-cpu=3000 --array=1-4", 1),
  on("htc&hpc", "-N 4 -C [a*2&b*1]", 4),
  on("htc&hpc", "-C [a*1] -N 2", 2),
  on("htc&hpc", "-C a*1&b*1 -N 2", 0, "Slurm wants several counts in brackets"),
  on("htc&hpc", "-C [a*3&b*1]", 4),
  on("htc&hpc", "-n 6 --mem=1G --array=1-4", 1),
  on("htc+hpc", "--array=1-3 -c 4 ; --array=1-2 -c 40", 5),
  on("htc+gpu", "--gres=gpu:2 ; -n 4", 1),
  on("gpu1&gpu", "--gpus-per-task=1 -n 6 --mem-per-cpu=1G", 2),
  on("htc", "-p @ -n 1 : -p @ -n 1 ; -p @ -n 1 : -p @ -n 1", 2),
  on("htc", "-p @ -n 2 : -p @ -n 5 --mem-per-cpu=1G ; -n 1", 3),
  on("htc", "-p @ -N 2 -n 2 : -p @ -N 1 -n 2 ; -N 3", 3),
  on("htc&hpc", "-C [a*1&b*1] -N 2 --mem=1G --array=1-2", 2),
  on("htc&hpc", "-C [a*2&b*1] -N 3 --mem=1G ; -C b -n 2", 3),
  on("htc", "--array=1-2 -n 5 --mem=1G ; -n 1 --mem=1G", 3),
  on("hpc", "-p @ -n 20 : -p @ -n 60 --mem-per-cpu=100M ; -n 4 --mem-per-cpu=100M", 3),
  on("smt", "-n 6 -c 5 --mem=1000", 4),
  on("smt", "-n 5 -c 3 --mem=1000", 2),
  on("smt", "-n 3 -c 5 --mem=1000", 2),
  on("smt&hpc", "-n 21 -C b*2", 2),
  on("htc", "-n 2 -C a*2", 2),
  on("htc", "-C [a*2] -n 3 --mem=1G --array=1-2", 2),
  on("htc&hpc", "-C [a*2&b*1] -n 9 --mem=1G", 3),
  on("gpu", "--gpus-per-socket=2 --sockets-per-node=1 -n 2 --array=1-3", 3),
  on("gpu", "--gpus-per-socket=1 --sockets-per-node=1 -n 4 --array=1-3", 2),
  on("htc!NO MaxTime=30", "-n 1 --mem=2000 -t 60 --time-min=10", 1),
  on("smt+gpu1", "-n 5 -c 2 --gpus-per-task=1", 5),
  on("htc&smt", "--mem=5000 --threads-per-core=2", 1),
  on("smt&hpc", "-N 2 -n 2 -B 2:1", 2),
  on("htc&hpc", "--cores-per-socket=11 -n 2", 1),
  on("smt&hpc", "--ntasks-per-socket=10 -n 2", 1),
  on("htc", "-N 2 -n 3 --mem=1G ; -N 2 -n 3 --mem-per-cpu=100M --array=1-2", 3),
  on("smt", "-N 2 -n 6 --mem=1G --array=1-3", 3),
  on("smt", "-N 3 -n 9 --mem=2G --array=1-2 ; -n 1 --mem=1G", 3),
  on("hpc!NO MaxCPUsPerNode=10", "-N 2 -n 7 --array=1-3 --mem=1G", 3),
  on("hpc!NO MaxCPUsPerNode=10", "-N 2 -n 12 --array=1-2 --mem=1G", 3),
  on("htc!NO MaxNodes=1", "-p @ -n 1 : -p @ -N 2 -n 2", 0, "one of its parts can never run"),
  on("nvme!EXCLUSIVE+htc!NO MaxMemPerNode=11939", "-n 1 --array=1-2", 2),
  on("htc", "-n 3 --mem=1G ; --spread-job -N 1-4 -n 4 --mem=1G", 2),
  on("htc", "-N 1-4 -n 6 --mem=1G ; -n 2 --mem=1G", 2),
  on("hpc", "-N 3 -n 4 --ntasks-per-socket=4 --array=1-4 --mem=1G", 3),
  on("hpc", "--array=1-260 -n 1 --mem=100", 6),
  on(
    "htc!NO ExclusiveUser=YES",
    "--uid=ann --chdir=/tmp --array=1-5 -n 1 --mem=1G ; --uid=bob --chdir=/tmp -n 5 --mem=1G ; --uid=cat --chdir=/tmp -N 1-2 -n 2 --mem=1G",
    5,
  ),
  on("htc&nvme", "-n 6 --mem=2000 --array=1-3", 5),
  on("htc&nvme", "-N 2 -n 6 --mem=2000 --array=1-3 ; -n 1 --mem=100", 5),
  on("smt&hpc!NO MaxCPUsPerNode=6", "-n 8 --mem=2000 --array=1-4", 6),
  on("htc&disk", "-n 30 --mem=1000", 8),
  on("htc&smt", "-N 8 -n 8 --mem=1000", 8),
  on("htc&nvme", "-N 7 --exclusive", 7),
  on("htc&nvme", "-N 9 --ntasks-per-node=2 --mem=1000 --array=1-2", 9),
  on("gpu", "-B 1:1:1 --gpus-per-socket=3 -n 2", 1),
  on("gpu1", "-B 1:1:1 --gpus-per-socket=1 -n 5", 2),
  on("gpu1", "--gpus-per-socket=1 --sockets-per-node=1 -n 2", 1),
  on("htc", "--overcommit --ntasks-per-node=4 --mem-per-cpu=1G --array=1-4", 4),
  on("smt", "--overcommit --ntasks-per-node=6 --mem-per-cpu=1G --array=1-4", 2),
  on("hpc", "--overcommit --ntasks-per-node=30 --mem-per-cpu=9G --array=1-8", 2),
  on("smt!NO MaxCPUsPerNode=4", "-n 8 --ntasks-per-core=1", 2),
  on("smt!NO MaxCPUsPerNode=3", "-N 2 -n 6 --hint=nomultithread", 2),
  on("smt!NO MaxCPUsPerNode=3", "-n 5 --ntasks-per-core=1 --array=1-2", 4),
  on("smt!NO MaxCPUsPerNode=4", "-n 1 --ntasks-per-core=1 --array=1-3", 2),
  on("gpu1", "-n 4 --gpus-per-socket=1 --sockets-per-node=2", 1),
  on("hpc+nvme", "-n 2 --mem=0 --gres=nvme:1 --array=1-2", 2),
  on("htc&hpc", "-N 3 -n 5 --mem-per-cpu=1000 --mincpus=5", 3),
  on("htc!NO MaxMemPerCPU=2000+hpc", "-n 4 --mem-per-cpu=4G", 4),
  on("htc!NO MaxMemPerCPU=2000+hpc", "--mem=6G -n 1 --array=1-3", 3),
  on("htc+htc!NO MaxMemPerCPU=2000", "--mem-per-cpu=3G -n 4", 1),
  on("htc&hpc", "-N 7 -n 100", 7),
  on("htc&hpc", "-n 270 --mem=1000", 8),
  on("htc&smt", "-N 7-9 -n 40 --mem-per-cpu=1000", 7),
  on("htc&hpc!NO MaxCPUsPerNode=10", "-N 7 -n 50 --mem=1G ; -n 1 --mem=1G", 7),
  on("gpu1&gpu", "-N 7 --gpus-per-task=1 -n 18", 7),
  on("gpu", "--ntasks-per-gpu=2 -n 12", 2),
  on("smt&hpc!EXCLUSIVE MaxCPUsPerNode=8", "-n 11", 2),
  on("smt", "-N 1-2 -n 4 -c 6 -C b*2", 0, "two nodes never hold it"),
  on("gpu1&gpu", "-N 7 -G 18 -n 18", 7),
  on("htc", "-n 1 --ntasks-per-core=3 --mem=1G --array=1-4", 2),
  on("htc", "-c 3 --mem=1G ; -n 1 --mem=1G --sockets-per-node=2", 2),
  on("gpu&gpu1", "-G 27", 9),
  on("nvme!NO MinNodes=2+hpc", "-n 11 --mem=0 -S 1", 1),
  on("htc!NO MinNodes=2+htc!NO MinNodes=3", "-n 14", 4),
  on("nvme!NO MinNodes=3+hpc", "-N 1-4 -n 7 --gres=nvme:1", 0, "no partition of its size has it"),
  on("htc!NO MinNodes=2+nvme!NO MaxNodes=1", "-n 14", 0, "too small for one, too large for the other"),
];

/** Memory is not used up, but where the partition says so: it only has to be there. */
const coreKinds: readonly JobKind[] = [
  on("htc", "--array=1-6 --mem=7000", 2),
  on("htc", "-n 6 --mem-per-cpu=6G", 2),
  on("smt", "--array=1-6 -n 1", 2),
  on("htc&hpc", "--mem=20G", 1),
  on(
    "htc!NO ExclusiveUser=YES",
    "--uid=ann --chdir=/tmp --array=1-2 -n 1 ; --uid=bob --chdir=/tmp -n 1 ; --uid=cat --chdir=/tmp -n 1",
    3,
  ),
  on(
    "htc!NO ExclusiveUser=YES",
    "--uid=ann --chdir=/tmp -N 2 -n 3 ; --uid=bob --chdir=/tmp --array=1-5 -n 1",
    4,
  ),
  on(
    "htc!NO ExclusiveUser=YES",
    "--uid=ann --chdir=/tmp -n 1 ; --uid=ann --chdir=/tmp -n 2 ; --uid=bob --chdir=/tmp -n 6",
    3,
  ),
  on("htc", "--exclusive=user --uid=ann --chdir=/tmp -n 1 ; --uid=bob --chdir=/tmp -n 1", 2),
  on("htc!EXCLUSIVE", "-p @ -N 1-3 -n 2 : -p @ -n 2", 3),
  on("htc", "-p @ -N 2-3 -n 4 : -p @ -N 1-2 -n 1 : -p @ -n 2", 5),
  on("htc", "-p @ -N 1-3 -n 5 --use-min-nodes : -p @ -n 1", 3),
  on("htc&hpc!NO SelectTypeParameters=CR_Core_Memory", "-n 3 -c 3 --mem=0 --array=1-3", 3),
  on("htc&hpc!NO SelectTypeParameters=CR_Core_Memory", "-n 2 --mem=0 --array=1-2 ; -n 1 --mem=1G", 3),
  on("gpu", "-n 5 --array=0-8:2 --gpus-per-socket=1 --sockets-per-node=2", 3),
  on("htc", "-n 4 -c 3 --mem-per-cpu=500", 3),
  on("hpc", "-n 4 -c 30 --mem=1000", 3),
  on("htc!NO MaxMemPerNode=2000+nvme", "-n 1", 1),
  on("htc&smt", "--array=1-40 -n 1", 10),
  on("gpu1&gpu", "--array=1-3 -n 3 --gpus-per-socket=2 --sockets-per-node=2", 3),
  on("gpu", "-n 4 -c 15 --gres=gpu:1", 4),
  on("gpu", "-n 4 -c 15 -G 4", 4),
  on("nvme", "-n 4 -c 3 --gres=nvme:1", 4),
  on("htc&nvme", "-n 4 -c 3 --gres=nvme:1", 4),
  on("gpu1&gpu", "-n 4 -c 15 -G 4", 4),
];

/** A job has whole sockets. */
const socketKinds: readonly JobKind[] = [
  on("hpc", "--array=1-3 -c 4", 2),
  on("hpc", "--array=1-3 -n 4", 3),
  on("smt", "--array=1-2 -n 1", 2),
  on("hpc!NO MaxCPUsPerNode=10", "-n 4", 1),
  on("hpc!NO MaxCPUsPerNode=30", "-n 4", 1),
  on("hpc!NO MaxCPUsPerNode=30", "-n 25", 1),
  on("hpc!NO MaxCPUsPerNode=30", "-n 40", 2),
  on("hpc!NO MaxCPUsPerNode=30", "-c 20 -n 2", 2),
  on("hpc!NO MaxCPUsPerNode=10", "-n 12", 2),
  on("smt!NO MaxCPUsPerNode=4", "-n 1 --array=1-2", 2),
  on("smt!NO MaxCPUsPerNode=3", "-n 2", 1),
  on("hpc", "--overcommit -n 11 --mem=1000 --array=1-3", 2),
  on("htc", "--overcommit -n 4 --mem=1000 --array=1-3", 1),
  on("smt&hpc", "--array=1-8 -n 4", 8),
  on("hpc", "--array=1-4 -n 4 -c 5", 2),
  on("hpc", "-N 2 -n 5 -c 5 ; --array=1-2 -n 2 -c 11", 2),
  on("htc", "-n 3 --mem-per-cpu=1000 ; -n 3 --mem-per-cpu=1000 ; -n 2 --mem-per-cpu=1000", 2),
];

/** `select/linear` gives every job whole nodes. */
export const linearKinds: readonly JobKind[] = [
  on("hpc", "-n 88", 2),
  on("hpc", "-n 4 --array=1-3", 3),
  on("hpc!EXCLUSIVE", "-n 88", 2),
  on("hpc!YES:2", "-n 4 --array=1-3", 3),
  on("htc", "-n 8 --mem-per-cpu=1G", 2),
  on("htc", "--mem=2G -n 1", 1),
  on("htc", "-n 1 --array=1-2 --mem=0", 2),
  on("htc", "-N 2-4", 2),
  on("smt", "-n 12", 2),
  on("gpu", "--gres=gpu:2 --array=1-2", 2),
  on("cores", "--array=1-2 -n 2", 2),
  on("htc!NO MaxCPUsPerNode=2", "-n 4", 1),
  on("htc&nvme", "--gres=nvme:1", 1),
  on("htc&hpc", "-N1 -n 44", 1),
  on("htc!NO SelectTypeParameters=CR_Core", "--array=1-2 --mem=1G -n 1", 2),
  on("htc", "-N 1-3 -n 5", 2),
  on("htc", "--overcommit -n 8", 1),
  on("htc", "--ntasks-per-socket=3 -n 3", 1),
  on("smt", "--mem-per-cpu=6087", 0, "all CPUs of a node have more memory than it has"),
  on("htc!NO MaxCPUsPerNode=2+htc", "-n 16", 4),
  on("htc!NO MaxCPUsPerNode=2+hpc!NO MaxCPUsPerNode=2", "-n 16", 0, "more CPUs than its partitions give"),
];

/** Tables by what slurm.conf says of how nodes are shared. */
export const kindsBySelection = {
  cons_tres: jobKinds,
  linear: linearKinds,
  cores: coreKinds,
  sockets: socketKinds,
} as const;
export type Selection = keyof typeof kindsBySelection;
export const selections = Object.keys(kindsBySelection) as readonly Selection[];

export interface KindPartition {
  readonly name: string;
  /** Its node arrays; their nodes are called by their names. */
  readonly arrays: readonly { readonly name: string; readonly node: NodeKind }[];
  readonly oversubscribe: string;
}

export function partitionsOf({ on: where }: JobKind, index: number): readonly KindPartition[] {
  return where.map((each, place) => {
    const [nodes = "htc", oversubscribe = "NO"] = each.split("!");
    const name = `k${index}${"ab"[place]}`;
    const arrays = nodes
      .split("&")
      .map((node, which) => ({ name: which === 0 ? name : `${name}x`, node: node as NodeKind }));
    return { name, arrays, oversubscribe };
  });
}

/** The lines of slurm.conf and gres.conf about nodes and partitions. */
export interface SlurmNodes {
  readonly conf: string;
  readonly gres: string;
  /** A hostlist of the nodes that are to come. */
  readonly toCome: string;
}

export function nodesOfKinds(
  kinds: readonly JobKind[],
  select: Selection,
  available = nodesPerPartition,
): SlurmNodes {
  const all = kinds.flatMap(partitionsOf);
  const range = `[1-${available}]`;
  const lines = all.map(({ name, arrays, oversubscribe }, index) =>
    [
      ...arrays.map((each) => `NodeName=${each.name}-${range} ${nodeKinds[each.node].slurm} State=CLOUD`),
      `PartitionName=${name} Nodes=${arrays.map((each) => `${each.name}-${range}`).join(",")} MaxTime=INFINITE State=UP OverSubscribe=${oversubscribe}${index === 0 ? " Default=YES" : ""}\n`,
    ].join("\n"),
  );
  const ofArrays = all.flatMap(({ arrays }) => arrays);
  // The controller reads all of gres.conf again for each node: a line for all of a kind.
  const namesOf = (kind: NodeKind) =>
    ofArrays.flatMap(({ name, node }) => (node === kind ? [`${name}-${range}`] : [])).join(",");
  const gres = [
    [namesOf("gpu"), `Name=gpu Type=a100 File=${standIns}\n`],
    [namesOf("nvme"), "Name=nvme Count=1\n"],
  ].flatMap(([names, what]) => (names === "" ? [] : [`NodeName=${names} ${what}`]));
  // Nodes that are away are given to jobs at once, and nobody waits for them: no node daemon is needed.
  const selection = {
    cons_tres: "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n",
    linear: "SelectType=select/linear\nSelectTypeParameters=CR_Memory\n",
    cores: "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n",
    sockets: "SelectType=select/cons_tres\nSelectTypeParameters=CR_Socket_Memory\n",
  };
  const settings =
    "ReturnToService=1\nPrivateData=cloud\nSuspendProgram=/bin/true\nResumeProgram=/bin/true\nSuspendTime=60000\nResumeTimeout=60000\nDefMemPerCPU=3500\nLicenses=ansys:2\n";
  return {
    conf: `${selection[select]}${settings}${lines.join("")}`,
    gres: gres.join(""),
    toCome: ofArrays.map(({ name }) => `${name}-${range}`).join(","),
  };
}

/** Of each of its jobs. */
export function sbatchArgs(kind: JobKind, index: number): readonly (readonly string[])[] {
  const partitions = partitionsOf(kind, index).map(({ name }) => name);
  return kind.options.split(" ; ").map((each) => {
    const options = each.replaceAll("@", partitions[0] ?? "").split(" ");
    return [...(options.includes(":") ? [] : ["-p", partitions.join(",")]), ...options];
  });
}

/** The nodes that the engine would make for what was posted, by kind, beside those that are `there`. */
export function boughtFor(
  kinds: readonly JobKind[],
  reading: Posted,
  available = nodesPerPartition,
  there: readonly string[] = [],
): readonly (readonly string[])[] {
  const arraysOf = (kind: JobKind, index: number) =>
    partitionsOf(kind, index).flatMap(({ arrays }) => arrays);
  const names = boughtFrom(kinds.flatMap(arraysOf), reading, available, there);
  return kinds.map((kind, index) => {
    const own = arraysOf(kind, index).map(({ name }) => `${name}-`);
    return names.filter((name) => own.some((beginning) => name.startsWith(beginning)));
  });
}

/** The same for any node arrays. */
export function boughtFrom(
  arrays: readonly { readonly name: string; readonly node: NodeKind }[],
  reading: Posted,
  available: number,
  there: readonly string[] = [],
): readonly string[] {
  const nodeArrays = arrays.map(({ name, node: kind }) => {
    const { vcpus, memoryGiB, gpus } = nodeKinds[kind];
    const vmSize = `Standard_${kind}`;
    const left = available - there.filter((each) => each.startsWith(`${name}-`)).length;
    const buckets = [bucket({ vmSize, vcpus, memoryGiB, gpus, available: left })];
    return array({ name, placementGroup: name, buckets });
  });
  const nodes = there.map((name) => {
    const nodeArray = name.slice(0, name.lastIndexOf("-"));
    const kind = arrays.find((each) => each.name === nodeArray)?.node;
    return node(name, { nodeArray, vmSize: `Standard_${kind}`, placementGroup: nodeArray, hostname: name });
  });
  return planReading("slurm", reading, nodeArrays, nodes).create.flatMap((set) => set.names);
}

/** Different nodes of the jobs of each kind, of all tasks of an array and all parts of heterogeneous jobs. */
export async function usedBy(
  controller: Pick<Slurm, "run">,
  ids: readonly (readonly number[])[],
): Promise<readonly number[]> {
  const format = "--Format=ArrayJobID:20,HetJobID:20,NodeList:500";
  const rows = (await controller.run("squeue", "--noheader", "--array", format))
    .split("\n")
    .map((line) => [line.slice(0, 20).trim(), line.slice(20, 40).trim(), line.slice(40).trim()] as const);
  return ids.map((jobs) => {
    const isOwn = (id: string) => jobs.some((each) => String(each) === id);
    const own = rows.filter(([array, heterogeneous]) => isOwn(array) || isOwn(heterogeneous));
    return new Set(own.flatMap(([, , nodes]) => expandHostlist(nodes) ?? [])).size;
  });
}
