import { type KindOfJob, nameOfKind } from "./job-kind.ts";

/** What Grid Engine has of a node, beside its slots. */
const nodeKinds = {
  htc: {},
  gpu: { gpus: 2 },
  disk: { scratch: "100G", tokens: 2, lockers: 1 },
  whole: { exclusive: true },
  big: { big: true },
} as const;
type NodeKind = keyof typeof nodeKinds;

const slotsPerNode = 4;

/** "%" in its options and its quota stands for the name of its queue. */
export interface JobKind extends KindOfJob<NodeKind> {
  /** Attributes of its queue that differ from the usual ones. */
  readonly queue: Readonly<Record<string, string>>;
  /** A second queue on its nodes, "%-long", has so many slots. */
  readonly longSlots: number;
  /** A rule of a resource quota set. */
  readonly quota: string | undefined;
  /** One of those that are run beside all other tests. */
  readonly isUsual: boolean;
}

type More = Partial<Pick<JobKind, "queue" | "times" | "longSlots" | "quota">>;

function on(node: NodeKind, options: string, nodes: number, more: More = {}): JobKind {
  const { queue = {}, times = 1, longSlots = 0, quota } = more;
  return { node, options, nodes, times, queue, longSlots, quota, isUsual: false };
}

function usual(node: NodeKind, options: string, nodes: number, more: More = {}): JobKind {
  return { ...on(node, options, nodes, more), isUsual: true };
}

/** Attributes of a queue beside its host group, and of the group's hosts: "%" stands for the name of both. */
const inGroup = (attribute: string, ofQueue: string, ofGroup: string): More => ({
  queue: { [attribute]: `${ofQueue},[@%=${ofGroup}]` },
});

