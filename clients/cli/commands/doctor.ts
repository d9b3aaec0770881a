import { Command } from "commander";
import type { Checked } from "../doctor/checked.ts";
import { checkDeployment, endpointsOf, missingOutputs } from "../doctor/deployment-checks.ts";
import { examineCluster } from "../doctor/examine-cluster.ts";
import { checkService } from "../doctor/service-checks.ts";
import { CommandFailure } from "../exit-code.ts";
import { type OutputFlags, reportOption } from "../output/output-options.ts";
import { prettyJson } from "../output/print.ts";
import { pageOn } from "../output/report.ts";
import { reach, reachAnywhere } from "../service/reach.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";

type Flags = ServiceFlags & Pick<OutputFlags, "format"> & { readonly deployment?: true };

export function doctorCommand(terminal: Terminal): Command {
  const command = new Command("doctor")
    .description(
      "Checks from this machine whether the service answers, and whether each cluster is set up and at work: login, snapshots, schedulers, messages, plans, money, how fast storage grows. What is not as it should be says what to do. Exit code 1 if a check failed.",
    )
    .option(
      "--deployment",
      "also whether this machine reaches what the deployment's outputs name, and CycleCloud: in the app's network, what the app reaches",
    )
    .action((flags: Flags) => examine(terminal, flags));
  return serviceOrStorageOptions(command).addOption(reportOption());
}

async function examine(terminal: Terminal, flags: Flags): Promise<void> {
  const checked = await examined(flags);
  if (flags.format === "json") terminal.stdout.write(prettyJson({ checks: checked }));
  else
    pageOn(terminal).table(
      ["STATE", "CLUSTER", "CHECK", "MESSAGES"],
      checked.map(({ state, cluster, check, text, next }) => [
        state,
        cluster ?? "-",
        check,
        next === null ? text : `${text} ${next}`,
      ]),
    );
  const wrong = checked.filter(({ state }) => state === "failed").length;
  if (wrong > 0)
    throw new CommandFailure(`${wrong} of ${checked.length} checks failed`, "Each says what to do.");
}

async function examined(flags: Flags): Promise<readonly Checked[]> {
  const { checked, clusters } = await checkService(async () => (await reachAnywhere(flags)).ask("clusters"), {
    nowSeconds: () => Date.now() / 1000,
    isStorage: flags.storage === true,
  });
  const named = flags.cluster === undefined ? clusters : [flags.cluster];
  const ofClusters =
    clusters === undefined
      ? []
      : await Promise.all(
          (named ?? []).map(async (cluster) =>
            examineCluster((await reach({ ...flags, cluster })).service, cluster),
          ),
        );
  const ofNetwork =
    flags.deployment === undefined
      ? []
      : [
          ...missingOutputs(process.env),
          ...(await checkDeployment(endpointsOf(process.env, await serverUrls(flags, named ?? [])))),
        ];
  return [...checked, ...ofNetwork, ...ofClusters.flat()];
}

/** Addresses of the CycleCloud servers. A cluster whose configuration cannot be read has none: its own checks say why. */
async function serverUrls(flags: Flags, clusters: readonly string[]): Promise<readonly string[]> {
  const urls = await Promise.all(
    clusters.map(async (cluster) => {
      const { service } = await reach({ ...flags, cluster });
      try {
        return (await service.ask("config")).config?.url;
      } catch (error) {
        if (error instanceof CommandFailure) return undefined;
        throw error;
      }
    }),
  );
  return urls.filter((url) => typeof url === "string");
}
