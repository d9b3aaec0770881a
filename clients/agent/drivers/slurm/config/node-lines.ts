import type { SchedulerFile } from "../../driver.ts";
import { expandHostlist } from "../hostlist.ts";

export const mainFile = "cyclecloud.conf";
/** It includes the main file. */
export const settingsFile = "slurm.conf";

/** The nodes of our own files: what each line says beside the name and the weight, by name. */
export function nodesInFiles(files: readonly SchedulerFile[]): ReadonlyMap<string, string> {
  const text = files.find(({ name }) => name === mainFile)?.text ?? "";
  return new Map(
    [...text.matchAll(/^NodeName=(\S+) (CPUs=.*)$/gm)].flatMap(([, list = "", rest = ""]) =>
      (expandHostlist(list) ?? []).map((name) => [name, rest.replace(/ Weight=\d+/, "")] as const),
    ),
  );
}

export function hasDynamicNodes(files: readonly SchedulerFile[]): boolean {
  return files.some(({ name, text }) => name === mainFile && /^NodeSet=/m.test(text));
}

/** Nothing comes that Slurm does not have, and what stays is as it was, but for the order of prices and the topology. */
export function canWait(before: readonly SchedulerFile[], after: readonly SchedulerFile[]): boolean {
  const had = nodesInFiles(before);
  const isKnown = [...nodesInFiles(after)].every(([name, line]) => had.get(name) === line);
  return isKnown && settingsIn(before) === settingsIn(after);
}

/** All but nodes, and which of them a partition has. */
function settingsIn(files: readonly SchedulerFile[]): string {
  const text = files.find(({ name }) => name === mainFile)?.text ?? "";
  return text
    .split("\n")
    .filter((line) => !line.startsWith("#") && !line.startsWith("NodeName="))
    .map((line) => line.replace(/^(PartitionName=\S+) Nodes=\S+/, "$1"))
    .join("\n");
}

const assignment = /^[ \t]*(\w+)[ \t]*=[ \t]*([^\s#]+)/gm;

/** The value of a key in one of the files; the last of several lines counts. */
export function lastValueIn(files: readonly SchedulerFile[], name: string, key: string): string | undefined {
  const text = files.find((each) => each.name === name)?.text ?? "";
  const values = [...text.matchAll(assignment)].filter(
    (found) => found[1]?.toLowerCase() === key.toLowerCase(),
  );
  return values.at(-1)?.[2];
}
