import { z } from "zod";
import {
  type Clock,
  type ClusterLedger,
  evicted,
  fail,
  isPaced,
  type ManualClock,
  Refusal,
  redirect,
  type SimulatedNode,
  type Site,
  stepAt,
  toLedger,
  vanish,
} from "../../../shared/simulated-cyclecloud/index.ts";
import { cancelSchema, silenceSchema, submitSchema } from "../scheduler/orders.ts";
import { type Calls, createCalls } from "./calls.ts";
import { command } from "./control-command.ts";
import { limitCommands } from "./control-limits.ts";
import { resetWeather, weatherCommands } from "./control-weather.ts";
import { createFaults, type Faults, faultSchema } from "./faults.ts";
import { createOutages, type Outages, outageSchema } from "./outage.ts";
import { createSchedulerBoard, type SchedulerBoard } from "./scheduler-board.ts";

/** Real milliseconds that every answer takes, drawn evenly. */
interface Latency {
  readonly minMilliseconds: number;
  readonly maxMilliseconds: number;
}

/** What the server shares with its control panel. */
export interface Instruments {
  readonly site: Site;
  readonly calls: Calls;
  readonly faults: Faults;
  readonly outages: Outages;
  readonly board: SchedulerBoard;
  latency: Latency;
}

export function createInstruments(site: Site): Instruments {
  return {
    site,
    calls: createCalls(),
    faults: createFaults(),
    outages: createOutages(),
    board: createSchedulerBoard(site.clusterNames),
    latency: { minMilliseconds: 0, maxMilliseconds: 0 },
  };
}

const nodes = { cluster: z.string(), names: z.array(z.string()).min(1) };
const nothing = z.strictObject({}).default({});

/**
 * Everything that the API cannot do: weather, accidents, time. `POST /_control/<name>` takes the same objects.
 * Every command throws a ZodError for input of the wrong shape, and a Refusal for names that do not exist.
 */
export function createCommands(instruments: Instruments) {
  const { site, faults, outages, board } = instruments;
  return {
    ...nodeCommands(site),
    ...weatherCommands(site),
    ...limitCommands(site),
    fault: command(faultSchema, (fault) => faults.add(fault)),
    clearFaults: command(nothing, () => faults.clear()),
    outage: command(outageSchema, (outage) => outages.begin(outage)),
    submit: command(submitSchema, (order) => board.submit(order)),
    cancel: command(cancelSchema, (order) => board.cancel(order)),
    silence: command(silenceSchema, (order) => board.silence(order)),
    /** Everything as it was at the start, but for nodes and the clock. `cluster`: the other clusters stay as they are. */
    reset: command(z.strictObject({ cluster: z.string().optional() }).default({}), ({ cluster }) => {
      const names = cluster === undefined ? site.clusterNames : [cluster];
      resetWeather(site, names);
      faults.clear();
      outages.end();
      board.reset(names);
      instruments.latency = { minMilliseconds: 0, maxMilliseconds: 0 };
    }),
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

type Commands = ReturnType<typeof createCommands>;

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
    evict: onNodes(site, z.strictObject(nodes), evicted),
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

function isManual(clock: Clock): clock is ManualClock {
  return "advance" in clock;
}
