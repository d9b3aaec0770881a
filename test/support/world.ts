import { hash } from "node:crypto";
import {
  answerPlanRequest,
  executeAction,
  type RawMessage,
  receiveDemand,
  snapshotCluster,
} from "../../shared/cycle/index.ts";
import { defaultSettings, type EngineSettings } from "../../shared/engine/index.ts";
import type { ScaleAction } from "../../shared/messages/scale-action.ts";
import type {
  AutostopSettings,
  ClusterConfig,
  CycleSettings,
  Log,
  PlanHead,
  Ports,
} from "../../shared/ports/index.ts";
import { createMemoryStores, type MemoryStores } from "../../shared/stores/in-memory/index.ts";
import { noTelemetry } from "../../shared/telemetry/index.ts";
import { clusterOf } from "./cluster.ts";
import { FakeCycleCloud } from "./fake-cyclecloud.ts";
import { createMemoryQueues, type MemoryQueues } from "./memory-queues.ts";

export const cluster = "hpc";

/** The whole cycle in memory, on a clock that a test moves. */
export interface World {
  readonly ports: Ports & MemoryStores & MemoryQueues;
  readonly cycleCloud: FakeCycleCloud;
  readonly log: readonly string[];
  now(): number;
  advance(seconds: number): void;
  /** Changes the configuration of the cluster. */
  configure(fields: {
    readonly engine?: Partial<EngineSettings>;
    readonly cycle?: Partial<CycleSettings>;
    readonly autostop?: Partial<AutostopSettings>;
    readonly facts?: ClusterConfig["facts"];
    readonly priceRules?: ClusterConfig["priceRules"];
    readonly pseudonyms?: ClusterConfig["pseudonyms"];
    readonly schedules?: ClusterConfig["schedules"];
  }): void;
  /** Posts a demand message of source `celery`; later ones have later sequences. */
  post(
    jobs: readonly Record<string, unknown>[],
    fields?: Record<string, unknown>,
  ): ReturnType<typeof receiveDemand>;
  /** A message as the queue delivers it; without an id of its own it gets a new one. */
  receive(body: unknown, messageId?: string): ReturnType<typeof receiveDemand>;
  snapshot(): Promise<void>;
  /** Runs the plan requests that are due; returns how many there were. */
  plan(): Promise<number>;
  /** The same with other ports, such as some that fail. */
  planWith(ports: Ports): Promise<number>;
  /** Carries out every action that waits, copies that are due included; one that throws is gone from the queue, the rest stays. */
  execute(): Promise<void>;
  /** An action as the queue delivers it, once more if need be. */
  deliver(action: ScaleAction): ReturnType<typeof executeAction>;
  /** One round of everything: snapshot, a window later the plan, its actions. */
  round(): Promise<void>;
  /** Carries out what waits, and as many rounds as it takes for all of it to have had its effect and been seen. */
  settle(): Promise<void>;
}

/** What is kept of the newest plan; undefined before the first. */
export async function headOf({ ports }: World): Promise<PlanHead | undefined> {
  return (await ports.plans.loadHead(cluster))?.value;
}

/** One whose cluster has these parts. */
export function worldWith(parts: Parameters<typeof clusterOf>[0]): World {
  return createWorld(new FakeCycleCloud(clusterOf(parts)));
}

