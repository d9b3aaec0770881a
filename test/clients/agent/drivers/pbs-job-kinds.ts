import type { NodeEvent } from "../../../../clients/agent/drivers/driver.ts";
import { array, bucket } from "../../../shared/engine/tiny.ts";
import { type KindOfJob, nameOfKind } from "./job-kind.ts";
import { type Posted, planReading } from "./plan-reading.ts";

/** What PBS has of a node, and the VM that it would be. */
const nodeKinds = {
  htc: { resources: { ncpus: 4, mem: "15gb" }, vcpus: 4, memoryGiB: 16, gpus: 0 },
  gpu: { resources: { ncpus: 8, mem: "60gb", ngpus: 2 }, vcpus: 8, memoryGiB: 64, gpus: 2 },
  disk: { resources: { ncpus: 4, mem: "15gb", scratch: "100gb" }, vcpus: 4, memoryGiB: 16, gpus: 0 },
  /** Physical CPUs, of which the VM has two threads each, as azpbs sets them. */
  cores: { resources: { ncpus: 2, mem: "15gb" }, vcpus: 4, memoryGiB: 16, gpus: 0 },
  soft: {
    resources: {
      ncpus: 4,
      mem: "15gb",
      tools: "matlab",
      Qlist: "express",
      ib: true,
      flavour: "fast",
      speed: 3,
      image: "50gb",
    },
    vcpus: 4,
    memoryGiB: 16,
    gpus: 0,
  },
} as const;
type NodeKind = keyof typeof nodeKinds;

const nodesPerArray = 6;

/** "@" in its options stands for the name of its queue. */
export interface JobKind extends KindOfJob<NodeKind> {
  /** Attributes of its queue, as qmgr takes them. */
  readonly queue: readonly string[];
}

interface More {
  readonly queue?: readonly string[];
  readonly times?: number;
}

function on(node: NodeKind, options: string, nodes: number, { queue = [], times = 1 }: More = {}): JobKind {
  return { node, queue, options, nodes, times };
}

