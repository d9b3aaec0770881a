import { expandHostlist } from "../../agent/drivers/slurm/hostlist.ts";
import type { FromScheduler } from "./migration.ts";
import { lastOf, linesOf, readSlurmLines, type SlurmLine } from "./slurm-files.ts";

/** Texts of its files; empty where there is none. */
export interface AzslurmFiles {
  readonly "slurm.conf": string;
  readonly "azure.conf": string;
  readonly "gres.conf": string;
  readonly "keep_alive.conf": string;
}

/** Keys of slurm.conf that mean something to the autoscaler alone. */
const ofPowerSaving = ["resumerate", "suspendrate", "resumefailprogram", "suspendexcstates"];

/** What azslurm wrote for Slurm, as the agent's settings. Its node names stay: `<prefix><array>-<number>`. */
export function fromAzslurm(files: AzslurmFiles, folder: string, nodePrefix: string): FromScheduler {
  const main = readSlurmLines(files["slurm.conf"]);
  const written = readSlurmLines(files["azure.conf"]);
  const all = [...main, ...written, ...readSlurmLines(files["keep_alive.conf"])];
  const arrays = arraysIn(linesOf(written, "nodename"), readSlurmLines(files["gres.conf"]), nodePrefix);
  const nodeSets = linesOf(written, "nodeset").map((line) => line.nodeset);
  const partitions = linesOf(written, "partitionname");
  const dynamic = partitions.filter((line) => nodeSets.includes(line.nodes));
  const named = partitions.filter((line) => !dynamic.includes(line));
  const wanted = named.map((line) => {
    const own = [
      ...new Set((expandHostlist(line.nodes ?? "") ?? []).flatMap((name) => arrayOf(name, nodePrefix))),
    ];
    return { name: line.partitionname ?? "", arrays: own, line };
  });
  const isExclusive = ({ oversubscribe }: SlurmLine) => oversubscribe?.toLowerCase() === "exclusive";
  const byDefault = wanted.find(({ line }) => line.default?.toLowerCase() === "yes");
  const [resumeSeconds, idleSeconds] = ["resumetimeout", "suspendtime"].map((key) =>
    secondsOf(lastOf(all, key)),
  );
  const kept = namesIn(valuesOf(all, "suspendexcnodes"), nodePrefix);
  const keptPartitions = valuesOf(all, "suspendexcparts");
  const topology = /^topology\/(tree|block)$/.exec(lastOf(main, "topologyplugin") ?? "")?.[1];
  return {
    usual: {
      ...(resumeSeconds === undefined ? {} : { boot_timeout: resumeSeconds }),
      ...(idleSeconds === undefined ? {} : { idle_timeout: idleSeconds }),
    },
    agent: {
      source: "slurm",
      driver: "slurm",
      slurm: {
        ...(nodePrefix === "" ? {} : { node_prefix: nodePrefix }),
        partitions: Object.fromEntries(
          wanted
            .filter((each) => each.arrays.length > 0)
            .map(({ name, arrays: own, line }) => [
              name,
              {
                node_array: own.length === 1 ? own[0] : own,
                ...(isExclusive(line) ? { exclusive: true } : {}),
              },
            ]),
        ),
        config: {
          folder,
          ...(byDefault === undefined ? {} : { default_partition: byDefault.name }),
          ...(topology === undefined ? {} : { topology }),
          arrays: Object.fromEntries(arrays.settings),
        },
      },
    },
    taken: [
      ...wanted.map(({ name, arrays: own }) => `partition ${name}: node array ${own.join(", ")}`),
      ...[...arrays.settings.keys()].map((name) => `nodes of ${name}: ${arrays.counts.get(name)} names`),
    ],
    differs: [
      "slurm.conf: put include cyclecloud.conf in place of include azure.conf, and write it with ccscale slurm config --agent agent.json --write FOLDER",
      "ResumeProgram, SuspendProgram, SuspendTime: cyclecloud.conf switches Slurm's power saving off; the planner chooses which nodes come",
      ...(lastOf(main, "returntoservice") === "2" ? ["ReturnToService=2: 1 here"] : []),
      ...arrays.differs,
      ...wanted.flatMap(({ name, line }) => {
        const own = secondsOf(line.suspendtime);
        return own === undefined
          ? []
          : [`SuspendTime=${own} of partition ${name}: idle_timeout of its arrays`];
      }),
      ...(kept.length === 0 ? [] : [`SuspendExcNodes: ccscale keep-alive on -N ${kept.join(",")}`]),
      ...(keptPartitions.length === 0
        ? []
        : [
            `SuspendExcParts=${keptPartitions.join(",")}: ccscale keep-alive on -a ARRAY for the arrays of these`,
          ]),
      ...(lastOf(main, "prologslurmctld") === undefined
        ? []
        : ["PrologSlurmctld: where it is azslurm's, take it out; ccscale cost needs no AdminComment"]),
      "azslurmd and the cron line of return_to_idle: stop both before read_only is taken out",
    ],
    without: [
      ...dynamic.map(
        ({ partitionname }) =>
          `partition ${partitionname}: dynamic nodes, which an administrator creates. Give its arrays fixed nodes: partitions.${partitionname}.node_array`,
      ),
      ...ofPowerSaving.flatMap((key) => {
        const value = lastOf(all, key);
        return value === undefined ? [] : [`slurm.conf: ${key}, ${value}`];
      }),
    ],
  };
}

