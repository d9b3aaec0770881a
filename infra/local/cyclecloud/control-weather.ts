import { z } from "zod";
import { Refusal, type Site, withMachineTypes } from "../../../shared/simulated-cyclecloud/index.ts";
import { bucketsOf, changeArray } from "./array-buckets.ts";
import { command } from "./control-command.ts";

const buckets = { cluster: z.string(), nodearray: z.string(), machineType: z.string().optional() };
const lagSeconds = z.number().min(0).default(0);

/** What Azure cannot give, and how nodes boot. */
export function weatherCommands(site: Site) {
  return {
    /** "refuse": creates add nothing; "fail": nodes fail while they wait for a VM; "off": capacity is back. */
    drought: command(
      z.strictObject({ ...buckets, mode: z.enum(["refuse", "fail", "off"]).default("refuse") }),
      ({ mode, ...where }) => setAll(site, where, { drought: mode === "off" ? undefined : mode }),
    ),
    /** New nodes never boot, or boot again ("off"). */
    stuck: command(
      z.strictObject({ ...buckets, status: z.enum(["Acquiring", "Preparing", "off"]) }),
      ({ status, ...where }) => setAll(site, where, { stuck: status === "off" ? undefined : status }),
    ),
    /** The next `next` boots of each bucket fail, or a share of all; neither: they boot again. Retries count as boots. */
    failBoots: command(
      z
        .strictObject({
          ...buckets,
          next: z.int().min(0).optional(),
          share: z.number().min(0).max(1).optional(),
          message: z.string().min(1).default("Software configuration failed"),
        })
        .refine(({ next, share }) => next === undefined || share === undefined, {
          error: "expected next or share, not both",
        }),
      ({ next, share, message, ...where }) => {
        const isOff = (next ?? 0) === 0 && (share ?? 0) === 0;
        setAll(site, where, { failingBoots: isOff ? undefined : { next, share, message } });
      },
    ),
    /** Boots from now on take `factor` times as long; 1: as drawn. */
    bootTimes: command(
      z.strictObject({ ...buckets, factor: z.number().positive().max(1000) }),
      ({ factor, ...where }) => setAll(site, where, { bootFactor: factor === 1 ? undefined : factor }),
    ),
    /** How often an hour a spot node is evicted that boots from now on; "off": as its definition says. */
    evictions: command(
      z.strictObject({
        cluster: z.string(),
        nodearray: z.string(),
        perHour: z.union([z.number().min(0), z.literal("off")]),
      }),
      ({ cluster: name, nodearray, perHour }) => {
        const { cluster } = site.clusterNow(name);
        const [bucket] = bucketsOf(site, { cluster: name, nodearray });
        if (bucket?.spot !== true)
          throw new Refusal(409, `Cannot evict nodes of "${nodearray}": it is no spot array`);
        const usual = cluster.template.nodearrays.find((array) => array.name === nodearray);
        const evictionsPerHour = perHour === "off" ? (usual?.evictionsPerHour ?? 0) : perHour;
        changeArray(site, { cluster: name, nodearray }, { evictionsPerHour });
      },
    ),
    /** Lists lag behind what is made from now on: each node and each request for itself, up to these times. Absent: 0. */
    lag: command(
      z.strictObject({
        cluster: z.string(),
        statusSeconds: lagSeconds,
        nodesSeconds: lagSeconds,
        requestSeconds: lagSeconds,
      }),
      ({ cluster: name, ...lag }) => {
        const { cluster, at } = site.clusterNow(name);
        cluster.lists.set(lag, at);
      },
    ),
  };
}

/**
 * Fair weather over these clusters, and their limits, quotas and sizes as they were defined. A node array keeps a size that was added
 * while nodes have it. Nodes that failed or were evicted stay what they are.
 */
export function resetWeather(site: Site, names: readonly string[]): void {
  for (const name of names) {
    const { cluster, at } = site.clusterNow(name);
    cluster.conditions.clear();
    cluster.lists.set({ statusSeconds: 0, nodesSeconds: 0, requestSeconds: 0 }, at);
    site.quotas.reset(cluster.template.subscription);
    const living = [...cluster.population.living()];
    for (const node of living)
      if (node.hidesTargetState) cluster.population.put({ ...node, hidesTargetState: false });
    cluster.definition = cluster.template.nodearrays.reduce((definition, { name: array, machineTypes }) => {
      const kept = living.flatMap(({ bucket }) => (bucket.nodearray === array ? bucket.machineType : []));
      return withMachineTypes(definition, array, [...new Set([...machineTypes, ...kept])]);
    }, cluster.template);
  }
}

function setAll(
  site: Site,
  where: Parameters<typeof bucketsOf>[1],
  change: Parameters<ReturnType<Site["clusterNow"]>["cluster"]["conditions"]["set"]>[1],
): void {
  const { cluster } = site.clusterNow(where.cluster);
  for (const bucket of bucketsOf(site, where)) cluster.conditions.set(bucket, change);
}
