import { basename } from "node:path";
import { defined } from "../../../shared/collections/defined.ts";
import { expandHostlist } from "../../agent/drivers/slurm/hostlist.ts";
import {
  isPartitionOption,
  isPowerOption,
  optionValue,
} from "../../agent/drivers/slurm/partition-options.ts";
import type { FromScheduler } from "./migration.ts";
import {
  isDefault,
  kindOf,
  lastOf,
  linesOf,
  readSlurmLines,
  type SlurmLine,
  type SlurmPair,
  valueIn,
} from "./slurm-files.ts";

/** Texts of its files; empty where there is none. */
export type AzslurmFiles = Readonly<Record<OwnFile, string>> &
  /** The others that slurm.conf includes: `site_specific.conf` has the administrator's own settings. */
  Readonly<Record<string, string>>;

type OwnFile = "slurm.conf" | "azure.conf" | "gres.conf" | "keep_alive.conf";
type Lines = Readonly<Record<OwnFile, readonly SlurmLine[]>> & Readonly<Record<string, readonly SlurmLine[]>>;
const ownFiles = ["azure.conf", "gres.conf", "keep_alive.conf"];

/** Names of the files that slurm.conf includes, beside those of azslurm. */
export function includedIn(slurmConf: string): readonly string[] {
  return readSlurmLines(slurmConf).flatMap(({ include }) =>
    include === undefined || ownFiles.includes(basename(include)) ? [] : [include],
  );
}

/** Where a key of those files ends: in one list of the report. */
interface Fate {
  readonly list: "taken" | "differs" | "without";
  /** Behind the key and its value. */
  readonly words: string;
}

const taken = (words = ""): Fate => ({ list: "taken", words });
const differs = (words: string): Fate => ({ list: "differs", words });
const without = (words = ""): Fate => ({ list: "without", words });

/** What Slurm's files say about CycleCloud's nodes. */
interface NodesInFiles {
  readonly prefix: string;
  readonly arrays: ReturnType<typeof arraysIn>;
  readonly nodeSets: readonly string[];
  readonly partitions: readonly Partition[];
  readonly topology: string | undefined;
}

interface Partition {
  readonly file: string;
  readonly name: string;
  readonly line: SlurmLine;
  /** Empty: none of CycleCloud's nodes is in it, or dynamic ones are. */
  readonly arrays: readonly string[];
  readonly isDynamic: boolean;
  readonly hasAllNodes: boolean;
  readonly options: Readonly<Record<string, string>>;
}

/** What azslurm wrote for Slurm, as the agent's settings. Its node names stay: `<prefix><array>-<number>`. */
export function fromAzslurm(files: AzslurmFiles, folder: string, nodePrefix: string): FromScheduler {
  const others = Object.keys(files).filter((name) => name !== "slurm.conf" && !ownFiles.includes(name));
  // Slurm takes the last of two values: what slurm.conf includes is taken to follow its own lines.
  const lines: Lines = {
    "slurm.conf": readSlurmLines(files["slurm.conf"]),
    "azure.conf": readSlurmLines(files["azure.conf"]),
    "gres.conf": readSlurmLines(files["gres.conf"]),
    "keep_alive.conf": readSlurmLines(files["keep_alive.conf"]),
    ...Object.fromEntries(others.map((name) => [name, readSlurmLines(files[name] ?? "")])),
  };
  const inFiles = nodesInFilesOf(lines, nodePrefix);
  const all = Object.entries(lines).flatMap(([name, own]) => (name === "gres.conf" ? [] : own));
  const { partitions, arrays, topology } = inFiles;
  const wanted = partitions.filter((each) => each.arrays.length > 0);
  const byDefault = wanted.findLast(({ line }) => valueIn(line, "default")?.toLowerCase() === "yes");
  const [resumeSeconds, idleSeconds] = ["resumetimeout", "suspendtime"].map((key) =>
    secondsOf(lastOf(all, key)),
  );
  const told = report(lines, inFiles);
  return {
    usual: defined({ boot_timeout: resumeSeconds, idle_timeout: idleSeconds }),
    agent: {
      source: "slurm",
      driver: "slurm",
      slurm: {
        ...(nodePrefix === "" ? {} : { node_prefix: nodePrefix }),
        partitions: Object.fromEntries(wanted.map((each) => [each.name, settingsOf(each)])),
        config: {
          folder,
          ...defined({ default_partition: byDefault?.name, topology }),
          arrays: Object.fromEntries(arrays.settings),
        },
      },
    },
    taken: [
      ...wanted.map(({ name, arrays: own }) => `partition ${name}: node array ${own.join(", ")}`),
      ...[...arrays.settings.keys()].map((name) => `nodes of ${name}: ${arrays.counts.get(name)} names`),
      ...told.taken,
    ],
    differs: [
      "slurm.conf: it needs include cyclecloud.conf, which ccscale slurm config --agent agent.json --write FOLDER writes",
      "cyclecloud.conf switches Slurm's power saving off; the planner chooses which nodes come",
      ...told.differs,
      ...wanted.flatMap(({ name, hasAllNodes }) =>
        hasAllNodes ? [] : [`partition ${name}: some nodes of its arrays there, all of them here`],
      ),
      "azslurmd and the cron line of return_to_idle: stop both before read_only is taken out",
    ],
    without: [
      ...partitions
        .filter(({ isDynamic }) => isDynamic)
        .map(
          ({ name }) =>
            `partition ${name}: dynamic nodes, which an administrator creates. Here they register themselves: partitions.${name}.node_array, and nodes "dynamic"`,
        ),
      ...told.without,
    ],
    problems: Object.entries(lines).flatMap(([file, own]) =>
      own
        .filter(({ isRead }) => !isRead)
        .map(({ number }) => `${file}, line ${number}: not all of it can be read, expected Key=value`),
    ),
  };
}