/** Each gets a host group of its own, too, which is called like its queue after "@". */
export const gridengineJobKinds: readonly JobKind[] = [
  on("htc", "-q %", 1),
  usual("htc", "-q %", 2, { times: 5 }),
  on("htc", "-q % -pe smp 4", 1),
  usual("htc", "-q % -pe smp 3", 2, { times: 2 }),
  on("htc", "-q % -pe smp 3", 3, { times: 3 }),
  on("htc", "-q % -pe smp 2", 2, { times: 4 }),
  on("htc", "-q % -pe smp 5", 0),
  on("htc", "-q % -pe smp 2-8", 1),
  usual("htc", "-q % -pe mpi 8", 2),
  on("htc", "-q % -pe mpi 6", 3, { times: 2 }),
  on("htc", "-q % -pe mpi 2-4", 1),
  on("htc", "-q % -pe rr 8", 2),
  on("htc", "-q % -pe rr 3", 1),
  on("htc", "-q % -pe m* 4", 1),
  usual("htc", "-q % -pe two 6", 3),
  on("htc", "-q % -pe two 3", 0),
  on("htc", "-q % -pe two 2", 1),
  on("htc", "-q % -pe two 4", 2, { times: 2 }),
  on("htc", "-q % -pe few 4", 1, { times: 2 }),
  usual("htc", "-q % -t 1-6", 2),
  on("htc", "-q % -t 1-10:3", 1),
  usual("htc", "-q % -t 1-8 -tc 3", 1),
  on("htc", "-q % -t 1-8 -tc 6", 2),
  on("htc", "-q % -t 1-3 -pe smp 3", 3),
  on("htc", "-q % -t 1-2 -pe mpi 6", 3),
  on("htc", "-q % -t 1-4 -tc 2 -pe smp 4", 2),
  usual("gpu", "-q % -l gpus=1", 2, { times: 3 }),
  on("gpu", "-q % -l gpus=2", 2, { times: 2 }),
  on("gpu", "-q % -l gpus=3", 0),
  on("gpu", "-q % -l gpus=1 -pe smp 2", 1),
  on("gpu", "-q % -l gpus=1 -pe smp 3", 0),
  on("gpu", "-q % -l gpus=2 -pe mpi 3", 3),
  usual("htc", "-q % -l gpus=1", 0),
  usual("whole", "-q % -l exclusive=true", 2, { times: 2 }),
  on("whole", "-q % -l exclusive=true -pe mpi 6", 2),
  on("whole", "-q %", 1, { times: 2 }),
  usual("disk", "-q % -l scratch=60G", 2, { times: 2 }),
  on("disk", "-q % -l scratch=50G", 1, { times: 2 }),
  on("disk", "-q % -l scratch=101G", 0),
  // Each slot takes a token, of which a node has two, without asking.
  usual("disk", "-q %", 2, { times: 4 }),
  on("disk", "-q % -l lockers=1 -pe smp 2", 2, { times: 2 }),
  usual("htc", "-q % -l lic=2 -pe smp 4", 0, { times: 2 }),
  on("htc", "-q % -l lic=1 -pe smp 2", 1, { times: 2 }),
  on("htc", "-q % -l lic=6", 0),
  on("htc", "-q % -l nodearray=%", 1),
  on("htc", "-q % -l nodearray=k*", 1),
  on("htc", "-q % -l nodearray=other", 0),
  on("htc", "-q % -l h_rt=3600", 1),
  usual("htc", "-q % -l h_rt=7200", 0, { queue: { h_rt: "1:0:0" } }),
  on("htc", "-q % -l h_vmem=1G", 1),
  on("htc", "-q % -l mem_free=1M", 1),
  on("htc", "-q %", 1, { queue: { user_lists: "chemists" } }),
  on("htc", "-q %", 0, { queue: { user_lists: "physicists" } }),
  on("htc", "-q % -P proj", 1, { queue: { projects: "proj" } }),
  on("htc", "-q %", 0, { queue: { projects: "proj" } }),
  usual("htc", "-q % -h", 0),
  on("htc", "-q % -hold_jid first", 0),
  on("htc", "-q % -a 203512312359", 0),
  usual("htc", "-q %-long", 2, { times: 3, longSlots: 2 }),
  on("htc", "-q %,%-long -pe smp 6", 1, { longSlots: 2 }),
  on("htc", "-q *@@%", 1),
  on("htc", "-q % -soft -l arch=other", 1),
  on("htc", "-q % -R y -p -100 -pe mpi 8", 2),
  on("htc", "-q % -binding linear:2 -pe smp 2", 1),
  on("htc", "-q % -r y -pe smp 4", 2, { times: 2 }),
  usual("htc", "-q % -pe smp 4", 1, { times: 3, quota: "users {*} queues % to slots=4" }),
  on("htc", "-q % -pe mpi 4", 2, { times: 3, quota: "queues % to slots=9" }),
  on("htc", "-q % -pe mpi 3", 1, { times: 3, quota: "queues % to slots=5" }),
  on("gpu", "-q % -l gpus=1", 2, { times: 5, quota: "users ann queues % to gpus=3" }),
  on("htc", "-q %", 0, { quota: "name none users @chemists queues % to slots=0" }),
  usual("htc", "-q %", 2, { times: 4, quota: "queues % hosts {*} to slots=2" }),
  on("htc", "-q % -pe mpi 6", 2, { quota: "hosts {@%} to slots=3" }),
  on("htc", "-q % -pe smp 2", 3, { times: 3, quota: "users {*} queues % hosts {*} to slots=3" }),
  on("gpu", "-q % -l gpus=1", 2, { times: 2, quota: "queues % hosts {*} to gpus=1" }),
  on("htc", "-q %,%-long", 2, { times: 6, longSlots: 2, quota: "queues %,%-long hosts {*} to slots=3" }),
  on("htc", "-q % -t 1-9", 1, { quota: "projects !* queues % to slots=4" }),
  on("htc", "-q % -l h_rt=1800", 1, { quota: "queues % to h_rt=3600" }),
  on("htc", "-q % -l h_rt=7200", 0, { quota: "queues % to h_rt=3600" }),
  on("htc", "-q %", 1, { quota: "queues % to h_rt=3600" }),
  on("gpu", "-q % -l gpus=2", 0, { queue: { complex_values: "gpus=1" } }),
  on("htc", "-q %", 0, { queue: { complex_values: "big=true" } }),
  on("htc", "-q % -l big=true", 1, { queue: { complex_values: "big=true" } }),
  on("htc", "-q %", 0, { queue: { qtype: "INTERACTIVE" } }),
  on("htc", "-q % -l nodearray=K*", 0),
  on("htc", "-q % -l h=!ge-head", 1),
  on("htc", "-q % -l h=ip-*", 1),
  on("htc", "-q % -l h=*", 1),
  on("htc", "-q % -l h=ip-*&!ip-9", 1),
  on("htc", "-q % -l h=ip-*|node-*", 1),
  on("htc", "-q % -l h=node-*", 0),
  on("htc", "-q %", 1, { times: 3, quota: "hosts ip-* queues % to slots=2" }),
  on("htc", "-q %@*", 1),
  on("htc", "-q %@@%", 1),
  on("htc", "-q *@@% -pe mpi 6", 2),
  on("htc", "-q %,%-long -masterq % -pe mpi 6", 1, { longSlots: 2 }),
  on("htc", "-q %,%-long -masterq %-long -pe mpi 4", 1, { longSlots: 2 }),
  on("htc", "-q % -pe mpi 4-16", 1),
  on("htc", "-q % -pe mpi 1,4,8", 1),
  on("htc", "-q % -pe mpi 6,12", 2),
  on("htc", "-q % -pe smp 3-4", 2, { times: 2 }),
  on("htc", "-q % -pe rr 5", 3, { times: 2 }),
  on("htc", "-q % -pe rr 6-", 2),
  on("htc", "-q % -pe mpi -8", 1),
  on("htc", "-q % -pe one 3", 3, { times: 2 }),
  on("htc", "-q % -P proj", 1, { times: 3, quota: "projects {*} queues % to slots=2" }),
  on("htc", "-q % -t 1-20 -tc 5", 2),
  on("htc", "-q % -t 1-12 -tc 2 -pe smp 2", 1),
  on("whole", "-q % -l exclusive=false", 1, { times: 2 }),
  on("htc", "-q %,%-long", 1, { times: 5, longSlots: 2 }),
  on("disk", "-q % -l tokens=2", 2, { times: 2 }),
  on("disk", "-q % -pe smp 2", 2, { times: 2 }),
  on("disk", "-q % -pe mpi 4", 2),
  on("disk", "-q % -l scratch=30G -pe smp 3", 0),
  on("disk", "-q % -l scratch=30G -pe mpi 6", 3),
  on("disk", "-q % -l tokens=0", 2, { times: 5 }),
  on("htc", "-q % -l s_rt=3600", 0, { queue: { s_rt: "0:30:0" } }),
  on("htc", "-q % -l h_vmem=4G", 0, { queue: { h_vmem: "2G" } }),
  on("htc", "-q % -l q=%", 1),
  on("htc", "-l qname=%", 1),
  on("htc", "-q %,%-long -pe smp 5", 1, { longSlots: 2 }),
  on("htc", "-q %,%-long -pe two 8", 4, { longSlots: 2 }),
  on("htc", "-q %,%-long -pe one 2", 2, { longSlots: 2 }),
  on("htc", "-q %", 0, { queue: { xuser_lists: "chemists" } }),
  on("htc", "-q % -l num_proc=2", 1),
  on("htc", "-q % -l arch=lx-amd64", 1),
  on("htc", "-q % -js 10 -p -5 -pe mpi 5", 3, { times: 2 }),
  on("gpu", "-q % -l gpus=1 -pe rr 4", 2),
  on("gpu", "-q % -l gpus=1 -pe two 4", 2),
  on("gpu", "-q % -l gpus=1 -t 1-5", 3),
  on("gpu", "-q % -l gpus=0", 2, { times: 5 }),
  // What a queue says of a host group stands in place of what it says of all.
  on("htc", "-q % -pe mpi 4", 1, inGroup("pe_list", "NONE", "mpi two")),
  on("htc", "-q % -pe rr 4", 0, inGroup("pe_list", "mpi rr", "mpi two")),
  on("htc", "-q % -ckpt cp", 1, inGroup("ckpt_list", "NONE", "cp")),
  on("htc", "-q % -ckpt cp", 0, inGroup("ckpt_list", "cp", "NONE")),
  on("htc", "-q %", 0, inGroup("calendar", "NONE", "never")),
  on("htc", "-q %", 0, { queue: { calendar: "never" } }),
  on("big", "-q % -l big=true -pe mpi 6", 2),
  on("big", "-q %", 0),
  on("htc", "-q % -t 1-8 -tc 2 -pe smp 3", 2),
  on("htc", "-q % -hold_jid nobody", 1),
  on("whole", "-q % -l exclusive=true -R y -t 1-3", 3),
  on("htc", "-q % -masterq % -pe mpi 5", 2),
  on("htc", "-q %,%-long -masterq %-long -pe mpi 6", 2, { longSlots: 1 }),
];

