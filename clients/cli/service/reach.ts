import { readFile } from "node:fs/promises";
import { z } from "zod";
import { messageOf } from "../../../shared/errors/errors.ts";
import { parseJson } from "../../../shared/json/json.ts";
import { CommandFailure } from "../exit-code.ts";
import { placeOf, readLocalEnvironment } from "../local-environment.ts";
import { noOutputSettings, type OutputSettings, parseOutputSettings } from "../output/output-settings.ts";
import { connectService, type ServiceAddress } from "./http-client.ts";
import type { Service } from "./service.ts";
import type { ServiceFlags } from "./service-options.ts";

/** `watch`: the same calls will be repeated. */
type Watched = ServiceFlags & { readonly watch?: unknown };

export interface Reached {
  readonly service: Service;
  readonly settings: OutputSettings;
}

/**
 * Finds the service and the cluster that the options, the environment and the configuration name. A file that is named says
 * how to print; else what the cluster's own configuration says counts, as soon as something was answered. Throws
 * CommandFailure.
 */
export async function reach(flags: Watched): Promise<Reached> {
  const configured = flags.config === undefined ? undefined : await readConfigured(flags.config);
  const service = await serviceAt(flags, flags.cluster ?? configured?.cluster);
  return { service, settings: configured?.settings ?? settingsOf(service) };
}

/** The service that the options and the environment name, whatever clusters it has. Throws CommandFailure. */
export function reachAnywhere(flags: ServiceFlags): Promise<Service> {
  // An empty name keeps it from choosing a cluster.
  return serviceAt(flags, flags.cluster ?? "");
}

/** Whether the options or the environment name a service. */
export function hasAddress(flags: ServiceFlags, env: NodeJS.ProcessEnv): boolean {
  return [flags.url, env.AUTOSCALE_FUNCTIONS_URL].some(Boolean) || flags.local !== undefined;
}

/** The cluster that the options, the environment, a configuration or the local environment name. Makes no call. */
export async function namedCluster(flags: ServiceFlags): Promise<string | undefined> {
  if (flags.cluster !== undefined) return flags.cluster;
  const configured = flags.config === undefined ? undefined : await readConfigured(flags.config);
  if (configured?.cluster !== undefined) return configured.cluster;
  return flags.local === undefined ? undefined : (await readLocal(placeOf(flags).local ?? "")).cluster;
}

async function serviceAt(flags: Watched, named: string | undefined): Promise<Service> {
  if (flags.offline !== undefined) return reachFiles(flags.offline, named);
  if (flags.storage === true) return reachStorage(flags, named);
  const options = { remembers: flags.watch !== undefined };
  if (flags.local !== undefined) {
    const local = await readLocal(placeOf(flags).local ?? "");
    return connectService({ url: local.functionsUrl, ...options }, named ?? local.cluster);
  }
  const address = addressOf(flags, process.env);
  const only = async () => theOnly((await connectService(address, "").ask("clusters")).clusters);
  return connectService({ ...address, ...options }, named ?? (await only()));
}

/** Read when something is printed: before the first answer there are none. */
function settingsOf(service: Service): OutputSettings {
  const now = (): OutputSettings => {
    const parsed = parseOutputSettings(service.printing() ?? {});
    return parsed.ok ? parsed.settings : noOutputSettings;
  };
  return {
    get columns() {
      return now().columns;
    },
    get format() {
      return now().format;
    },
  };
}

async function reachFiles(paths: readonly string[], named: string | undefined): Promise<Service> {
  // Only here are the service's own views and stores needed.
  const [{ openArchive }, { serveArchive }] = await Promise.all([
    import("../archive/open.ts"),
    import("./ask-here.ts"),
  ]);
  return serveArchive(await openArchive(paths, named));
}

async function reachStorage(flags: ServiceFlags, named: string | undefined): Promise<Service> {
  // Imported only now: the storage SDKs take longer to load than most commands take to run.
  const { serveStorage } = await import("./storage.ts");
  const place = placeOf(flags);
  const cluster = named ?? (place.local === undefined ? undefined : (await readLocal(place.local)).cluster);
  if (cluster !== undefined) return serveStorage(place, cluster);
  const { clusters } = await (await serveStorage(place, "")).ask("clusters");
  return serveStorage(place, theOnly(clusters));
}

/** `AUTOSCALE_FUNCTIONS_URL` is what the deployment calls it among its outputs. */
function addressOf(flags: ServiceFlags, env: NodeJS.ProcessEnv): ServiceAddress {
  const url = flags.url ?? env.AUTOSCALE_FUNCTIONS_URL;
  if (!url)
    throw new CommandFailure(
      "Cannot find the service: no address is given",
      "Name it with --url or in CCSCALE_URL (its key in CCSCALE_KEY, or the audience of a token in CCSCALE_AUDIENCE), use --local for a running local environment, or --storage for the storage account itself.",
    );
  const { CCSCALE_KEY: key, CCSCALE_AUDIENCE: audience } = env;
  return { url, ...(key && { key }), ...(audience && { audience }) };
}

function theOnly(clusters: readonly { readonly cluster: string }[]): string {
  const [only, ...others] = clusters.map(({ cluster }) => cluster);
  if (only !== undefined && others.length === 0) return only;
  throw new CommandFailure(
    `Cannot choose a cluster: ${only === undefined ? "none is configured" : `there are ${[only, ...others].join(", ")}`}`,
    only === undefined
      ? 'Add one with "ccscale config push".'
      : "Name one with --cluster or in CCSCALE_CLUSTER.",
  );
}

const localSchema = z.object({ functionsUrl: z.url(), cluster: z.string().min(1) });

const readLocal = (file: string) => readLocalEnvironment(file, localSchema);

const nameSchema = z.looseObject({ cluster_name: z.string().min(1).optional() });

async function readConfigured(
  file: string,
): Promise<{ readonly settings: OutputSettings; readonly cluster: string | undefined }> {
  const refuse = (why: string): never => {
    throw new CommandFailure(
      `Cannot use "${file}": ${why}`,
      'Fix it; "ccscale config validate" names every problem.',
    );
  };
  const json = await readFile(file, "utf8")
    .then(parseJson)
    .catch((error) => refuse(messageOf(error)));
  const parsed = parseOutputSettings(json);
  if (!parsed.ok) return refuse(parsed.problems.join("; "));
  const named = nameSchema.safeParse(json);
  return { settings: parsed.settings, cluster: named.success ? named.data.cluster_name : undefined };
}
