import type { Bucket, Cluster, NodeArray } from "../model/bucket.ts";
import { type EngineSettings, forNodeArray } from "../model/settings.ts";

/** The placement groups of a bucket in order of preference: reported, predefined, the array's own; each once. */
export function placementGroupsOf(
  array: NodeArray,
  bucket: Bucket,
  settings: EngineSettings,
): readonly string[] {
  const own = settings.placementGroups.byNodeArray;
  const groups = [
    ...bucket.placementGroups.map((group) => group.name),
    ...settings.placementGroups.default,
    ...(Object.hasOwn(own, array.name) ? (own[array.name] ?? []) : []),
    ...(array.placementGroup === null ? [] : [array.placementGroup]),
  ];
  return [...new Set(groups)];
}

/** Whether a text can name a placement group. */
export function isPlacementGroupName(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text);
}

/**
 * The cluster with spare groups added to every bucket whose array allows colocation, named `<vm_size>_pg<N>`: as
 * many empty ones as the buffer says, up to the maximum. Nothing is generated when the settings predefine a group.
 */
export function generatePlacementGroups(cluster: Cluster, settings: EngineSettings): Cluster {
  const generated = settings.generatedPlacementGroups;
  if (generated === null || predefinesGroups(settings)) return cluster;
  const nodeArrays = cluster.nodeArrays.map((array) => {
    if (!array.allowsColocation || !array.enabled) return array;
    const buffer = forNodeArray(generated.buffer, array.name);
    const max = forNodeArray(generated.max, array.name);
    return { ...array, buckets: array.buckets.map((bucket) => withSpareGroups(bucket, buffer, max)) };
  });
  return { ...cluster, nodeArrays };
}

function predefinesGroups({ placementGroups }: EngineSettings): boolean {
  return (
    placementGroups.default.length > 0 || Object.values(placementGroups.byNodeArray).some((g) => g.length > 0)
  );
}

function withSpareGroups(bucket: Bucket, buffer: number, max: number): Bucket {
  const groups = [...bucket.placementGroups];
  const names = new Set(groups.map((group) => group.name));
  let spare = groups.filter((group) => group.activeCount === 0).length;
  for (let index = 0; spare < buffer && groups.length < max; index++) {
    const name = `${bucket.vmSize}_pg${index}`;
    if (names.has(name)) continue;
    groups.push({ name, activeCount: 0 });
    spare++;
  }
  return { ...bucket, placementGroups: groups };
}
