import { z } from "zod";
import { defined } from "../../../shared/collections/defined.ts";
import { Refusal, type Site, withMachineTypes } from "../../../shared/simulated-cyclecloud/index.ts";
import { bucketsOf, changeArray } from "./array-buckets.ts";
import { command } from "./control-command.ts";

const count = z.int().min(0).optional();

/** What an administrator of CycleCloud or of the subscription changes. */
export function limitCommands(site: Site) {
  return {
    quota: command(
      z.strictObject({
        cluster: z.string(),
        region: z.string().optional(),
        cores: count,
        spotCores: count,
        families: z.record(z.string(), z.int().min(0)).optional(),
      }),
      ({ cluster: name, region, cores, spotCores, families }) => {
        const { definition } = site.clusterNow(name).cluster;
        const change = defined({ cores, spotCores, families });
        site.quotas.change(definition.subscription, region ?? definition.region, change);
      },
    ),
    /** The cluster's own limits, or those of one node array. */
    limits: command(
      z.strictObject({
        cluster: z.string(),
        nodearray: z.string().optional(),
        maxCount: count,
        maxCoreCount: count,
      }),
      ({ cluster: name, nodearray, maxCount, maxCoreCount }) => {
        const { cluster } = site.clusterNow(name);
        const change = defined({ maxCount, maxCoreCount });
        if (nodearray === undefined) cluster.definition = { ...cluster.definition, ...change };
        else changeArray(site, { cluster: name, nodearray }, change);
      },
    ),
    /** Takes a node array out of the template. Its nodes stay. */
    removeArray: command(
      z.strictObject({ cluster: z.string(), nodearray: z.string() }),
      ({ cluster: name, nodearray }) => {
        bucketsOf(site, { cluster: name, nodearray });
        const { cluster } = site.clusterNow(name);
        const nodearrays = cluster.definition.nodearrays.filter((array) => array.name !== nodearray);
        cluster.definition = { ...cluster.definition, nodearrays };
      },
    ),
    /** The VM sizes of a node array, in their order. A size that nodes have cannot be taken away. */
    sizes: command(
      z.strictObject({
        cluster: z.string(),
        nodearray: z.string(),
        machineTypes: z.array(z.string().min(1)).min(1),
      }),
      ({ cluster: name, nodearray, machineTypes }) => {
        bucketsOf(site, { cluster: name, nodearray });
        const { cluster } = site.clusterNow(name);
        const inUse = [...cluster.population.living()].find(
          ({ bucket }) => bucket.nodearray === nodearray && !machineTypes.includes(bucket.machineType),
        );
        if (inUse !== undefined)
          throw new Refusal(
            409,
            `Cannot take "${inUse.bucket.machineType}" from node array "${nodearray}": node "${inUse.name}" has it`,
          );
        try {
          cluster.definition = withMachineTypes(cluster.definition, nodearray, [...new Set(machineTypes)]);
        } catch (error) {
          if (error instanceof TypeError) throw new Refusal(409, error.message);
          throw error;
        }
      },
    ),
  };
}
