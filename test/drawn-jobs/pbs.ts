/**
 * Does a real PBS use what is bought for it? As `main.ts` for Slurm: draws submissions, makes the nodes that the engine would buy for
 * them, and lists those of which PBS leaves a node idle, or that start only with more nodes. Nodes are vnodes of one node daemon, each
 * with a host name of its own. Lines for qmgr may be given.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { pbs as driver } from "../../clients/agent/drivers/pbs/pbs.ts";
import { Driven } from "../clients/agent/drivers/driven.ts";
import { planReading } from "../clients/agent/drivers/plan-reading.ts";
import { array, bucket, node as nodeOf } from "../shared/engine/tiny.ts";
import { type OpenPbs, startOpenPbs } from "../support/machines/openpbs.ts";
import { type Drawn, drawPbsKinds, type NodeKind, sizes } from "./draw-pbs-kinds.ts";
import { drawnFor, kindOf, submitInWaves } from "./waves.ts";

const trial = drawnFor<NodeKind, Drawn>(
  { command: "npm run drawn-jobs:pbs", more: "['set sched do_not_span_psets = true'…]" },
  drawPbsKinds,
);
const { drawn, arrays, nodes: vnodes } = trial;
const daemon = "daemon";
const hostOf = new Map(vnodes.map(({ name, hostname }) => [name, hostname]));
const siteResources = [
  ...["part", "nodearray", "group_id", "ccnodeid", "flavour"].map((name) => `${name} type=string,flag=h`),
  "ungrouped type=boolean,flag=h",
  "ngpus type=long,flag=hn",
  "scratch type=size,flag=hn",
  "ib type=boolean,flag=h",
  "tokens type=long,flag=q",
];
const settings = {
  properties: { nodearray: "node.nodearray", group_id: "node.placement_group", ungrouped: "ungrouped" },
  node_arrays: Object.fromEntries(
    arrays.map(({ kind, node, name }) => {
      const { mem, ...others } = sizes[node];
      // Values of a kind's own: PBS judges a group by all nodes that have the value.
      const flavour = "flavour" in others ? { flavour: `k${kind}${others.flavour}` } : {};
      return [name, { resources: { ...others, ...flavour, mem: `${mem}gb`, part: `k${kind}` } }];
    }),
  ),
};
/** Names of nodes that were bought, and their placement groups. */
const there = new Map<string, string | null>();

const server = await startOpenPbs();
try {
  await setUp(server);
  const driven = new Driven(driver, settings, asHosts(server.run));
  const asIs = {
    submit: submitted,
    endSome,
    settled,
    join: (names: readonly string[]) => joinAll(driven, names),
  };
  const wanted = async () => boughtFor(await driven.read());
  await submitInWaves(
    trial,
    { ...asIs, wanted },
    ({ nodes, queue }) => `${nodes.join("+")} ${queue.join(", ")}`,
  );
} finally {
  await server.stop();
}

async function setUp({ run, network, bootNode, scheduleBy }: OpenPbs): Promise<void> {
  const folder = join(network.folder, "spool/hosts", daemon, "mom_priv/config.d");
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const host = [...hostOf.values()].flatMap((name) => [
    `${name}: resources_available.ncpus=0`,
    `${name}: resources_available.host=${name}`,
  ]);
  await writeFile(join(folder, "vnodes"), `$configversion 2\n${host.join("\n")}\n`);
  await qmgr([
    ...siteResources.map((resource) => `create resource ${resource}`),
    ...drawn.flatMap(({ queue }, index) => queueLines(queue, index)),
    ...trial.given,
  ]);
  await scheduleBy([
    "ncpus",
    "mem",
    "arch",
    "host",
    "vnode",
    ...siteResources.map((text) => text.split(" ")[0] ?? ""),
  ]);
  await bootNode(daemon, "10.1.0.1");
  await qmgr([`create node ${daemon}`, `set node ${daemon} resources_available.ncpus = 0`]);
  const last = [...hostOf.values()].at(-1) ?? "";
  while (!(await run("pbsnodes", "-v", last).catch(() => "")).includes("state = free")) await sleep(300);
  await qmgr([...hostOf.values()].map((name) => `set node ${name} state = offline`));
}

