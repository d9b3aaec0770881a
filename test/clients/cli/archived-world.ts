import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { archivedFiles } from "../../../clients/cli/archive/pack.ts";
import { askHere } from "../../../clients/cli/service/ask-here.ts";
import type { Service } from "../../../clients/cli/service/service.ts";
import { checkConfig } from "../../../shared/config/read-config.ts";
import { answersOnStorage, type StoragePorts } from "../../../shared/service/index.ts";
import { MemoryConfigFiles } from "../../../shared/stores/in-memory/index.ts";
import { lookAhead, type SupportPorts } from "../../../shared/views/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { MemoryDemandQueue } from "../../support/memory-queues.ts";
import { cluster, createWorld, type World } from "../../support/world.ts";

/** Writes what a world in memory knows into a folder, as a support archive that was unpacked. */
export async function archiveOf(
  world: World,
  folder: string,
  config: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const text = JSON.stringify({
    url: "https://cyclecloud.example",
    username: "autoscale",
    verify_certificates: true,
    ...config,
  });
  const configFiles = new MemoryConfigFiles(checkConfig);
  configFiles.put(cluster, text);
  const files = await archivedFiles(serviceOn({ ...world.ports, configFiles }), {
    amounts: { plans: 10, operations: 100, rejections: 100 },
    secrets: [],
    onPart: () => {},
  });
  for (const [name, value] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(value));
  }
  return folder;
}

/** A service of a world in memory. */
export function serviceOn(stored: World["ports"] & SupportPorts): Service {
  const ports: StoragePorts = {
    ...stored,
    lookAhead: (name) => lookAhead(stored, name),
    knownSecrets: [],
    configChanges: "off",
    demandQueue: new MemoryDemandQueue(),
    about: {},
  };
  return {
    cluster,
    printing: () => undefined,
    ask: (id, call = {}) => askHere(answersOnStorage, id, { ports, cluster, call }),
  };
}

/** Two arrays; jobs that run, fit, wait for nodes, and never fit; a node of each kind that needs a look. */
export async function busyWorld(): Promise<World> {
  const mpi = bucketOf({ bucketId: "bucket-hb", vmSize: "Standard_HB120rs_v3", availableCount: 4 });
  const there = clusterOf({
    nodeArrays: [
      nodeArrayOf({ buckets: [bucketOf({ availableCount: 10 })] }),
      nodeArrayOf({ name: "mpi", allowsColocation: true, buckets: [mpi] }),
    ],
    nodes: [
      nodeOf({ name: "htc-1", privateIp: "10.0.0.5" }),
      nodeOf({ name: "htc-2", hostname: null, status: "Preparing" }),
      nodeOf({ name: "htc-3", keepAlive: true }),
      nodeOf({ name: "htc-4", hostname: null, status: "Preparing" }),
    ],
  });
  const world = createWorld(new FakeCycleCloud(there));
  const jobs = [
    { name: "1200", constraints: { ncpus: 4 }, executingHostnames: ["host-htc-1"] },
    { name: "1201", iterations: 6, constraints: { ncpus: 2 } },
    { name: "1202", constraints: { ncpus: 64 } },
    { name: "1203", iterations: 40, constraints: { ncpus: 4, "node.nodearray": "htc" } },
    { name: "1204|b", iterations: -1 },
  ];
  await world.post(jobs, { source: "pbs", nodes: [{ hostname: "host-htc-1" }] });
  await world.round();
  world.advance(90);
  await world.round();
  world.advance(15);
  // No plan has seen it yet.
  world.cycleCloud.change("htc-4", { status: "Failed" });
  await world.snapshot();
  return world;
}