export const pbsJobKinds: readonly JobKind[] = [
  on("htc", "-l select=1:ncpus=1:mem=1gb", 1),
  on("htc", "-l select=1:ncpus=4", 1),
  on("htc", "-l select=1:ncpus=3", 3, { times: 3 }),
  on("htc", "-l select=1:ncpus=2", 2, { times: 4 }),
  on("htc", "-l select=1:ncpus=1:mem=8gb", 3, { times: 3 }),
  on("htc", "-l select=1:ncpus=1:mem=15gb", 2, { times: 2 }),
  on("htc", "-l select=1:ncpus=1:mem=16gb", 0),
  on("htc", "-l select=1:ncpus=5", 0),
  on("htc", "-l select=8:ncpus=1", 2),
  on("htc", "-l select=8:ncpus=1:mem=100mb -l place=free", 2),
  on("htc", "-l select=3:ncpus=2 -l place=free", 2),
  on("htc", "-l select=3:ncpus=3 -l place=free", 3),
  on("htc", "-l select=4:ncpus=1:mem=5gb -l place=free", 2),
  on("htc", "-l select=4:ncpus=1 -l place=pack", 1),
  on("htc", "-l select=2:ncpus=2:mem=7gb -l place=pack", 1),
  on("htc", "-l select=5:ncpus=1 -l place=pack", 0),
  on("htc", "-l select=1:ncpus=2+2:ncpus=1 -l place=pack", 1),
  on("htc", "-l select=3:ncpus=1 -l place=scatter", 3),
  on("htc", "-l select=3:ncpus=1 -l place=vscatter", 3),
  on("htc", "-l select=2:ncpus=2:mpiprocs=2 -l place=scatter", 2),
  on("htc", "-l select=2:ncpus=4:mpiprocs=1:ompthreads=4 -l place=scatter", 2),
  on("htc", "-l select=7:ncpus=1 -l place=scatter", 0),
  on("htc", "-l select=1:ncpus=1 -l place=excl", 2, { times: 2 }),
  on("htc", "-l select=1:ncpus=1 -l place=exclhost", 2, { times: 2 }),
  on("htc", "-l select=2:ncpus=1 -l place=scatter:excl", 2),
  on("htc", "-l select=2:ncpus=1 -l place=scatter:exclhost", 4, { times: 2 }),
  on("htc", "-l select=4:ncpus=1 -l place=free:excl", 1),
  on("htc", "-l select=6:ncpus=1 -l place=free:excl", 2),
  on("htc", "-l select=2:ncpus=1 -l place=pack:excl", 1),
  on("htc", "-l select=1:ncpus=1 -l place=shared", 1, { times: 2 }),
  on("htc", "-l select=1:ncpus=2:mem=2gb+2:ncpus=1:mem=1gb -l place=free", 1),
  on("htc", "-l select=1:ncpus=4+2:ncpus=2 -l place=free", 2),
  on("htc", "-l select=1:ncpus=2:mem=10gb+2:ncpus=4 -l place=scatter", 3),
  on("htc", "-l select=1:ncpus=1+1:ncpus=1 -l place=scatter", 2),
  on("htc", "-l select=3:ncpus=4 -l place=scatter:group=group_id", 3),
  on("htc", "-l select=2:ncpus=1 -l place=group=host", 1),
  on("htc", "-l select=2:ncpus=2:ungrouped=true -l place=scatter", 2),
  on("htc", "-l select=2:ncpus=2:ungrouped=false -l place=scatter", 2),
  on("htc", "-l select=2:ncpus=4", 2, {
    queue: ["resources_default.place = scatter:excl", "default_chunk.ungrouped = false"],
  }),
  on("htc", "-l select=1:ncpus=1", 1, { queue: ["default_chunk.ungrouped = true"] }),
  on("htc", "-l nodes=2:ppn=2", 2),
  on("htc", "-l nodes=3", 3),
  on("htc", "-l nodes=1:ppn=4", 1),
  on("htc", "-l ncpus=3,mem=2gb", 1),
  on("htc", "-l ncpus=3,mem=2gb", 2, { times: 2 }),
  on("htc", "-l mem=9gb", 2, { times: 2 }),
  on("htc", "-N plain", 1, { queue: ["resources_default.ncpus = 2"] }),
  on("htc", "-N chunk -l select=2", 2, { queue: ["default_chunk.ncpus = 3"] }),
  on("htc", "-N chunkmem -l select=2:ncpus=1", 2, { queue: ["default_chunk.mem = 9gb"] }),
  on("htc", "-J 1-6 -l select=1:ncpus=2", 3),
  on("htc", "-J 1-6 -l select=1:ncpus=3", 6),
  on("htc", "-J 1-20:2 -l select=1:ncpus=1", 3),
  on("htc", "-J 1-6%2 -l select=1:ncpus=3", 2),
  on("htc", "-J 1-6%4 -l select=1:ncpus=2", 2),
  on("htc", "-J 1-3 -l select=2:ncpus=4 -l place=scatter", 6),
  on("htc", "-J 1-3 -l select=1:ncpus=1 -l place=excl", 3),
  on("htc", "-J 1-2 -l select=4:ncpus=1 -l place=pack", 2),
  on("htc", "-J 1-2 -l select=3:ncpus=2 -l place=free", 3),
  on("gpu", "-l select=1:ncpus=1:ngpus=1", 1, { times: 2 }),
  on("gpu", "-l select=1:ncpus=1:ngpus=2", 2, { times: 2 }),
  on("gpu", "-l select=3:ncpus=2:ngpus=1 -l place=free", 2),
  on("gpu", "-l select=2:ncpus=2:ngpus=1 -l place=scatter", 2),
  on("gpu", "-l select=1:ncpus=1:ngpus=3", 0),
  on("htc", "-l select=1:ncpus=1:ngpus=1", 0),
  on("disk", "-l select=1:ncpus=1:scratch=60gb", 2, { times: 2 }),
  on("disk", "-l select=1:ncpus=1:scratch=50gb", 1, { times: 2 }),
  on("disk", "-l select=1:ncpus=1:scratch=101gb", 0),
  on("cores", "-l select=1:ncpus=2", 2, { times: 2 }),
  on("cores", "-l select=1:ncpus=3", 0),
  on("cores", "-l select=4:ncpus=1 -l place=free", 2),
  on("soft", "-l select=1:ncpus=1:tools=matlab", 1),
  on("soft", "-l select=1:ncpus=1:tools=fluent", 0),
  on("soft", "-l select=1:ncpus=1:ib=true", 1),
  on("soft", "-l select=1:ncpus=1:ib=false", 0),
  on("htc", "-l select=1:ncpus=1:ib=true", 0),
  on("htc", "-l select=1:ncpus=1:ib=false", 1),
  on("soft", "-l select=1:ncpus=1:flavour=fast", 1),
  on("soft", "-l select=1:ncpus=1:flavour=slow", 0),
  on("htc", "-l select=1:ncpus=1:unseen=yes", 1),
  on("htc", "-l select=1:ncpus=1:host=ip-elsewhere", 0),
  on("htc", "-l select=1:ncpus=1 -l walltime=01:00:00", 1),
  on("htc", "-l select=1:ncpus=1 -l min_walltime=00:10:00 -l max_walltime=02:00:00", 1),
  on("htc", "-r n -p 100 -l select=1:ncpus=4", 1),
  on("htc", "-h -l select=1:ncpus=1", 0),
  on("htc", "-a 203512312359 -l select=1:ncpus=1", 0),
  on("htc", "-W depend=afterok:0 -l select=1:ncpus=1", 0),
  on("htc", "-l select=1:ncpus=1", 0, { queue: ["started = false"] }),
  on("htc", "-l select=1:ncpus=4", 2, { queue: ["max_run = [o:PBS_ALL=2]"], times: 4 }),
  on("htc", "-l select=1:ncpus=4", 1, { queue: ["max_run = [u:PBS_GENERIC=1]"], times: 3 }),
  on("htc", "-l select=1:ncpus=4", 3, {
    queue: ["max_run = [u:PBS_GENERIC=1]", "max_run += [u:ann=3]"],
    times: 4,
  }),
  on("htc", "-l select=1:ncpus=3", 2, { queue: ["max_run_res.ncpus = [o:PBS_ALL=7]"], times: 4 }),
  on("htc", "-l select=1:ncpus=4", 0, { queue: ["max_run_res.ncpus = [u:PBS_GENERIC=3]"] }),
  on("htc", "-l select=1:ncpus=1:mem=15gb", 2, {
    queue: ["max_run_res.mem = [u:PBS_GENERIC=40gb]"],
    times: 4,
  }),
  on("htc", "-J 1-6 -l select=1:ncpus=4", 2, { queue: ["max_run = [u:PBS_GENERIC=2]"] }),
  on("htc", "-l select=2:ncpus=4 -l place=scatter", 2, { queue: ["max_run = [g:PBS_GENERIC=1]"], times: 2 }),
  on("htc", "-P chem -l select=1:ncpus=4", 1, { queue: ["max_run = [p:chem=1]"], times: 2 }),
  on("htc", "-l select=1:ncpus=4 -l tokens=2", 2, { queue: ["resources_available.tokens = 5"], times: 4 }),
  on("htc", "-l select=1:ncpus=4 -l tokens=6", 0, { queue: ["resources_available.tokens = 5"] }),
  on("htc", "-l select=1:ncpus=4", 3, { queue: ["resources_available.ncpus = 12"], times: 5 }),
  // Chunks of several kinds, in the order in which PBS places them.
  on("htc", "-l select=2:ncpus=1+2:ncpus=3 -l place=free", 3),
  on("htc", "-l select=2:ncpus=1+1:ncpus=4 -l place=free", 2),
  on("htc", "-l select=1:ncpus=3+4:ncpus=1+1:ncpus=2 -l place=free", 3),
  on("htc", "-l select=1:ncpus=2+2:ncpus=1 -l place=excl", 2),
  on("htc", "-l select=1:ncpus=3+2:ncpus=2 -l place=exclhost", 2),
  on("htc", "-l select=1:ncpus=1+1:ncpus=1:mem=2gb -l place=free:excl", 2),
  on("htc", "-l select=1:ncpus=2+1:ncpus=1 -l place=scatter:excl", 2),
  on("htc", "-l select=2:ncpus=2+1:ncpus=4 -l place=vscatter", 3),
  on("htc", "-l select=1:ncpus=2+1:ncpus=1 -l place=vscatter:excl", 2),
  on("htc", "-l select=2:ncpus=2+1:ncpus=1:mem=3gb -l place=free", 3, { times: 2 }),
  on("htc", "-J 1-2 -l select=1:ncpus=2+2:ncpus=1:mem=1gb -l place=free", 2),
  on("htc", "-l select=4:ncpus=1:mem=6gb+2:ncpus=2:mem=2gb", 2),
  on("htc", "-l nodes=1:ppn=2+2:ppn=1", 3),
  on("htc", "-l select=1:ncpus=2+1:ncpus=2 -l place=scatter:group=group_id", 2),
  on("htc", "-l select=1:ncpus=1+1:ncpus=3 -l place=free:group=group_id", 2, { times: 2 }),
  on("soft", "-l select=1:ncpus=1:tools=matlab+1:ncpus=1:ib=true -l place=scatter", 2),
  on("gpu", "-l select=1:ncpus=8+2:ncpus=1:ngpus=2 -l place=scatter", 3),
  on("gpu", "-l select=1:ncpus=1:ngpus=1+1:ncpus=7 -l place=free", 1),
  on("htc", "-l select=2:ncpus=1 -l place=scatter", 2, { times: 3 }),
  on("htc", "-l select=3:ncpus=1 -l place=scatter:shared", 3, { times: 2 }),
  on("htc", "-l select=2:ncpus=1 -l place=pack:exclhost", 1),
  on("htc", "-l select=5:ncpus=1 -l place=free:exclhost", 2),
  on("htc", "-l select=4:ncpus=1 -l place=shared", 2, { times: 2 }),
  on("htc", "-l select=2:ncpus=2 -l place=scatter:group=nodearray", 2),
  on("htc", "-l select=2:ncpus=4 -l place=group=nodearray", 2),
  on("htc", "-l select=24:ncpus=1", 6),
  on("htc", "-l select=25:ncpus=1", 0),
  on("htc", "-l select=6:ncpus=3:mem=1gb -l place=free", 6),
  on("htc", "-l select=1:ncpus=0:mem=1gb", 1, { times: 3 }),
  on("htc", "-l select=2:ncpus=0:mem=9gb", 2),
  on("htc", "-l select=1:mem=1gb", 1, { times: 4 }),
  on("htc", "-l select=1:ncpus=1:vmem=2gb", 1),
  on("htc", "-l select=1:ncpus=1:naccelerators=1", 1),
  on("htc", "-l select=1:ncpus=1:arch=linux", 1),
  on("htc", "-l select=1:ncpus=1:arch=cray", 0),
  on("htc", "-l select=2:ncpus=1:mem=7680mb -l place=pack", 1),
  on("htc", "-l ncpus=4,cput=01:00:00,pmem=1gb", 1),
  on("htc", "-l nodes=2:ppn=1#shared", 1),
  on("htc", "-l nodes=4#excl", 4),
  on("soft", "-l select=1:ncpus=1:Qlist=express", 1),
  on("soft", "-l select=1:ncpus=1:Qlist=none", 0),
  on("htc", "-l select=1:ncpus=2 -W depend=on:1", 0),
  on("htc", "-l select=1:ncpus=4", 2, {
    queue: ["max_run = [o:PBS_ALL=3]", "max_run += [u:PBS_GENERIC=2]"],
    times: 4,
  }),
  on("htc", "-l select=1:ncpus=4", 3, { queue: ["max_run = [u:bob=1]"], times: 3 }),
  on("htc", "-J 1-6 -l select=1:ncpus=2", 2, { queue: ["max_run_res.ncpus = [u:PBS_GENERIC=6]"] }),
  on("htc", "-J 1-6%4 -l select=1:ncpus=4", 3, { queue: ["max_run = [o:PBS_ALL=3]"] }),
  on("htc", "-l select=1:ncpus=4", 3, { queue: ["max_run_soft = [u:PBS_GENERIC=1]"], times: 3 }),
  on("htc", "-l select=1:ncpus=4", 1, { queue: ["max_run = [g:ann=1]"], times: 2 }),
  on("htc", "-l select=1:ncpus=4", 2, {
    queue: ["max_run_res.mem = [u:PBS_GENERIC=20gb]", "default_chunk.mem = 8gb"],
    times: 3,
  }),
  on("htc", "-l select=1:ncpus=4", 2, {
    queue: ["resources_available.mem = 40gb", "default_chunk.mem = 15gb"],
    times: 4,
  }),
  on("htc", "-l select=2:ncpus=4 -l place=scatter", 4, {
    queue: ["resources_available.nodect = 4"],
    times: 3,
  }),
  on("htc", "-l select=1:ncpus=1 -l tokens=3", 1),
  on("htc", "-l select=1:ncpus=1 -l licensed=true", 1, { queue: ["resources_available.licensed = True"] }),
  on("htc", "-l select=1:ncpus=1 -l licensed=true", 0, { queue: ["resources_available.licensed = False"] }),
  on("htc", "-l select=1:ncpus=1 -l licensed=true", 1),
  on("htc", "-l select=1:ncpus=1 -l release=abc", 1, { queue: ["resources_available.release = abc"] }),
  on("htc", "-l select=1:ncpus=1 -l release=abd", 0, { queue: ["resources_available.release = abc"] }),
  on("htc", "-l select=1:ncpus=4 -l tons=1.5", 2, { queue: ["resources_available.tons = 3.5"], times: 3 }),
  on("htc", "-l select=1:ncpus=1", 1, { queue: ["resources_max.ncpus = 2"] }),
  on("htc", "-l select=1:ncpus=2+1:ncpus=1 -l place=scatter", 2, { times: 2 }),
  on("htc", "-l select=1:ncpus=1+2:ncpus=2 -l place=vscatter", 3, { times: 2 }),
  on("htc", "-J 1-2 -l select=1:ncpus=1:mem=1gb+1:ncpus=2 -l place=scatter", 2),
  on("gpu", "-l select=1:ncpus=4+1:ncpus=1:ngpus=1 -l place=scatter", 2, { times: 2 }),
  // Amounts that PBS compares, and jobs do not use up; chunks of one job on one host do.
  on("soft", "-l select=1:ncpus=1:speed=3", 1, { times: 3 }),
  on("soft", "-l select=4:ncpus=1:speed=2", 4),
  on("soft", "-l select=1:ncpus=1:speed=4", 0),
  on("htc", "-l select=1:ncpus=1:speed=1", 0),
  on("soft", "-l select=1:ncpus=1:image=40gb", 1, { times: 3 }),
  on("htc", "-l select=1:ncpus=4 -l level=3", 3, { queue: ["resources_available.level = 5"], times: 3 }),
  on("htc", "-l select=1:ncpus=4 -l level=6", 0, { queue: ["resources_available.level = 5"] }),
  on("gpu", "-l select=1:ncpus=1:ngpus=1", 2, { queue: ["resources_available.ngpus = 3"], times: 5 }),
  on("htc", "-J 1-3 -l select=2:ncpus=4 -l place=scatter", 4, { queue: ["max_run = [u:PBS_GENERIC=2]"] }),
  on("htc", "-l select=1:ncpus=1+2:ncpus=4 -l tokens=1", 3, {
    queue: ["resources_available.tokens = 1"],
    times: 2,
  }),
  // One host where one has room for all of it, and several otherwise.
  on("htc", "-l select=4:ncpus=1 -l place=free:group=host", 1),
  on("htc", "-l select=3:ncpus=2 -l place=free:group=host", 2),
  on("htc", "-l select=1:ncpus=3+2:ncpus=1:mem=7gb -l place=group=host", 3, { times: 2 }),
];