function queueLines(queue: Drawn["queue"], index: number): readonly string[] {
  return [
    `create queue k${index} queue_type = execution, enabled = true, started = true`,
    `set queue k${index} default_chunk.part = k${index}`,
    ...queue.map((attribute) => `set queue k${index} ${attribute}`),
    ...(queue.some((attribute) => attribute.startsWith("node_group_key"))
      ? ["set server node_group_enable = true"]
      : []),
  ];
}

async function qmgr(all: readonly string[]): Promise<void> {
  const file = join(server.network.folder, "lines.qmgr");
  await writeFile(file, `${all.join("\n")}\n`);
  await server.run("sh", "-c", 'exec qmgr <"$0"', file);
}

/** PBS as the driver sees it: vnodes that were bought are hosts, and others are not there. */
function asHosts(run: OpenPbs["run"]): OpenPbs["run"] {
  const own = new Set<string>();
  return async (program, ...args) => {
    const created = /^create node (\S+)$/.exec(args.at(-1) ?? "")?.[1];
    if (created !== undefined) {
      own.add(created);
      return "";
    }
    // It knows node daemons alone.
    if (program === "pbsnodes" && args.includes("-r"))
      return run("qmgr", "-c", `set node ${args.at(-1)} state -= offline`);
    const text = await run(program, ...args);
    if (program === "pbsnodes" && args.includes("json")) {
      const { nodes, ...rest } = recordsOf(text, "nodes");
      const known = Object.entries(nodes).filter(([name]) => own.has(name));
      return JSON.stringify({
        ...rest,
        nodes: Object.fromEntries(known.map(([name, fields]) => [name, { ...fields, Mom: name }])),
      });
    }
    if (program !== "env" || !args.includes("qstat")) return text;
    const { Jobs, ...rest } = recordsOf(text, "Jobs");
    const jobs = Object.entries(Jobs).map(([id, fields]) => {
      const at = hostsOf(fields.exec_vnode);
      return [
        id,
        at.length === 0 ? fields : { ...fields, exec_host: at.map((name) => `${name}/0`).join("+") },
      ];
    });
    return JSON.stringify({ ...rest, Jobs: Object.fromEntries(jobs) });
  };
}

function recordsOf<K extends string>(text: string, list: K) {
  const records = z.record(z.string(), z.record(z.string(), z.unknown()));
  const all = z.looseObject({ [list]: records.default({}) }).parse(JSON.parse(text));
  return all as Record<string, unknown> & Record<K, z.output<typeof records>>;
}

