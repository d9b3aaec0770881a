import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { collect } from "../../../clients/cli/archive/collect.ts";
import type { World } from "../../support/world.ts";

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
  const configs = { read: async () => ({ text, etag: "1" }), readInclude: async () => undefined };
  const files = await collect(world.ports, configs, {
    cluster: "hpc",
    amounts: { plans: 10, operations: 100, rejections: 100 },
    known: [],
    onPart: () => {},
  });
  for (const [name, value] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(value));
  }
  return folder;
}
