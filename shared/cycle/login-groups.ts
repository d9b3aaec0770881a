import type { Ports } from "../ports.ts";

/**
 * Clusters by their credentials, in their order. The first of a group should go ahead alone: should its login be refused,
 * that stops the others, where all at once would lock the account. One whose configuration cannot be used stands alone.
 */
export async function loginGroups(
  ports: Pick<Ports, "configs" | "cycleCloudFor">,
  clusters: readonly string[],
): Promise<readonly (readonly [first: string, ...others: string[]])[]> {
  const groups = new Map<string, [string, ...string[]]>();
  for (const cluster of clusters) {
    const key = await loginOf(ports, cluster);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [cluster]);
    else group.push(cluster);
  }
  return [...groups.values()];
}

async function loginOf(ports: Pick<Ports, "configs" | "cycleCloudFor">, cluster: string): Promise<string> {
  try {
    const config = await ports.configs.load(cluster);
    if (config !== undefined) return `login ${ports.cycleCloudFor(config).credentialsFingerprint()}`;
  } catch {
    // Whoever snapshots the cluster meets the same error, and reports it.
  }
  return `cluster ${cluster}`;
}