function hostsOf(execVnode: unknown): readonly string[] {
  return [
    ...new Set([...String(execVnode ?? "").matchAll(/\(?([\w-]+):/g)].map(([, name = ""]) => name)),
  ].filter((name) => name.startsWith("ip-"));
}

/** What qsub takes; it refuses many that make no sense. */
async function submitted(jobs: readonly string[], index: number): Promise<readonly string[]> {
  const taken: string[] = [];
  await server.run("qmgr", "-c", "set server scheduling = false");
  for (const [at, job] of jobs.entries()) {
    const args = [
      "-q",
      `k${index}`,
      ...job
        .replaceAll("@0", `k${index}a`)
        .replaceAll("@1", `k${index}b`)
        .replaceAll("@", `k${index}`)
        .split(" "),
    ];
    try {
      const id = await server.submit(args, at % 3 === 2 ? "bob" : "ann", 3_600);
      taken.push(`${id.split(".")[0]} ${args.slice(2).join(" ")}`);
    } catch {
      // Not taken.
    }
  }
  return taken;
}

function groupOf(nodeArray: string): string {
  return `${nodeArray}-pg0`;
}

function boughtFor(reading: Awaited<ReturnType<Driven["read"]>>): readonly string[] {
  const nodeArrays = arrays.map(({ name, node }) => {
    const { ncpus: vcpus, mem: memoryGiB } = sizes[node];
    const own = [...there].filter(([each]) => each.startsWith(`${name}-`));
    const inGroup = own.filter(([, group]) => group !== null).length;
    const fields = { placementGroups: [{ name: groupOf(name), activeCount: inGroup }] };
    const spec = { vmSize: `Standard_${node}`, vcpus, memoryGiB, gpus: node === "gpu" ? 2 : 0 };
    return array({ name, buckets: [bucket({ ...spec, available: trial.available - own.length, fields })] });
  });
  const nodes = [...there].map(([name, placementGroup]) => {
    const { nodeArray = "", node } = vnodes.find((each) => each.name === name) ?? {};
    return nodeOf(name, {
      nodeArray,
      vmSize: `Standard_${node}`,
      placementGroup,
      hostname: hostOf.get(name) ?? "",
    });
  });
  const { create } = planReading("pbs", reading, nodeArrays, nodes);
  for (const { names, placementGroup } of create) for (const name of names) there.set(name, placementGroup);
  return create.flatMap(({ names }) => names);
}

/** Those that were not bought are in the placement group of their array. */
async function joinAll(driven: Driven, names: readonly string[]): Promise<void> {
  await server.run("qmgr", "-c", "set server scheduling = false");
  const nodes = names.map((name) => {
    const { nodeArray, node, hostname } = vnodes.find((each) => each.name === name) ?? {};
    if (nodeArray === undefined || hostname === undefined) throw new Error(`no node ${name}`);
    const placementGroup = there.has(name) ? (there.get(name) ?? null) : groupOf(nodeArray);
    there.set(name, placementGroup);
    return { name, nodeId: `id-${name}`, hostname, nodeArray, vmSize: `Standard_${node}`, placementGroup };
  });
  await driven.send("node-joined", nodes);
  await server.run("qmgr", "-c", "set server scheduling = true");
}

/** A third of the jobs that run. */
async function endSome(wave: number): Promise<void> {
  const running = (await server.run("qselect", "-s", "R", "-T")).split("\n").filter((id) => id !== "");
  const ended = running.filter((_, at) => (at * 7 + wave) % 3 === 0);
  if (ended.length > 0) await server.run("qdel", "-W", "force", ...ended);
}

/** What uses nodes and what waits, once the scheduler starts nothing more. */
async function settled() {
  await server.run("qmgr", "-c", "set server scheduling = true");
  let before = "";
  for (let same = 0; same < 3; ) {
    await server.schedule();
    await sleep(1_200);
    const text = (await server.run("qselect", "-s", "R", "-T")).trim();
    same = text === before ? same + 1 : 0;
    before = text;
  }
  const { Jobs } = recordsOf(await server.run("qstat", "-t", "-f", "-F", "json"), "Jobs");
  const names = new Map([...hostOf].map(([name, host]) => [host, name]));
  const jobs = Object.entries(Jobs).map(([id, fields]) => ({
    id: id.split(".")[0] ?? "",
    index: kindOf(String(fields.queue)),
    state: String(fields.job_state),
    at: fields.job_state === "R" ? hostsOf(fields.exec_vnode).map((host) => names.get(host) ?? host) : [],
  }));
  const own = (index: number) => jobs.filter((job) => job.index === index && job.state !== "B");
  return {
    used: new Set(jobs.flatMap(({ at }) => at)),
    waiting: (index: number) =>
      own(index).filter(({ state, id }) => state === "Q" && !id.includes("[]")).length,
    runs: (index: number) => {
      const lists = own(index).flatMap(({ id, at }) => (at.length === 0 ? [] : [`${id} on ${at.join(" ")}`]));
      const waiting = own(index).filter(({ state, id }) => state === "Q" && !id.includes("[]")).length;
      return `${lists.join(", ")}${waiting > 0 ? ` (${waiting} wait)` : ""}`;
    },
  };
}
