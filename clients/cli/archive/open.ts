import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { z } from "zod";
import { parseConfig } from "../../../shared/config/index.ts";
import type { NodeHistory } from "../../../shared/engine/index.ts";
import { messageOf } from "../../../shared/errors/errors.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import {
  type ClusterControl,
  type NodeLoss,
  type Operation,
  type PackedPlan,
  type PlanHead,
  type RejectedMessage,
  type RequestSet,
  type Snapshot,
  type SourceDemand,
  unpackPlan,
} from "../../../shared/ports/index.ts";
import { createMemoryStores, type MemoryStores } from "../../../shared/stores/in-memory/index.ts";
import { archiveFormat, type JsonFiles } from "../../archive/pack.ts";
import { CommandFailure } from "../exit-code.ts";
import { fromZip, jsonOf } from "./files.ts";

/** A cluster as files describe it, at the time when they were written. */
export interface OpenedArchive {
  readonly cluster: string;
  readonly stores: MemoryStores;
  readonly atSeconds: number;
  /** The configuration as it is written; undefined when there is none. */
  readonly config: unknown;
}

/** A snapshot alone has no server address and no user name. These stand in for them, and are never called. */
const nobody = { url: "https://nobody.invalid", username: "nobody", verify_certificates: true };

/** Opens a support archive, its folder, or single files, known by their content. A snapshot is required; defaults stand for the rest. */
export async function openArchive(
  paths: readonly string[],
  asked: string | undefined,
): Promise<OpenedArchive> {
  const files = Object.assign({}, ...(await Promise.all(paths.map(readPath)))) as JsonFiles;
  const about = optional(files, "archive.json", archiveSchema);
  const snapshot = optional(files, "snapshot.json", snapshotSchema) as Snapshot | undefined;
  if (snapshot === undefined)
    throw new CommandFailure(
      `Cannot read offline: no snapshot in ${paths.join(", ")}`,
      'Name an archive that "ccscale support-archive" wrote, its folder, or a file snapshot.json.',
    );
  const cluster = asked ?? about?.cluster ?? snapshot.cluster.name;
  const stores = createMemoryStores();
  await fill(stores, files, { cluster, snapshot });
  const atSeconds = about?.takenAtSeconds ?? snapshot.takenAtSeconds;
  return { cluster, stores, atSeconds, config: files["config.json"] };
}

async function fill(
  stores: MemoryStores,
  files: JsonFiles,
  { cluster, snapshot }: { readonly cluster: string; readonly snapshot: Snapshot },
): Promise<void> {
  const json = files["config.json"] ?? nobody;
  const own = isDictionary(json) ? { ...json, cluster_name: cluster } : json;
  const parsed = parseConfig({ cluster, json: own });
  if (parsed.ok) stores.configs.put(parsed.config);
  else stores.configs.putBroken(cluster, parsed.problems);
  await stores.snapshots.save(cluster, snapshot);
  const control = optional(files, "control.json", objectSchema) as ClusterControl | undefined;
  if (control !== undefined) await stores.controls.save({ ...control, cluster }, undefined);
  for (const source of listIn<SourceDemand>(files, "demand.json"))
    await stores.demand.save({ ...source, cluster }, undefined);
  for (const set of listIn<RequestSet>(files, "targets.json"))
    await stores.targets.save({ ...set, cluster }, undefined);
  await stores.history.save(cluster, listIn<NodeHistory>(files, "history.json"));
  for (const loss of listIn<NodeLoss>(files, "losses.json")) await stores.losses.add({ ...loss, cluster });
  for (const operation of listIn<Operation>(files, "operations.json"))
    await stores.operations.save({ ...operation, cluster }, undefined);
  for (const message of listIn<RejectedMessage>(files, "rejects.json")) await stores.rejections.add(message);
  const head = optional(files, "plans/head.json", objectSchema) as PlanHead | undefined;
  if (head !== undefined) await stores.plans.saveHead({ ...head, cluster }, undefined);
  for (const [name, value] of Object.entries(files))
    if (/^plans\/(?!head\.json|index\.json)[^/]+\.json$/.test(name)) {
      const packed = optional({ [name]: value }, name, planSchema) as unknown as PackedPlan | undefined;
      if (packed !== undefined) await stores.plans.archive(unpackPlan({ ...packed, archive: "whole" }));
    }
}

const objectSchema = z.looseObject({});
const archiveSchema = z.looseObject({
  format: z.literal(archiveFormat),
  cluster: z.string(),
  takenAtSeconds: z.number(),
});
const snapshotSchema = z.looseObject({
  takenAtSeconds: z.number(),
  setAside: z.array(z.string()).default([]),
  cluster: z.looseObject({
    name: z.string(),
    nodeArrays: z.array(z.looseObject({ name: z.string(), buckets: z.array(objectSchema) })),
    nodes: z.array(z.looseObject({ nodeId: z.string(), name: z.string() })),
  }),
});
const planSchema = z.looseObject({
  summary: z.looseObject({ cluster: z.string(), planId: z.string(), atSeconds: z.number() }),
  input: objectSchema,
  plan: objectSchema,
  actions: z.array(objectSchema),
  shapes: z.array(objectSchema),
  reasons: z.array(z.array(objectSchema)),
});

/** The value of a file. Only its outline is checked: the rest is as the service saved it. */
function optional<S extends z.ZodType>(files: JsonFiles, name: string, schema: S): z.output<S> | undefined {
  const value = files[name];
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CommandFailure(
    `Cannot use "${name}": ${issue?.path.join(".") || "the file"}: ${issue?.message ?? "something else was expected"}`,
    'Use an archive that "ccscale support-archive" of this version wrote.',
  );
}

function listIn<T>(files: JsonFiles, name: string): readonly T[] {
  return (optional(files, name, z.array(objectSchema)) ?? []) as unknown as readonly T[];
}

async function readPath(path: string): Promise<JsonFiles> {
  try {
    if ((await stat(path)).isDirectory()) return await readFolder(path);
    const bytes = await readFile(path);
    if (bytes.subarray(0, 2).toString("latin1") === "PK") return fromZip(path, bytes);
    const value = jsonOf(path, bytes.toString("utf8"));
    return { [nameFor(path, value)]: value };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`Cannot read "${path}": ${messageOf(error)}`, "Check the name of the file.");
  }
}

async function readFolder(folder: string): Promise<JsonFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".json"));
  const read = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).split(sep).join("/");
    return [name, jsonOf(path, await readFile(path, "utf8"))] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Single files may have any name: their content decides what they are. */
function nameFor(path: string, value: unknown): string {
  if (!isDictionary(value)) return basename(path);
  if ("takenAtSeconds" in value && "cluster" in value && !("format" in value)) return "snapshot.json";
  return "url" in value || "cluster_name" in value ? "config.json" : basename(path);
}
