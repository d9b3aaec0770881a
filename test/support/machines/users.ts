import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Network } from "./network.ts";

const firstId = 52_001;

/** Users with a group each, known on the machines only: this one's own files stay as they are. */
export async function addUsers(network: Network, names: readonly string[]): Promise<void> {
  await addLines(network, "passwd", names, (name, id) => `${name}:x:${id}:${id}::/tmp:/bin/sh\n`);
  await addLines(network, "group", names, (name, id) => `${name}:x:${id}:\n`);
}

async function addLines(
  network: Network,
  file: "passwd" | "group",
  names: readonly string[],
  line: (name: string, id: number) => string,
): Promise<void> {
  const own = join(network.folder, file);
  await copyFile(`/etc/${file}`, own);
  const known = await readFile(own, "utf8");
  const lines = names.map((name, index) => (known.includes(`\n${name}:`) ? "" : line(name, firstId + index)));
  await writeFile(own, known + lines.join(""));
  network.cover(`/etc/${file}`, own);
}
