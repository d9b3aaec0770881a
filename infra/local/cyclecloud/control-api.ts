import { z } from "zod";
import {
  type BucketDefinition,
  type Clock,
  type ClusterLedger,
  evictionNoticeSeconds,
  fail,
  isPaced,
  type ManualClock,
  nodeArrayOf,
  Refusal,
  redirect,
  type SimulatedNode,
  type Site,
  stepAt,
  terminate,
  toLedger,
  vanish,
} from "../../../shared/simulated-cyclecloud/index.ts";
import type { Calls } from "./calls.ts";
import { type Faults, faultSchema } from "./faults.ts";

/** Real milliseconds that every answer takes, drawn evenly. */
export interface Latency {
  readonly minMilliseconds: number;
  readonly maxMilliseconds: number;
}

/** What the server shares with its control panel. */
export interface Instruments {
  readonly site: Site;
  readonly calls: Calls;
  readonly faults: Faults;
  latency: Latency;
}

const nodes = { cluster: z.string(), names: z.array(z.string()).min(1) };
const buckets = { cluster: z.string(), nodearray: z.string(), machineType: z.string().optional() };
const count = z.int().min(0).optional();
const lagSeconds = z.number().min(0).default(0);

/**
 * Everything that the API cannot do: weather, accidents, time. `POST /_control/<name>` takes the same objects.
 * Every command throws a ZodError for input of the wrong shape, and a Refusal for names that do not exist.
 */
export function createCommands(instruments: Instruments) {
  const { site, faults } = instruments;
  return {
    ...nodeCommands(site),
    ...weatherCommands(site),
    fault: command(faultSchema, (fault) => faults.add(fault)),
    clearFaults: command(z.strictObject({}).default({}), () => faults.clear()),
    latency: command(
      z.strictObject({ minMilliseconds: z.number().min(0), maxMilliseconds: z.number().min(0) }),
      (latency) => {
        instruments.latency = latency;
      },
    ),
    speed: command(z.strictObject({ speed: z.number().positive() }), ({ speed }) => {
      if (!isPaced(site.clock)) throw new Refusal(409, "Cannot set the speed: the clock is moved by hand");
      site.clock.setSpeed(speed);
    }),
    advance: command(z.strictObject({ seconds: z.number().min(0) }), ({ seconds }) => {
      if (!isManual(site.clock)) throw new Refusal(409, "Cannot advance the clock: it runs by itself");
      site.clock.advance(seconds);
    }),
  };
}

export type Commands = ReturnType<typeof createCommands>;

export interface Control extends Commands {
  nowSeconds(): number;
  ledger(cluster: string): ClusterLedger;
  readonly calls: Calls;
}

export function createControl(instruments: Instruments): Control {
  const { site, calls } = instruments;
  return {
    ...createCommands(instruments),
    calls,
    nowSeconds: () => site.clock.nowSeconds(),
    ledger(name) {
      const { cluster, at } = site.clusterNow(name);
      return toLedger(name, cluster.population.all(), at);
    },
  };
}

function nodeCommands(site: Site) {
  return {
    /** Azure takes a spot VM back: the node terminates without being asked. */
    evict: onNodes(site, z.strictObject(nodes), (node, at) => {
      const from = stepAt(node.life, at);
      return {
        ...node,
        life: redirect(
          node.life,
          at,
          terminate({
            at,
            from,
            terminateSeconds: evictionNoticeSeconds,
            fixed: false,
            reason: "SpotEvicted",
          }),
        ),
      };
    }),
    /** The VM and its record are gone at once. */
    kill: onNodes(site, z.strictObject(nodes), (node, at) => ({
      ...node,
      life: redirect(node.life, at, vanish(at)),
    })),
    fail: onNodes(
      site,
      z.strictObject({ ...nodes, message: z.string().default("Injected failure") }),
      (node, at, { message }) => ({
        ...node,
        life: redirect(node.life, at, fail(at, stepAt(node.life, at), message)),
      }),
    ),
    keepAlive: onNodes(site, z.strictObject({ ...nodes, on: z.boolean() }), (node, _at, { on }) => ({
      ...node,
      keepAlive: on,
    })),
    hideTargetState: onNodes(site, z.strictObject({ ...nodes, on: z.boolean() }), (node, _at, { on }) => ({
      ...node,
      hidesTargetState: on,
    })),
  };
}

