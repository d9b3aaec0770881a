import type { Bucket, Cluster, NodeArray, ReportedPlacementGroup } from "../model/bucket.ts";
import { type EngineSettings, forNodeArray } from "../model/settings.ts";
import { memberOf } from "../values/resources.ts";

/** The placement groups of a bucket, each once, with whether jobs that ask for no group search there first. */
export interface PlacementGroups {
  /** Before nodes outside of every group: somebody chose these groups. Predefined, and the array's own. */
  readonly first: readonly string[];
  /** After the nodes outside of every group, of all arrays: made for jobs that ask to be in one. */
  readonly last: readonly string[];
}

/**
 * Where groups are generated, ordinary jobs stay outside of them: a group holds a limited number of nodes, and those that
 * need one could find none. With `compatibility: "scalelib"` the reported ones come first, as there; the generated ones are
 * appended at the end, as there.
 */
export function placementGroupsOf(
  array: NodeArray,
  bucket: Bucket,
  settings: EngineSettings,
): PlacementGroups {
  const own = settings.placementGroups.byNodeArray;
  const chosen = [
    ...settings.placementGroups.default,
    ...(memberOf(own, array.name) ?? []),
    ...(array.placementGroup === null ? [] : [array.placementGroup]),
  ];
  const isMadeForOthers = (group: ReportedPlacementGroup): boolean =>
    settings.compatibility === "scalelib" ? group.isGenerated === true : generates(settings);
  const groups = bucket.placementGroups;
  const first = new Set([
    ...groups.filter((group) => !isMadeForOthers(group)).map(({ name }) => name),
    ...chosen,
  ]);
  const last = groups.filter((group) => isMadeForOthers(group) && !first.has(group.name));
  return { first: [...first], last: last.map(({ name }) => name) };
}

function generates(settings: EngineSettings): boolean {
  return settings.generatedPlacementGroups !== null && !predefinesGroups(settings);
}

/**
 * The cluster with spare groups added to every bucket whose array allows colocation, named `<vm_size>_pg<N>`: as
 * many empty ones as the buffer allows, up to the maximum. Nothing is generated when the settings predefine a group.
 */
export function generatePlacementGroups(cluster: Cluster, settings: EngineSettings): Cluster {
  const generated = settings.generatedPlacementGroups;
  if (generated === null || !generates(settings)) return cluster;
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
    groups.push({ name, activeCount: 0, isGenerated: true });
    spare++;
  }
  return { ...bucket, placementGroups: groups };
}

/** Groups of nodes that are there, or will be. */
export function placementGroupsIn(
  nodes: readonly { readonly placementGroup: string | null }[],
): ReadonlySet<string> {
  return new Set(nodes.flatMap((node) => node.placementGroup ?? []));
}
