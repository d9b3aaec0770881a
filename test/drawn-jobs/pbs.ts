/**
 * Does a real PBS use what is bought for it? As `main.ts` for Slurm: draws submissions, makes the nodes that the engine would buy for
 * them, and lists those of which PBS leaves a node idle, or that start only with more nodes. Nodes are vnodes of one node daemon, each
 * with a host name of its own. `--qmgr` and `--sched` may be repeated.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { pbs as driver } from "../../clients/agent/drivers/pbs/pbs.ts";
import { Driven } from "../clients/agent/drivers/driven.ts";
import { planReading } from "../clients/agent/drivers/plan-reading.ts";
import { array, bucket, node as nodeOf } from "../shared/engine/tiny.ts";
import { type OpenPbs, startOpenPbs } from "../support/machines/openpbs.ts";
import { type Drawn, drawPbsKinds, type NodeKind, sizes } from "./draw-pbs-kinds.ts";
import { optionsOf } from "./options.ts";

const command =
  'npm run drawn-jobs:pbs -- [--waves 3] [--usual] [--seed 1] [--count 40] [--only 5,7] [--qmgr "set sched do_not_span_psets = true"] [--sched "by_queue: False ALL"]';
const { values } = optionsOf(command, {
  options: {
    waves: { type: "string", default: "1" },
    usual: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "40" },
    only: { type: "string" },
    qmgr: { type: "string", multiple: true, default: [] },
    sched: { type: "string", multiple: true, default: [] },
  },
});
const waves = Number(values.waves);
const drawn = drawPbsKinds({
  seed: Number(values.seed),
  count: Number(values.count),
  waves,
  usual: values.usual,
}).filter((_, index) => values.only === undefined || values.only.split(",").includes(String(index)));
/** Of each node array. */
const available = waves > 1 ? 12 : 8;
const daemon = "daemon";

interface Vnode {
  readonly kind: number;
  readonly nodeArray: string;
  readonly node: NodeKind;
  readonly name: string;
}
const arrays = drawn.flatMap(({ nodes }, kind) =>
  nodes.map((node, index) => ({ kind, node, name: `k${kind}${"ab"[index]}` })),
);
const vnodes = arrays.flatMap(({ kind, node, name: nodeArray }) =>
  Array.from(
    { length: available },
    (_, index): Vnode => ({
      kind,
      nodeArray,
      node,
      name: `${nodeArray}-${index + 1}`,
    }),
  ),
);
const hostOf = new Map(
  vnodes.map(({ name }, index) => [name, `ip-0a01${index.toString(16).padStart(4, "0")}`]),
);
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
const lines: string[][] = drawn.map(() => []);

const server = await startOpenPbs();
try {
  await setUp(server);
  const driven = new Driven(driver, settings, asHosts(server.run));
  let taken = 0;
  for (let wave = 0; wave < waves; wave++) {
    if (wave > 0) await endSome(wave);
    await server.run("qmgr", "-c", "set server scheduling = false");
    for (const [index, kind] of drawn.entries()) {
      const ids = await submitted(kind.waves[wave] ?? [], index);
      taken += ids.length;
      lines[index]?.push(`  wave ${wave + 1}: ${ids.join(" ; ")}`);
    }
    await server.run("qmgr", "-c", "set server scheduling = true");
    await buy(driven);
    const now = await settled();
    for (const [index, own] of lines.entries()) own.push(`    runs: ${now.runs(index)}`);
  }
  const before = await settled();
  const left = vnodes.filter(({ name, kind }) => !there.has(name) && before.waiting(kind) > 0);
  await joinAll(
    driven,
    left.map(({ name, nodeArray }) => [name, groupOf(nodeArray)]),
  );
  const after = await settled();
  for (const [index, own] of lines.entries()) {
    const [waited, waits] = [before.waiting(index), after.waiting(index)];
    if (waited > waits) own.push(`    STUCK: ${waited} wait, ${waits} with all nodes: ${after.runs(index)}`);
  }
  const having = (word: RegExp) => lines.filter((own) => own.some((line) => word.test(line)));
  const [idle, late, stuck] = [/IDLE/, /LATE/, /STUCK/].map((word) => having(word).length);
  const differ = having(/IDLE|LATE|STUCK/);
  console.log(
    `${drawn.length} drawn, ${taken} jobs taken by qsub, ${differ.length} differ: ${idle} leave a node idle, ${late} buy in a second pass, ${stuck} wait for ever`,
  );
  for (const [index, own] of lines.entries()) {
    if (!differ.includes(own) && values.only === undefined) continue;
    const kind = drawn[index];
    console.log(`${index}: ${kind?.nodes.join("+")} ${kind?.queue.join(", ")}`);
    for (const line of own) console.log(line);
  }
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
    ...(values.qmgr ?? []),
  ]);
  const path = join(network.folder, "spool/sched_priv/sched_config");
  const config = (values.sched ?? []).reduce(
    (text, line) => `${text.replace(new RegExp(`^${line.split(":")[0]}:.*$`, "gm"), "")}\n${line}\n`,
    await readFile(path, "utf8"),
  );
  await writeFile(path, config);
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

/** As often as the agent would read before everything is bought: usually once. */
async function buy(driven: Driven): Promise<void> {
  await settled();
  for (const word of ["", "LATE: ", "LATE: "]) {
    const bought = boughtFor(await driven.read());
    if (bought.length === 0) return;
    await joinAll(driven, bought);
    const now = await settled();
    for (const [index, own] of lines.entries()) {
      const names = bought.map(([name]) => name).filter((name) => kindOf(name) === index);
      if (names.length === 0) continue;
      const idle = names.filter((name) => !now.used.has(name));
      own.push(
        `    ${word}bought ${names.join(" ")}, ${idle.length === 0 ? "all used" : `IDLE ${idle.join(" ")}`}`,
      );
    }
  }
}

function groupOf(nodeArray: string): string {
  return `${nodeArray}-pg0`;
}

function kindOf(name: string): number {
  return Number(/^k(\d+)/.exec(name)?.[1]);
}

function boughtFor(
  reading: Awaited<ReturnType<Driven["read"]>>,
): readonly (readonly [string, string | null])[] {
  const nodeArrays = arrays.map(({ name, node }) => {
    const { ncpus: vcpus, mem: memoryGiB } = sizes[node];
    const own = [...there].filter(([each]) => each.startsWith(`${name}-`));
    const inGroup = own.filter(([, group]) => group !== null).length;
    const fields = { placementGroups: [{ name: groupOf(name), activeCount: inGroup }] };
    const spec = { vmSize: `Standard_${node}`, vcpus, memoryGiB, gpus: node === "gpu" ? 2 : 0 };
    return array({ name, buckets: [bucket({ ...spec, available: available - own.length, fields })] });
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
  return planReading("pbs", reading, nodeArrays, nodes).create.flatMap(({ names, placementGroup }) =>
    names.map((name) => [name, placementGroup] as const),
  );
}

async function joinAll(driven: Driven, bought: readonly (readonly [string, string | null])[]): Promise<void> {
  await server.run("qmgr", "-c", "set server scheduling = false");
  const nodes = bought.flatMap(([name, placementGroup]) => {
    const { nodeArray, node } = vnodes.find((each) => each.name === name) ?? {};
    const hostname = hostOf.get(name);
    if (nodeArray === undefined || hostname === undefined) throw new Error(`no node ${name}`);
    there.set(name, placementGroup);
    return [{ name, nodeId: `id-${name}`, hostname, nodeArray, vmSize: `Standard_${node}`, placementGroup }];
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