function settingsOf({ arrays, options, line }: Partition) {
  return {
    node_array: arrays.length === 1 ? arrays[0] : arrays,
    ...(isExclusive(line) ? { exclusive: true } : {}),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}

function isExclusive(line: SlurmLine): boolean {
  return (valueIn(line, "oversubscribe") ?? valueIn(line, "shared"))?.toLowerCase() === "exclusive";
}

function nodesInFilesOf(lines: Lines, prefix: string): NodesInFiles {
  const written = lines["azure.conf"];
  const arrays = arraysIn(linesOf(written, "nodename"), lines["gres.conf"], prefix);
  const nodeSets = linesOf(written, "nodeset").flatMap((line) => valueIn(line, "nodeset") ?? []);
  const wordTopology = lastOf(lines["slurm.conf"], "topologyplugin") ?? "";
  const partition = (line: SlurmLine, file: string): Partition => {
    const isWritten = file === "azure.conf";
    const nodes = valueIn(line, "nodes") ?? "";
    const names = expandHostlist(nodes) ?? [];
    const named = names
      .flatMap((name) => arrayOf(name, prefix))
      .filter((array) => isWritten || arrays.counts.has(array));
    const own = [...new Set(named)];
    const isDynamic = isWritten && nodeSets.includes(nodes);
    const count = own.reduce((sum, array) => sum + (arrays.counts.get(array) ?? 0), 0);
    return {
      file,
      name: valueIn(line, "partitionname") ?? "",
      line,
      arrays: isDynamic ? [] : own,
      isDynamic,
      hasAllNodes: new Set(names).size >= count,
      options: optionsOf(line, own, arrays),
    };
  };
  return {
    prefix,
    arrays,
    nodeSets,
    partitions: Object.entries(lines).flatMap(([name, own]) =>
      linesOf(own, "partitionname").map((line) => partition(line, name)),
    ),
    topology: /^topology\/(tree|block)$/.exec(wordTopology)?.[1],
  };
}

/** What cyclecloud.conf says of a partition by itself is no option, or it would not follow the VM size. */
function optionsOf(
  line: SlurmLine,
  own: readonly string[],
  { memoryPerCpu }: ReturnType<typeof arraysIn>,
): Readonly<Record<string, string>> {
  const least = Math.min(...own.flatMap((array) => memoryPerCpu.get(array) ?? []));
  return Object.fromEntries(
    line.pairs.flatMap(({ key, name, value }) => {
      const isUsual =
        usualOptions.get(name) === value.toUpperCase() ||
        (name === "defmempercpu" && Number(value) === least) ||
        (["oversubscribe", "shared"].includes(name) && value.toUpperCase() === "EXCLUSIVE");
      return isUsual || !isTakenOption(key, value) ? [] : [[key, value]];
    }),
  );
}

/** Power saving is not for partitions of the planner, as all are that come from azslurm. */
function isTakenOption(key: string, value: string): boolean {
  return isPartitionOption(key) && !isPowerOption(key) && optionValue.test(value);
}

const usualOptions = new Map([
  ["maxtime", "INFINITE"],
  ["state", "UP"],
]);

const stays: Fate = taken(", which stays as it is");

/** Each key of each line once. Of one line, those with the same fate share a sentence. */
function report(lines: Lines, inFiles: NodesInFiles): Readonly<Record<Fate["list"], readonly string[]>> {
  const lists: Record<Fate["list"], string[]> = { taken: [], differs: [], without: [] };
  const staying: string[] = [];
  for (const [file, own] of Object.entries(lines))
    for (const line of own) {
      if (line.include !== undefined) {
        const what = `${file}, line ${line.number}: include ${line.include}`;
        if (/(?:^|\/)azure\.conf$/.test(line.include))
          lists.differs.push(`${what}, cyclecloud.conf in its place`);
        else if (/(?:^|\/)keep_alive\.conf$/.test(line.include)) lists.differs.push(`${what}, take it out`);
        else staying.push(`include ${line.include}`);
        continue;
      }
      const [first] = line.pairs;
      const isNamed = named.includes(first?.name ?? "");
      const fates = line.pairs.map((each) => {
        const fate = fateOf(file, line, each, inFiles);
        return { ...each, fate: fate === "stays" && isNamed ? stays : fate };
      });
      // Only the name: what stays may be a password.
      staying.push(...fates.flatMap(({ key, fate }) => (fate === "stays" ? [key] : [])));
      for (const some of Map.groupBy(fates, ({ fate }) => JSON.stringify(fate)).values()) {
        const [{ fate, name }] = some as [(typeof fates)[number]];
        if (fate === "stays") continue;
        const about = isNamed && name !== first?.name ? ` (${first?.key}=${first?.value})` : "";
        const pairs = some.map(({ key, value }) => `${key}=${value}`).join(" ");
        lists[fate.list].push(`${file}, line ${line.number}${about}: ${pairs}${fate.words}`);
      }
    }
  const stay = [...new Set(staying)];
  if (stay.length > 0) lists.taken.push(`these stay as they are: ${stay.join(", ")}`);
  return lists;
}

/** What begins a line of several keys. */
const named = ["nodename", "partitionname", "nodeset"];

function fateOf(file: string, line: SlurmLine, pair: SlurmPair, inFiles: NodesInFiles): Fate | "stays" {
  if (file === "gres.conf") return fateOfDevice(line, pair, inFiles);
  const isWritten = file === "azure.conf";
  switch (kindOf(line)) {
    case "nodename":
      return isWritten ? fateOfNode(line, pair, inFiles) : "stays";
    case "nodeset":
      return isWritten ? without(", for dynamic nodes") : "stays";
    case "partitionname":
      return fateOfPartition(file, line, pair, inFiles);
    default:
      return fateAlone(pair, inFiles, isWritten);
  }
}

const fromSize = ", drawn up from the VM size here";
const byNodeLine = new Map<string, Fate>([
  ...["cpus", "procs", "sockets", "corespersocket", "threadspercore", "realmemory"].map(
    (name): [string, Fate] => [name, differs(fromSize)],
  ),
  ["weight", differs(", the rank of the price here")],
]);

function fateOfNode(line: SlurmLine, { name, value }: SlurmPair, { prefix }: NodesInFiles): Fate {
  const isOurs =
    isDefault(line) ||
    (expandHostlist(valueIn(line, "nodename") ?? "") ?? []).some((each) => arrayOf(each, prefix).length > 0);
  if (!isOurs) return differs(", not a name that CycleCloud gives, and left out");
  const fate = byNodeLine.get(name);
  if (fate !== undefined) return fate;
  switch (name) {
    case "nodename":
    case "feature":
    case "features":
      return taken();
    case "state":
      return value.toUpperCase() === "CLOUD" ? taken() : differs(", CLOUD here");
    case "gres":
      return /^gpu(:\d+)?$/.test(value) ? differs(fromSize) : without(", GPUs alone here");
    default:
      return without();
  }
}

function fateOfPartition(
  file: string,
  line: SlurmLine,
  { key, name, value }: SlurmPair,
  { partitions }: NodesInFiles,
): Fate | "stays" {
  const isWritten = file === "azure.conf";
  if (isDefault(line)) {
    if (!isWritten) return "stays";
    const isTaken = name === "partitionname" || isTakenOption(key, value);
    return isTaken ? taken(", for the partitions that follow it") : without();
  }
  const of = partitions.find((each) => each.file === file && each.line.number === line.number);
  if (of === undefined || of.arrays.length === 0) {
    if (isWritten) return without();
    return name === "partitionname"
      ? differs(", without CycleCloud's nodes: name it in slurm.ignore_partitions")
      : "stays";
  }
  switch (name) {
    case "partitionname":
      return isWritten ? taken() : differs(", in cyclecloud.conf here: take the line out");
    case "nodes":
    case "default":
      return taken();
    case "suspendtime":
      return secondsOf(value) === undefined
        ? differs(", never: ccscale keep-alive on or a target for its arrays")
        : differs(", idle_timeout of its arrays");
    case "resumetimeout":
      return differs(", boot_timeout of its arrays");
    case "defmempercpu":
      return Object.hasOwn(of.options, key) ? taken() : differs(fromSize);
    default:
      return Object.hasOwn(of.options, key) || usualOptions.has(name) || isExclusiveKey(name, value)
        ? taken()
        : without();
  }
}

function isExclusiveKey(name: string, value: string): boolean {
  return ["oversubscribe", "shared"].includes(name) && value.toUpperCase() === "EXCLUSIVE";
}

/** Keys that cyclecloud.conf has, too: of two the last counts. */
const writtenHere = new Map([
  ["resumeprogram", "/bin/true"],
  ["suspendprogram", "/bin/true"],
  ["privatedata", "cloud"],
  ["returntoservice", "1"],
  ["communicationparameters", "NoAddrCache"],
  ["treewidth", "65533"],
]);

function fateAlone({ name, value }: SlurmPair, inFiles: NodesInFiles, isWritten: boolean): Fate | "stays" {
  const here = writtenHere.get(name);
  if (here !== undefined)
    return value === here ? taken() : differs(`: ${here} in cyclecloud.conf, and nothing else`);
  switch (name) {
    case "resumetimeout":
      return taken(", boot_timeout");
    case "suspendtime":
      return differs(", idle_timeout; -1 in cyclecloud.conf");
    case "grestypes":
      return differs(": gpu alone in cyclecloud.conf, where there are GPUs");
    case "topologyplugin":
      if (inFiles.topology !== undefined) return taken();
      break;
    case "suspendexcnodes":
      return differs(`: ccscale keep-alive on -N ${namesIn(value, inFiles.prefix).join(",")}`);
    case "suspendexcparts":
      return differs(": ccscale keep-alive on -a ARRAY for the arrays of these");
    case "prologslurmctld":
    case "epilogslurmctld":
      return differs(": where it is azslurm's, take it out; ccscale cost needs no AdminComment");
    case "resumerate":
    case "suspendrate":
    case "suspendtimeout":
    case "resumefailprogram":
    case "suspendexcstates":
      return without();
  }
  return isWritten ? without(": azure.conf is not included any more; put it into slurm.conf") : "stays";
}

function fateOfDevice(line: SlurmLine, { name, value }: SlurmPair, { arrays, prefix }: NodesInFiles): Fate {
  const isGpu = valueIn(line, "name") === "gpu";
  const own = (expandHostlist(valueIn(line, "nodename") ?? "") ?? []).flatMap((each) =>
    arrayOf(each, prefix),
  );
  const isKnown = own.some((array) => arrays.counts.has(array));
  if (!isGpu || !isKnown) return without(", GPUs of node arrays alone here");
  if (name === "file")
    return own.some((array) => arrays.settings.get(array)?.gpu_devices === value)
      ? taken()
      : differs(", counted from /dev/nvidia0 here");
  if (name === "nodename" || name === "name") return taken();
  return name === "count" ? differs(fromSize) : without();
}

function arrayOf(name: string, prefix: string): readonly string[] {
  const array = /^(.+)-\d+$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : name)?.[1];
  return array === undefined ? [] : [array];
}

