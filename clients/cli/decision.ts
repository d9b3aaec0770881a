import { userInfo } from "node:os";
import type { Command } from "commander";
import type { Decision, UnknownCluster } from "../../shared/cycle/pause-cluster.ts";
import { CommandFailure } from "./exit-code.ts";

export interface DecisionFlags {
  readonly cluster: string;
  readonly reason: string;
  readonly by?: string;
}

/** What every decision about a cluster has to say: it is shown to everybody who wonders later. */
export function decisionOptions(command: Command): Command {
  return command
    .requiredOption("--cluster <name>", "the cluster")
    .requiredOption("--reason <words>", "why, for whoever looks at the status")
    .option("--by <name>", "who decided; your login name when left out");
}

export function decisionOf({ cluster, reason, by }: DecisionFlags): Decision {
  return { cluster, reason, by: by ?? userInfo().username };
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