function arrayOf(name: string, prefix: string): readonly string[] {
  const array = /^(.+)-\d+$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : name)?.[1];
  return array === undefined ? [] : [array];
}

/** What the lines of nodes say that the VM size does not. */
function arraysIn(nodeLines: readonly SlurmLine[], gres: readonly SlurmLine[], prefix: string) {
  const counts = new Map<string, number>();
  const settings = new Map<string, Readonly<Record<string, unknown>>>();
  const differs: string[] = [];
  for (const line of nodeLines) {
    const names = expandHostlist(line.nodename ?? "") ?? [];
    const [array] = names.flatMap((name) => arrayOf(name, prefix));
    if (array === undefined) {
      differs.push(`NodeName=${line.nodename}: not a name that CycleCloud gives, and left out`);
      continue;
    }
    const count = (counts.get(array) ?? 0) + names.length;
    counts.set(array, count);
    const features = (line.feature ?? "").split(",").filter((each) => each !== "" && each !== "cloud");
    const device = gres.find((each) =>
      (expandHostlist(each.nodename ?? "") ?? []).some((name) => names.includes(name)),
    );
    const isUsual = device?.file === undefined || device.file.startsWith("/dev/nvidia");
    settings.set(array, {
      max_nodes: count,
      ...(features.length === 0 ? {} : { features }),
      ...(isUsual ? {} : { gpu_devices: device.file }),
    });
    if (line.state?.toUpperCase() === "FUTURE") differs.push(`nodes of ${array}: CLOUD here, FUTURE there`);
  }
  return { counts, settings, differs };
}

/** CycleCloud's names; `:4` behind a list keeps any four of it, which nothing here does. */
function namesIn(lists: readonly string[], prefix: string): readonly string[] {
  const names = lists.flatMap((list) => expandHostlist(list.replace(/:\d+$/, "")) ?? [list]);
  return [...new Set(names.map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name)))];
}

function valuesOf(lines: readonly SlurmLine[], key: string): readonly string[] {
  const values = lines.flatMap((line) => (Object.keys(line)[0] === key ? [line[key] ?? ""] : []));
  return [...new Set(values.filter((value) => value !== ""))];
}

/** Undefined for what is no length of time: INFINITE, or -1, which switches it off. */
function secondsOf(text: string | undefined): number | undefined {
  return /^\d{1,9}$/.test(text ?? "") ? Number(text) : undefined;
}
