import { type Command, InvalidArgumentError, Option } from "commander";
import { definitionOf, PlansWorkload } from "../../../shared/backtest/index.ts";
import { defined } from "../../../shared/collections/defined.ts";
import type { Cluster, NodeHistory } from "../../../shared/engine/index.ts";
import { messageOf } from "../../../shared/errors/errors.ts";
import type { DefinitionInput } from "../../../shared/simulated-cyclecloud/index.ts";
import { counted, printable } from "../../../shared/text/text.ts";
import { CommandFailure } from "../exit-code.ts";
import { localEnvironmentFile, localOption, type PlaceFlags } from "../local-environment.ts";
import { plansOf, wholePlan } from "../scenario/archived-plan.ts";
import { reach } from "../service/reach.ts";
import type { Service } from "../service/service.ts";
import { progressOn, type Terminal } from "../terminal.ts";
import type { NodesPast } from "./recorded-boots.ts";
import { type NamedWorkload, noJobs, reportLeftOut } from "./workload-file.ts";

/** The service whose archive is read: its options, but that here `--cluster` is a file. */
export interface ArchiveFlags extends PlaceFlags {
  /** Seconds back from now. */
  readonly fromArchive?: number;
  readonly url?: string;
  readonly storage?: true;
  readonly offline?: readonly string[];
  readonly clusterName?: string;
}

/** What a service knows of a cluster's past. */
export interface Past {
  readonly workload: NamedWorkload;
  /** The cluster as its newest plan saw it, without nodes. */
  readonly definition: DefinitionInput;
  /** The configuration as it is stored. */
  readonly json: unknown;
  /** What is remembered of its nodes. */
  readonly nodes: NodesPast;
}

const secondsPer: Readonly<Record<string, number>> = { h: 3_600, d: 86_400 };

export function archiveOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--from-archive <time>",
        "the workload, the cluster and its configuration: what the service has archived of the last days or hours, such as 7d or 12h",
      )
        .argParser(readSpan)
        .conflicts(["trace", "sacct", "qacct"]),
    )
    .addOption(new Option("--url <address>", "with --from-archive: the function app").env("CCSCALE_URL"))
    .addOption(localOption(`with --from-archive: the local environment of ${localEnvironmentFile}`))
    .option("--storage", "with --from-archive: reads the storage account itself")
    .option("--offline <paths...>", "with --from-archive: reads a support archive")
    .option("--cluster-name <name>", "with --from-archive: the cluster; optional if there is only one");
}

function readSpan(text: string): number {
  const [, count, unit = ""] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  const seconds = Number(count ?? 0) * (secondsPer[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError(`"${text}", expected days or hours such as 7d or 12h.`);
}

/** Reads the archived plans of that time, the oldest first. Throws CommandFailure: there is none that is whole. */
export async function readPast(
  terminal: Terminal,
  flags: ArchiveFlags & { fromArchive: number },
): Promise<Past> {
  const { clusterName, fromArchive, local, offline, storage, url } = flags;
  const { service } = await reach(defined({ cluster: clusterName, local, offline, storage, url }));
  const { plans } = await plansOf(service, fromArchive);
  const progress = await progressOn(terminal);
  const reader = new PlansWorkload();
  let newest: Cluster | undefined;
  let notWhole = 0;
  try {
    for (const [index, { planId }] of plans.entries()) {
      progress.report(`plan ${index + 1} of ${plans.length}`);
      const plan = await wholePlan(service, planId);
      if (plan === undefined) {
        notWhole += 1;
        continue;
      }
      reader.see(plan.input);
      newest = plan.input.cluster;
    }
  } finally {
    progress.end();
  }
  if (newest === undefined)
    throw new CommandFailure(
      `Cannot use the archive of cluster "${printable(service.cluster)}": none of its ${counted(plans.length, "plans")} of that time is archived whole`,
      'Name a longer time, such as 30d; "ccscale plans" lists what is kept.',
    );
  if (notWhole > 0)
    terminal.stderr.write(`left out: ${counted(notWhole, "plans")} that are not archived whole\n`);
  const workload = { ...reader.workload(), name: `the archive of ${service.cluster}` };
  reportLeftOut(terminal, workload);
  if (workload.jobs.length === 0) terminal.stderr.write(`${noJobs}\n`);
  return {
    workload,
    definition: definitionFrom(newest),
    json: await configured(service, offline),
    nodes: await nodesOf(service, offline),
  };
}

async function nodesOf(service: Service, offline: readonly string[] | undefined): Promise<NodesPast> {
  if (offline !== undefined) {
    const { openArchive } = await import("../archive/open.ts");
    const { stores, cluster, atSeconds } = await openArchive(offline, service.cluster);
    return { history: await stores.history.list(cluster), atSeconds };
  }
  const { content, atSeconds } = await service.ask("support", { params: { part: "history" } });
  // As the service stored it.
  return { history: (content ?? []) as readonly NodeHistory[], atSeconds };
}

/** The stored configuration; files have it beside the rest. */
async function configured(service: Service, offline: readonly string[] | undefined): Promise<unknown> {
  if (offline === undefined)
    return (await service.ask("support", { params: { part: "config" } })).content ?? {};
  const { openArchive } = await import("../archive/open.ts");
  return (await openArchive(offline, service.cluster)).config ?? {};
}

function definitionFrom(cluster: Cluster): DefinitionInput {
  try {
    return definitionOf(cluster);
  } catch (error) {
    throw new CommandFailure(messageOf(error), "Give the cluster with --cluster definition.json.");
  }
}