/** The section `gridengine` of the agent's settings. */
export function settingsOf(kinds: readonly JobKind[]) {
  return {
    node_arrays: Object.fromEntries(
      kinds.map(({ node, longSlots }, index) => {
        const name = nameOfKind(index);
        const slots = longSlots > 0 ? { [name]: slotsPerNode, [`${name}-long`]: longSlots } : slotsPerNode;
        const complex_values = { nodearray: name, ...nodeKinds[node] };
        return [name, { host_groups: [`@${name}`], slots, complex_values }];
      }),
    ),
  };
}

/** Complexes of the site, beside those that Grid Engine has: lines of `qconf -sc`. */
export const siteComplexes = [
  "nodearray nodearray STRING == YES NO NONE 0",
  "exclusive excl BOOL EXCL YES YES 0 1000",
  "gpus gpus INT <= YES YES 0 0",
  "scratch scratch MEMORY <= YES YES 0 0",
  "tokens tokens INT <= YES YES 1 0",
  "lockers lockers INT <= YES JOB 0 0",
  "lic lic INT <= YES YES 0 0",
  "big big BOOL == FORCED NO FALSE 0",
];

/** What all hosts share. */
export const globalValues = "lic=5";

/** Name, allocation rule and slots. */
export const parallelEnvironments = [
  ["mpi", "$fill_up", 9999],
  ["smp", "$pe_slots", 9999],
  ["rr", "$round_robin", 9999],
  ["two", "2", 9999],
  ["few", "$pe_slots", 6],
  ["one", "1", 9999],
] as const;

/** The resource quota set of a kind, as `qconf -Arqs` takes it. */
export function quotaOf({ quota }: JobKind, index: number): string | undefined {
  if (quota === undefined) return undefined;
  const name = nameOfKind(index);
  return `{\nname ${name}\ndescription NONE\nenabled TRUE\nlimit ${quota.replaceAll("%", name)}\n}\n`;
}

/** Queues of a kind, as `qconf -Aq` takes what differs from the usual queue. */
export function queuesOf({ queue, longSlots }: JobKind, index: number, head: string) {
  const name = nameOfKind(index);
  const names = longSlots > 0 ? [name, `${name}-long`] : [name];
  return names.map((qname) => ({
    qname,
    hostlist: `@${name}`,
    slots: `1,[${head}=0]`,
    pe_list: parallelEnvironments.map(([pe]) => pe).join(" "),
    load_thresholds: "NONE",
    ...Object.fromEntries(Object.entries(queue).map(([key, value]) => [key, value.replaceAll("%", name)])),
  }));
}