function weatherCommands(site: Site) {
  return {
    /** "refuse": creates add nothing; "fail": nodes fail while they wait for a VM; "off": capacity is back. */
    drought: command(
      z.strictObject({ ...buckets, mode: z.enum(["refuse", "fail", "off"]).default("refuse") }),
      ({ mode, ...where }) => {
        const { cluster } = site.clusterNow(where.cluster);
        for (const bucket of bucketsOf(site, where))
          cluster.conditions.setDrought(bucket, mode === "off" ? undefined : mode);
      },
    ),
    /** New nodes never boot, or boot again ("off"). */
    stuck: command(
      z.strictObject({ ...buckets, status: z.enum(["Acquiring", "Preparing", "off"]) }),
      ({ status, ...where }) => {
        const { cluster } = site.clusterNow(where.cluster);
        for (const bucket of bucketsOf(site, where))
          cluster.conditions.setStuck(bucket, status === "off" ? undefined : status);
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
        site.quotas.change(definition.subscription, region ?? definition.region, {
          ...(cores === undefined ? {} : { cores }),
          ...(spotCores === undefined ? {} : { spotCores }),
          ...(families === undefined ? {} : { families }),
        });
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
        const change = {
          ...(maxCount === undefined ? {} : { maxCount }),
          ...(maxCoreCount === undefined ? {} : { maxCoreCount }),
        };
        if (nodearray === undefined) {
          cluster.definition = { ...cluster.definition, ...change };
          return;
        }
        bucketsOf(site, { cluster: name, nodearray, machineType: undefined });
        const nodearrays = cluster.definition.nodearrays.map((array) =>
          array.name === nodearray ? { ...array, ...change } : array,
        );
        cluster.definition = { ...cluster.definition, nodearrays };
      },
    ),
  };
}

function onNodes<S extends z.ZodType<{ cluster: string; names: string[] }>>(
  site: Site,
  schema: S,
  change: (node: SimulatedNode, at: number, input: z.output<S>) => SimulatedNode,
) {
  return command(schema, (input) => {
    const { cluster, at } = site.clusterNow(input.cluster);
    const living = new Map([...cluster.population.living()].map((node) => [node.name, node]));
    const chosen = input.names.map((name) => {
      const node = living.get(name);
      if (node === undefined)
        throw new Refusal(404, `Cannot find node "${name}" in cluster "${input.cluster}"`);
      return node;
    });
    for (const node of chosen) cluster.population.put(change(node, at, input));
  });
}

function bucketsOf(
  site: Site,
  where: { readonly cluster: string; readonly nodearray: string; readonly machineType?: string | undefined },
): readonly BucketDefinition[] {
  const { cluster } = site.clusterNow(where.cluster);
  const { nodearray, machineType } = where;
  const buckets = nodeArrayOf(cluster, nodearray)?.buckets ?? [];
  const chosen = buckets.filter((bucket) => machineType === undefined || bucket.machineType === machineType);
  if (chosen.length > 0) return chosen;
  throw new Refusal(
    404,
    `Cannot find bucket "${nodearray}/${machineType ?? "*"}" in cluster "${where.cluster}"`,
  );
}

function command<S extends z.ZodType>(
  schema: S,
  run: (input: z.output<S>) => void,
): (input: z.input<S>) => void {
  return (input) => run(schema.parse(input));
}

function isManual(clock: Clock): clock is ManualClock {
  return "advance" in clock;
}
