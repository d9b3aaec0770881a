import { Command } from "commander";
import type { ClustersAnswer } from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { type OutputFlags, outputOptions, printList } from "../output/output-options.ts";
import { noOutputSettings } from "../output/output-settings.ts";
import { momentWriter, timesOption } from "../output/times.ts";
import { reach, reachAnywhere } from "../service/reach.ts";
import { type ServiceFlags, serviceOrFilesOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";

type Flags = ServiceFlags & OutputFlags;

export const clusterColumns: readonly string[] = ["cluster", "state", "snapshot:never", "plan:never"];

export function clustersCommand(terminal: Terminal): Command {
  const command = new Command("clusters")
    .description(
      "Lists the clusters of the service: whether they are paused, and how old their snapshots and plans are.",
    )
    .action((flags: Flags) => showClusters(terminal, flags));
  return timesOption(outputOptions(serviceOrFilesOptions(command)));
}

async function showClusters(terminal: Terminal, flags: Flags): Promise<void> {
  // Files are of one cluster.
  const service = flags.offline === undefined ? await reachAnywhere(flags) : (await reach(flags)).service;
  const { clusters, atSeconds } = await service.ask("clusters");
  const when = momentWriter(
    { flags, settings: noOutputSettings },
    { usual: "relative", nowSeconds: atSeconds },
  );
  const list = {
    name: "clusters",
    columns: clusterColumns,
    records: clusters.map((each) => clusterFields(each, when)),
    data: clusters,
    none: 'No cluster is configured. Add one with "ccscale config push".',
  };
  printList(terminal, list, { flags, settings: noOutputSettings });
}

function clusterFields(
  cluster: ClustersAnswer["clusters"][number],
  when: (seconds: number) => string,
): Fields {
  const { paused, snapshotTakenAtSeconds: snapshot, planAtSeconds: plan } = cluster;
  return {
    ...cluster,
    state: paused ? "paused" : "scales",
    snapshot: snapshot === null ? null : when(snapshot),
    plan: plan === null ? null : when(plan),
  };
}