/** What the lines of nodes say that the VM size does not. */
function arraysIn(nodeLines: readonly SlurmLine[], gres: readonly SlurmLine[], prefix: string) {
  const counts = new Map<string, number>();
  const settings = new Map<string, Readonly<Record<string, unknown>>>();
  const memoryPerCpu = new Map<string, number>();
  for (const line of nodeLines) {
    const names = expandHostlist(valueIn(line, "nodename") ?? "") ?? [];
    const [array] = names.flatMap((name) => arrayOf(name, prefix));
    if (array === undefined) continue;
    const count = (counts.get(array) ?? 0) + names.length;
    counts.set(array, count);
    const perCpu = Math.floor(Number(valueIn(line, "realmemory")) / Number(valueIn(line, "cpus")));
    if (Number.isFinite(perCpu)) memoryPerCpu.set(array, Math.min(perCpu, memoryPerCpu.get(array) ?? perCpu));
    const words = (valueIn(line, "feature") ?? valueIn(line, "features") ?? "").split(",");
    const features = words.filter((each) => each !== "" && each !== "cloud");
    const device = gres.find((each) =>
      (expandHostlist(valueIn(each, "nodename") ?? "") ?? []).some((name) => names.includes(name)),
    );
    const path = device === undefined ? undefined : valueIn(device, "file");
    const isUsual = path === undefined || path.startsWith("/dev/nvidia");
    settings.set(array, {
      max_nodes: count,
      ...(features.length === 0 ? {} : { features }),
      ...(isUsual ? {} : { gpu_devices: path }),
    });
  }
  return { counts, settings, memoryPerCpu };
}

/** CycleCloud's names; `:4` behind a list keeps any four of it, which nothing here does. */
function namesIn(list: string, prefix: string): readonly string[] {
  const names = expandHostlist(list.replace(/:\d+$/, "")) ?? [list];
  return [...new Set(names.map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name)))];
}

/** Undefined for what is no length of time: INFINITE, or -1, which switches it off. */
function secondsOf(text: string | undefined): number | undefined {
  return /^\d{1,9}$/.test(text ?? "") ? Number(text) : undefined;
}
