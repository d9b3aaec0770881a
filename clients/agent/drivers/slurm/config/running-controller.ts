import { readOf } from "../../configured.ts";
import type { Answers, SchedulerFile } from "../../driver.ts";
import { compactHostlist, expandHostlist } from "../hostlist.ts";
import { optionsOfBoth } from "../partition-options.ts";
import { isIgnored } from "../slurm-nodes.ts";
import { readLines } from "../slurm-records.ts";
import type { SlurmSettings } from "../slurm-settings.ts";
import { mainFile } from "./node-lines.ts";

/** What a controller has to be asked so that it can be compared with drawn-up files. */
export function readsOfController({ scontrol }: SlurmSettings) {
  const ask = (name: string, ...args: readonly string[]) => readOf(name, scontrol, ["show", ...args]);
  return [
    ask("config", "config"),
    ask("nodes", "nodes", "--oneliner"),
    ask("partitions", "partitions", "--all", "--oneliner"),
  ];
}

type Fields = Readonly<Record<string, string>>;

/**
 * The keys, nodes and partitions of drawn-up files, and the same of the controller, both as lines of slurm.conf that differ
 * only where Slurm would work otherwise. Partitions and nodes that are not cloud nodes of ours are nobody's here.
 */
export function comparable(
  files: readonly SchedulerFile[],
  { config, nodes, partitions }: Answers,
  settings: SlurmSettings,
): { readonly wanted: string; readonly running: string } | { readonly unreadable: string } {
  const nodeRows = readLines(nodes?.text ?? "");
  const partitionRows = readLines(partitions?.text ?? "");
  const configText = config?.text ?? "";
  if (nodeRows === undefined || partitionRows === undefined || !configText.includes("="))
    return { unreadable: "scontrol did not print its whole configuration, all nodes and all partitions" };
  const lines = (files.find(({ name }) => name === mainFile)?.text ?? "").split("\n");
  const rowsOf = (key: string) => lines.filter((line) => line.startsWith(`${key}=`)).flatMap(fieldsOf);
  const pairs = lines.flatMap((line) => {
    const [, key, value = ""] = /^(?!NodeName|PartitionName|NodeSet)(\w+)=(.*)$/.exec(line) ?? [];
    return key === undefined ? [] : [{ key, value }];
  });
  const shown = new Map(
    [...configText.matchAll(/^(\w+)\s*= (.*)$/gm)].map(([, key = "", value = ""]) => [
      key.toLowerCase(),
      value,
    ]),
  );
  const wantedPartitions = rowsOf("PartitionName");
  const runningOf = ({ PartitionName: name }: Fields) =>
    partitionRows.filter(({ PartitionName }) => PartitionName === name);
  const optionsOf = (wanted: Fields) => optionsOfBoth(wanted, runningOf(wanted)[0] ?? {});
  const ownNodes = nodeRows.filter(
    ({ NodeName: name = "", State = "", Partitions = "" }) =>
      State.split("+").includes("CLOUD") &&
      !State.split("+").includes("DYNAMIC_NORM") &&
      !isIgnored({ partitions: Partitions === "" ? [] : Partitions.split(",") }, settings) &&
      name !== "",
  );
  return {
    wanted: textOf(
      pairs.map(({ key, value }) => `${key}=${value}`),
      rowsOf("NodeName").flatMap((row) =>
        (expandHostlist(row.NodeName ?? "") ?? []).map((name) => [name, nodeLine(row)] as const),
      ),
      wantedPartitions.map((wanted) =>
        partitionLine(
          wanted,
          optionsOf(wanted).map(({ name, wanted: value }) => `${name}=${value}`),
        ),
      ),
    ),
    running: textOf(
      pairs.map(({ key }) => `${key}=${settingOf(shown.get(key.toLowerCase()))}`),
      ownNodes.map((row) => [row.NodeName ?? "", nodeLine(asWritten(row))] as const),
      wantedPartitions.flatMap((wanted) =>
        runningOf(wanted).map((running) =>
          partitionLine(
            running,
            optionsOf(wanted).map(({ name, running: value }) => `${name}=${value}`),
          ),
        ),
      ),
    ),
  };
}

function textOf(
  settings: readonly string[],
  nodes: readonly (readonly [name: string, line: string])[],
  partitions: readonly string[],
): string {
  const alike = Map.groupBy(nodes, ([, line]) => line);
  const nodeLines = [...alike].map(
    ([line, own]) => `NodeName=${compactHostlist(own.map(([name]) => name))} ${line}`,
  );
  return [...settings.toSorted(), ...nodeLines.toSorted(), ...partitions.toSorted(), ""].join("\n");
}

function fieldsOf(line: string): readonly Fields[] {
  return readLines(`${line}\n`) ?? [];
}

/** A node as scontrol prints it, by the keys of slurm.conf. */
function asWritten({ CPUTot = "", AvailableFeatures = "", Gres = "", ...rest }: Fields): Fields {
  // With a count of sockets behind it, once the node has registered.
  const gres = Gres === "(null)" ? "" : Gres.replaceAll(/\([^()]*\)/g, "");
  const features = AvailableFeatures === "(null)" ? "" : AvailableFeatures;
  return { ...rest, CPUs: CPUTot, Feature: features, Gres: gres };
}

function nodeLine(row: Fields): string {
  return ["CPUs", "Sockets", "CoresPerSocket", "ThreadsPerCore", "RealMemory", "Gres", "Weight", "Feature"]
    .flatMap((key) => (row[key] === undefined || row[key] === "" ? [] : [`${key}=${row[key]}`]))
    .join(" ");
}

function partitionLine(row: Fields, options: readonly string[]): string {
  const { PartitionName = "", NodeSets, Default = "NO" } = row;
  // A node set stays what it is while its nodes come and go.
  const Nodes = (NodeSets === "(null)" ? undefined : NodeSets) ?? row.Nodes ?? "";
  const nodes = expandHostlist(Nodes === "(null)" ? "" : Nodes);
  return [
    `PartitionName=${PartitionName}`,
    `Nodes=${nodes === undefined ? Nodes : compactHostlist(nodes)}`,
    `Default=${Default}`,
    ...options,
  ].join(" ");
}

/** As slurm.conf has it; a setting that the controller does not print has no value. */
function settingOf(value: string | undefined): string {
  if (value === undefined || value === "(null)") return "";
  if (/^(NONE|INFINITE|UNLIMITED)$/.test(value)) return "-1";
  return value.replace(/ sec$/, "");
}