export function createWorld(cycleCloud = new FakeCycleCloud(clusterOf())): World {
  let nowSeconds = 1_800_000_000;
  let sequence = 0;
  let messages = 0;
  let plans = 0;
  const lines: string[] = [];
  const stores = createMemoryStores();
  const queues = createMemoryQueues();
  const ports: World["ports"] = {
    ...stores,
    ...queues,
    clock: { nowSeconds: () => nowSeconds },
    log: recordingLog(lines),
    telemetry: noTelemetry,
    ids: {
      planId: () => {
        plans += 1;
        return `plan-${String(plans).padStart(4, "0")}`;
      },
      requestId: (actionId) => `request-${actionId}`,
      digest: (text) => hash("sha1", text).slice(0, 12),
      keyedHash: (keySetting, text) =>
        keySetting === "PSEUDONYM_KEY_MISSING" ? undefined : hash("sha256", `${keySetting} ${text}`),
    },
    random: { draw: () => 0.5 },
    cycleCloudFor: () => cycleCloud,
  };
  stores.configs.put(configOf({}));
  const world: World = {
    ports,
    cycleCloud,
    log: lines,
    now: () => nowSeconds,
    advance: (seconds) => {
      nowSeconds += seconds;
    },
    configure: (fields) => stores.configs.put(configOf(fields)),
    post: (jobs, fields = {}) => {
      sequence += 1;
      const envelope = { version: 1, kind: "snapshot", cluster, source: "celery", sequence };
      return world.receive({
        ...envelope,
        sentAt: new Date(nowSeconds * 1000).toISOString(),
        jobs,
        ...fields,
      });
    },
    receive: (body, messageId) => {
      messages += 1;
      const raw: RawMessage = { body, messageId: messageId ?? `message-${messages}`, queue: "job-demand" };
      return receiveDemand(ports, raw);
    },
    snapshot: () => snapshotCluster(ports, cluster),
    plan: () => world.planWith(ports),
    planWith: async (others) => {
      const due = queues.planRequests.takeDue(nowSeconds);
      for (const { request } of due) await answerPlanRequest(others, request);
      return due.length;
    },
    execute: async () => {
      const take = () => queues.scaleActions.take(nowSeconds);
      for (let action = take(); action !== undefined; action = take()) await executeAction(ports, action);
    },
    deliver: (action) => executeAction(ports, action),
    round: async () => {
      await world.snapshot();
      world.advance(1);
      await world.plan();
      await world.execute();
    },
    settle: async () => {
      for (let round = 0; round < 3; round += 1) {
        await world.execute();
        world.cycleCloud.settle();
        world.advance(10);
        await world.round();
      }
    },
  };
  return world;
}

export function configOf(fields: {
  readonly engine?: Partial<EngineSettings>;
  readonly cycle?: Partial<CycleSettings>;
  readonly autostop?: Partial<AutostopSettings>;
  readonly facts?: ClusterConfig["facts"];
  readonly priceRules?: ClusterConfig["priceRules"];
  readonly pseudonyms?: ClusterConfig["pseudonyms"];
  readonly schedules?: ClusterConfig["schedules"];
}): ClusterConfig {
  const { facts, priceRules, pseudonyms, schedules } = fields;
  return {
    cluster,
    connection: {
      url: "https://cyclecloud.example",
      username: "autoscale",
      passwordSetting: "CYCLECLOUD_PASSWORD",
      verifyCertificates: true,
    },
    engine: { ...defaultSettings, ...fields.engine },
    cycle: {
      snapshotIntervalSeconds: 60,
      maxSnapshotAgeSeconds: 300,
      demandTtlSeconds: 300,
      actionTtlSeconds: 600,
      operationTimeoutSeconds: 900,
      nodeListLagSeconds: 120,
      drainTimeoutSeconds: 300,
      capacityFailureBackoffSeconds: 300,
      failedNodeRetries: 3,
      unhealthyNodes: {
        policy: { default: "report", byNodeArray: {} },
        reasons: ["NHC:*", "Healthcheck failures*"],
        mostAtOnce: 2,
        mostPerDay: 10,
      },
      bootFailuresBeforeBackoff: 3,
      bootFailureBackoffSeconds: 1_800,
      targetAttributes: ["*"],
      maxSources: 50,
      predictsRunTimes: true,
      readOnly: false,
      ...fields.cycle,
    },
    autostop: { idleSecondsBeforeJobs: 3_600, idleSecondsAfterJobs: 300, login: null, ...fields.autostop },
    ...(facts !== undefined && { facts }),
    ...(schedules === undefined ? {} : { schedules }),
    ...(pseudonyms !== undefined && { pseudonyms }),
    ...(priceRules !== undefined && { priceRules }),
    warnings: [],
  };
}

function recordingLog(lines: string[]): Log {
  const line =
    (level: string): Log["info"] =>
    (event, fields = {}) => {
      lines.push(`${level} ${event} ${JSON.stringify(fields)}`);
    };
  return { info: line("info"), warn: line("warn"), error: line("error") };
}

/** A job that fills `count` nodes of the standard bucket: one slot each, four cores a slot. */
export function jobFor(count: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: "job-1", iterations: count, constraints: [{ ncpus: 4 }], ...fields };
}