/** What a site adds to PBS. "unseen" is not in sched_config: the scheduler passes over it. */
export const siteResources = [
  "nodearray type=string,flag=h",
  "group_id type=string,flag=h",
  "ungrouped type=boolean,flag=h",
  "ccnodeid type=string,flag=h",
  "ngpus type=long,flag=hn",
  "scratch type=size,flag=hn",
  "tools type=string_array,flag=h",
  "ib type=boolean,flag=h",
  "flavour type=string,flag=h",
  "unseen type=string,flag=h",
  "tokens type=long,flag=q",
  "Qlist type=string_array,flag=h",
  "licensed type=boolean",
  "release type=string",
  "tons type=float,flag=q",
  "speed type=long,flag=h",
  "image type=size,flag=h",
  "level type=long",
];

export const scheduledResources = [
  ...["ncpus", "mem", "arch", "host", "vnode", "ngpus", "group_id", "ungrouped", "nodearray"],
  ...[
    "scratch",
    "tools",
    "ib",
    "flavour",
    "tokens",
    "Qlist",
    "licensed",
    "release",
    "tons",
    "nodect",
    "speed",
    "image",
    "level",
  ],
];

/** The section `pbs` of the agent's settings. */
export function settingsOf(kinds: readonly JobKind[]) {
  return {
    properties: {
      nodearray: "node.nodearray",
      group_id: "node.placement_group",
      ungrouped: "ungrouped",
    },
    node_arrays: Object.fromEntries(
      kinds.map(({ node }, index) => [nameOfKind(index), { resources: nodeKinds[node].resources }]),
    ),
  };
}

