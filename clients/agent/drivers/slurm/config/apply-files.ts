import { commandOf, readOf } from "../../configured.ts";
import type { Answers, SchedulerFile, SchedulerFiles } from "../../driver.ts";
import { expandHostlist } from "../hostlist.ts";
import { isIgnored } from "../slurm-nodes.ts";
import { readLines } from "../slurm-records.ts";
import type { SlurmSettings } from "../slurm-settings.ts";
import { hasDynamicNodes, nodesInFiles, settingsFile } from "./node-lines.ts";

/** From this release on a controller that reads its files again takes new names; one before it ends. */
const takesNames = 2311;

/** From this release on nodes can register themselves. */
const takesDynamicNodes = 2205;

/** So many names of a sentence are told. */
const shownNames = 5;

type Checks = Pick<SchedulerFiles, "reads" | "whyNotNow"> &
  Required<Pick<SchedulerFiles, "apply" | "tryOut">>;

/** What the controller has to say before its files are written, and has it read them again where it survives that. */
export function applyFiles(settings: SlurmSettings): Checks {
  const { scontrol, squeue } = settings;
  const whyNotNow: Checks["whyNotNow"] = (files, answers) => {
    const release = releaseIn(answers.version?.text);
    if (hasDynamicNodes(files) && release !== undefined && release.number < takesDynamicNodes)
      return `slurmctld ${release.name} cannot have partitions.<name>.nodes "dynamic", and would not start with these files: expected Slurm 22.05 or later`;
    const change = changeOfNames(files, answers, settings);
    return "unknown" in change ? change.unknown : whyKept(change);
  };
  return {
    reads: [
      readOf("version", scontrol, ["--version"]),
      readOf("nodes", scontrol, ["show", "nodes", "--oneliner"]),
      // After the nodes: a job that starts in between is seen.
      readOf("jobs", squeue, ["--noheader", "--all", "--format=%N"]),
    ],
    whyNotNow,
    // Reads slurm.conf and what it includes, and asks no controller.
    tryOut: (folder) =>
      commandOf(["env", `SLURM_CONF=${folder}/${settingsFile}`, ...scontrol], ["show", "hostnames", "none"]),
    apply: (files, answers) => {
      const change = changeOfNames(files, answers, settings);
      if ("unknown" in change) return { refused: change.unknown };
      const kept = whyKept(change);
      if (kept !== undefined) return { refused: kept };
      const release = releaseIn(answers.version?.text);
      const takesThem = release !== undefined && release.number >= takesNames;
      if (!takesThem && hasDynamicNodes(files))
        return {
          refused: `slurmctld ${release?.name ?? "of an unknown release"} has to be started again. Told to read its files again, it would keep nodes that registered themselves allocated after their jobs have ended`,
        };
      if (takesThem || change.added.length + change.gone.length === 0)
        return { command: commandOf(scontrol, ["reconfigure"]) };
      return {
        refused: `slurmctld ${release?.name ?? "of an unknown release"} ${inWords(change)}: restart it. It takes such a change only when it starts, and would end if it were told to read its files again`,
      };
    },
  };
}

export function releaseIn(text = ""): { readonly name: string; readonly number: number } | undefined {
  const [name, year, month] = /(?<!\d)(\d{1,4})\.(\d{1,4})(?:\.\d{1,4})?/.exec(text) ?? [];
  return name === undefined ? undefined : { name, number: Number(year) * 100 + Number(month) };
}

/** How the names of the files differ from those of the controller. */
interface ChangeOfNames {
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** Of those that are gone. */
  readonly withJobs: readonly string[];
}

function changeOfNames(
  files: readonly SchedulerFile[],
  { nodes, jobs }: Answers,
  settings: SlurmSettings,
): ChangeOfNames | { readonly unknown: string } {
  const records = readLines(nodes?.text ?? "");
  const jobHosts = (jobs?.text ?? "").split("\n").map((list) => expandHostlist(list.trim()));
  if (records === undefined || jobs === undefined || jobHosts.includes(undefined))
    return {
      unknown:
        "scontrol or squeue did not print all nodes: whether a node that would go has a job is not known",
    };
  const wanted = nodesInFiles(files);
  const present = records.flatMap(({ NodeName: name, State = "", CPUAlloc = "0", Partitions = "" }) => {
    const states = State.split("+").map((state) => /^\w+/.exec(state)?.[0] ?? state);
    const partitions = Partitions.split(",").filter((each) => each !== "");
    // One that registered itself has no line, and needs none.
    const isOther =
      !states.includes("CLOUD") || states.includes("DYNAMIC_NORM") || isIgnored({ partitions }, settings);
    const isBusy = Number(CPUAlloc) > 0 || states.some((state) => busyStates.includes(state));
    return name === undefined ? [] : [{ name, isOther, isBusy }];
  });
  const names = new Set(present.map(({ name }) => name));
  const withJob = new Set(jobHosts.flatMap((list) => list ?? []));
  const gone = present.filter(({ name, isOther }) => !isOther && !wanted.has(name));
  return {
    added: [...wanted.keys()].filter((name) => !names.has(name)),
    gone: gone.map(({ name }) => name),
    withJobs: gone.filter(({ name, isBusy }) => isBusy || withJob.has(name)).map(({ name }) => name),
  };
}

const busyStates = ["ALLOCATED", "MIXED", "COMPLETING"];

/** The controller would end the jobs of nodes that its files do not have any more. */
function whyKept({ withJobs }: ChangeOfNames): string | undefined {
  if (withJobs.length === 0) return undefined;
  const more = withJobs.length > shownNames ? " and others" : "";
  return `${withJobs.slice(0, shownNames).join(", ")}${more} would go and ${withJobs.length === 1 ? "has a job" : "have jobs"}: nothing changes before these have ended`;
}

function inWords({ added, gone }: ChangeOfNames): string {
  const parts = [
    ...(added.length === 0 ? [] : [`does not know ${added.length} of the nodes`]),
    ...(gone.length === 0 ? [] : [`has ${gone.length} nodes that are not in the files any more`]),
  ];
  return parts.join(" and ");
}
