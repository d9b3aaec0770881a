import { userInfo } from "node:os";
import type { Command } from "commander";
import type { Decision, UnknownCluster } from "../../shared/cycle/pause-cluster.ts";
import type { ConfigStore } from "../../shared/ports.ts";
import { CommandFailure } from "./exit-code.ts";

export interface DecisionFlags {
  readonly cluster: string;
  readonly reason: string;
  readonly by?: string;
  readonly dryRun?: true;
}

/** What every decision about a cluster has to say: it is shown to everybody who wonders later. */
export function decisionOptions(command: Command): Command {
  return command
    .requiredOption("--cluster <name>", "the cluster")
    .requiredOption("--reason <words>", "why, for whoever looks at the status")
    .option("--by <name>", "who decided; your login name when left out")
    .option("--dry-run", "only says what would be done");
}

export function decisionOf({ cluster, reason, by }: DecisionFlags): Decision {
  return { cluster, reason, by: by ?? userInfo().username };
}

/** What `--dry-run` says: that there is such a cluster, and what would become of it. Throws CommandFailure otherwise. */
export async function wouldDecide(
  { configs }: { readonly configs: Pick<ConfigStore, "clusters"> },
  decision: Decision,
  what: "pause" | "resume",
): Promise<string> {
  const known = await configs.clusters();
  if (!known.includes(decision.cluster))
    refuseUnknownCluster(decision, { outcome: "unknown-cluster", known });
  return `Would ${what} cluster "${decision.cluster}".\n`;
}

/** The outcome for a cluster that there is. Throws CommandFailure otherwise. */
export function refuseUnknownCluster<T extends { readonly outcome: string }>(
  { cluster }: Decision,
  outcome: T | UnknownCluster,
): Exclude<T, UnknownCluster> {
  if (!isUnknown(outcome)) return outcome as Exclude<T, UnknownCluster>;
  const known = outcome.known.length === 0 ? "no cluster is configured" : outcome.known.join(", ");
  throw new CommandFailure(
    `Cannot find cluster "${cluster}", expected one of: ${known}`,
    "Check the spelling; each cluster has a file in the container config.",
  );
}

function isUnknown(outcome: { readonly outcome: string }): outcome is UnknownCluster {
  return outcome.outcome === "unknown-cluster";
}