/** Lines for qmgr that make the queue of a kind. */
export function queueLines({ queue }: JobKind, index: number): readonly string[] {
  const name = nameOfKind(index);
  return [
    `create queue ${name} queue_type = execution, enabled = true, started = true`,
    `set queue ${name} default_chunk.nodearray = ${name}`,
    ...queue.map((attribute) => `set queue ${name} ${attribute}`),
  ];
}

export type Bought = NodeEvent["nodes"][number];

/** The nodes that the engine would make for what was posted, by kind; `addressOf` gives them host names. */
export function boughtFor(kinds: readonly JobKind[], reading: Posted): readonly (readonly Bought[])[] {
  const nodeArrays = kinds.map(({ node }, index) => {
    const { vcpus, memoryGiB, gpus } = nodeKinds[node];
    const fields = { placementGroups: [{ name: "pg0", activeCount: 0 }] };
    const buckets = [
      bucket({ vmSize: `Standard_${node}`, vcpus, memoryGiB, gpus, available: nodesPerArray, fields }),
    ];
    return array({ name: nameOfKind(index), buckets });
  });
  const result = planReading("pbs", reading, nodeArrays);
  let number = 0;
  const made = result.create.flatMap((set) =>
    set.names.map((name) => {
      number += 1;
      const { nodeArray, vmSize, placementGroup } = set;
      const hostname = `ip-0a01${number.toString(16).padStart(4, "0")}`;
      return { name, hostname, nodeId: `id-${name}`, nodeArray, vmSize, placementGroup };
    }),
  );
  return kinds.map((_, index) => made.filter(({ nodeArray }) => nodeArray === nameOfKind(index)));
}
