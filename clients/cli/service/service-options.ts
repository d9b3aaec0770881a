import { type Command, InvalidArgumentError, Option } from "commander";
import { localEnvironmentFile, localOption, type PlaceFlags } from "../local-environment.ts";

export interface ServiceFlags extends PlaceFlags {
  readonly url?: string;
  readonly cluster?: string;
  readonly offline?: readonly string[];
  readonly storage?: true;
  readonly config?: string;
}

export function serviceOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--url <address>",
        "address of the function app; CCSCALE_KEY holds its key, or CCSCALE_AUDIENCE the audience of a token",
      ).env("CCSCALE_URL"),
    )
    .addOption(clusterOption("the cluster; optional if there is only one"))
    .addOption(localOption(`uses the local environment described in ${localEnvironmentFile}`))
    .addOption(configOption());
}

/** The same, for commands that need the service's storage account alone. */
export function serviceOrStorageOptions(command: Command): Command {
  return serviceOptions(command).option(
    "--storage",
    "works on the storage account itself, even while the function app is down: that of --local, or of the settings AutoscaleStorage…",
  );
}

/** The same, for commands that can also read files. */
export function serviceOrFilesOptions(command: Command): Command {
  return serviceOrStorageOptions(command).addOption(
    new Option(
      "--offline <paths...>",
      "reads a support archive, its folder, or files such as snapshot.json and config.json, and calls nothing",
    ),
  );
}

/** `CCSCALE_CLUSTER` applies to every command with a cluster, so that acts and views concern the same one. */
export function clusterOption(description: string): Option {
  const option = new Option("--cluster <name>", description).argParser(clusterName);
  // An empty variable is as good as none.
  return process.env.CCSCALE_CLUSTER?.trim() === "" ? option : option.env("CCSCALE_CLUSTER");
}

function clusterName(name: string): string {
  if (name.trim() !== "") return name;
  throw new InvalidArgumentError(`"${name}", expected the name of a cluster.`);
}

function configOption(): Option {
  return new Option(
    "-c, --config <file>",
    "an autoscale.json whose cluster_name, output_columns and output_format replace those of the stored configuration",
  ).env("CCSCALE_CONFIG");
}
