import { hash } from "node:crypto";
import type { Book, Closed } from "../../shared/accounting/index.ts";
import type { QuoteAnswer, QuoteAsked } from "../../shared/api/index.ts";
import { configsInForce } from "../../shared/config/index.ts";
import { parseConfig } from "../../shared/config/parse-config.ts";
import { loadWorld, windowsOfSchedules } from "../../shared/cycle/index.ts";
import type { ScaleAction } from "../../shared/messages/scale-action.ts";
import type { Log, Ports, SpotSettings } from "../../shared/ports/index.ts";
import { createManualClock } from "../../shared/simulated-cyclecloud/simulated-clock.ts";
import { createMemoryStores, type MemoryStores } from "../../shared/stores/in-memory/index.ts";
import { noTelemetry } from "../../shared/telemetry/index.ts";
import { quoteJobs, type Selected } from "../../shared/views/index.ts";
import { AccountWatch } from "./account-watch.ts";
import { createApp, type KeptAlive } from "./app.ts";
import { BudgetWatch } from "./budget-watch.ts";
import type { Chance } from "./chance.ts";
import { type Cloud, createCloud } from "./cloud.ts";
import { type CloudEffect, cloudClient } from "./cloud-client.ts";
import { DemandQueue } from "./demand-queue.ts";
import { EventTopic } from "./event-topic.ts";
import { type FaultSource, remembering } from "./faults.ts";
import { faultyPorts, type PortCall, type Weather } from "./faulty-ports.ts";
import { Fleet, type Run } from "./fleet.ts";
import { QuotaWatch } from "./quota-watch.ts";
import { Records } from "./records.ts";
import { agentKilled, type ClusterScript, type Script, type Stage } from "./scenario.ts";
import { SessionQueue } from "./session-queue.ts";
import { serviceFor } from "./slurm/service.ts";
import { SlurmSource } from "./slurm/slurm-source.ts";
import { type Posted, Source, type WatchedSource } from "./source.ts";
import { SpotWatch } from "./spot-watch.ts";
import { Timeline } from "./timeline.ts";
import { type Departures, Watch } from "./watch.ts";

export const startSeconds = 1_800_000_000;

/** What every simulated cluster is configured with: short times, so that much happens. */
const baseConfig = {
  url: "https://cyclecloud.example",
  username: "autoscale",
  password_setting: "CYCLECLOUD_PASSWORD",
  verify_certificates: true,
  idle_timeout: 180,
  boot_timeout: 500,
  failed_nodes: "delete",
  demand_ttl: 300,
  action_ttl: 300,
  operation_timeout: 300,
};

export interface WorldOptions {
  readonly script: Script;
  readonly seed: number;
  readonly chance: Chance;
  readonly faults: FaultSource;
  readonly machines: number;
  /** Whether the schedulers can drain nodes. */
  readonly canDrain: boolean;
  readonly snapshotSeconds: number;
  /** Sessions of the planner that all machines together work on at a time; any number when left out. */
  readonly mostSessions?: number;
  /** Whether nobody sees what lies on the demand queue. */
  readonly isBlind: boolean;
  /** Told everything that happens, if anybody wants to know. */
  readonly trace: ((line: string) => void) | undefined;
}

/** Everything around the cycle: queues, timers, machines, CycleCloud, schedulers; and those who watch it. */
export class World implements Stage {
  readonly timeline: Timeline;
  readonly fleet: Fleet;
  readonly cloud: Cloud;
  readonly chance: Chance;
  readonly records = new Records();
  readonly demandQueue: DemandQueue;
  readonly planRequests: SessionQueue;
  readonly scaleActions: SessionQueue;
  readonly violations: string[] = [];
  readonly windows = { begun: 0, met: 0 };
  readonly startSeconds: number;
  /** Ids of messages that nothing can be made of, put on the demand queue on purpose. */
  readonly mangled: string[] = [];
  /** When the reading of a cluster began of which a snapshot was stored, and its nodes then, without head nodes. */
  readonly readings: { readonly cluster: string; readonly atSeconds: number; readonly nodes: number }[] = [];
  /** Beats that were skipped, because an earlier one was still reading the cluster. */
  readonly lateBeats: { readonly cluster: string; readonly atSeconds: number }[] = [];
  readonly #options: WorldOptions;
  readonly #weather: Weather;
  readonly #stores: MemoryStores = createMemoryStores();
  readonly #app = createApp((run) => this.#portsFor(run));
  readonly #sources = new Map<string, WatchedSource>();
  readonly #watches = new Map<string, Watch>();
  readonly #quotaWatches = new Map<string, QuotaWatch>();
  readonly #spotWatches = new Map<string, SpotWatch>();
  readonly #accountWatches = new Map<string, AccountWatch>();
  readonly #budgetWatches = new Map<string, BudgetWatch>();
  readonly #config = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #spot = new Map<string, SpotSettings | undefined>();
  readonly #answerSeconds = new Map<string, number>();
  readonly #actions = new Map<string, string>();
  readonly #invalidRequests = new Set<string>();
  #snapshotting: Run | undefined;
  #plans = 0;
  /** A fault was injected, or something happened beside the end of an agent. */
  #isDisturbed = false;

  constructor(options: WorldOptions) {
    const { script, seed } = options;
    const faults = remembering(options.faults, () => {
      this.#isDisturbed = true;
    });
    this.#options = { ...options, faults };
    this.chance = options.chance;
    this.startSeconds = script.startSeconds ?? startSeconds;
    const clock = createManualClock(this.startSeconds);
    this.timeline = new Timeline(this.startSeconds, (seconds) => clock.advance(seconds));
    this.fleet = new Fleet(this.timeline, options.machines);
    this.#weather = { fleet: this.fleet, chance: this.chance, faults };
    const definitions = script.clusters.map(({ definition }) => definition);
    this.cloud = createCloud({ definitions, seed, clock });
    const parts = { timeline: this.timeline, fleet: this.fleet, faults };
    const app = this.#app;
    this.demandQueue = new DemandQueue(parts, { receive: app.acceptDemand, receivePoison: app.watchRejects });
    this.planRequests = new SessionQueue(parts, {
      name: "plan-requests",
      duplicateWindowSeconds: 60,
      maxDeliveryCount: 5,
      mostSessions: options.mostSessions,
      receive: app.planScale,
      receiveDead: app.watchDeadPlanRequests,
    });
    this.scaleActions = new SessionQueue(parts, {
      name: "scale-actions",
      duplicateWindowSeconds: 300,
      maxDeliveryCount: 10,
      receive: app.executeAction,
      receiveDead: app.watchDeadActions,
    });
    for (const cluster of script.clusters) this.#addCluster(cluster);
    if (script.events === true) new EventTopic({ ...parts, cloud: this.cloud, receive: app.nodeEvents });
    for (const { atSeconds, what, happens } of script.happenings)
      this.timeline.after(atSeconds, () => {
        this.trace(`-- ${what}`);
        if (what !== agentKilled) this.#isDisturbed = true;
        happens(this);
      });
    this.timeline.after(1, () => this.#beat());
  }

  get nowSeconds(): number {
    return this.timeline.nowSeconds;
  }

  get clusters(): readonly string[] {
    return [...this.#sources.keys()];
  }

  /** How nodes went, over all clusters. */
  get departures(): Departures {
    const sum = (count: (watch: Watch) => number) =>
      [...this.#watches.values()].reduce((total, watch) => total + count(watch), 0);
    return {
      raced: sum((watch) => watch.raced),
      drained: sum((watch) => watch.drained),
      drainTimedOut: sum((watch) => watch.drainTimedOut),
      deallocated: sum((watch) => watch.deallocated),
    };
  }

  readonly ask = (cluster: string, instance: string): void => {
    const answered = () => {};
    this.fleet.start("http-autostop", (run) => this.#app.autostop(run, cluster, instance), answered);
  };

  readonly snapshot = (): void => {
    this.fleet.start("snapshot-nodes", this.#app.snapshotNodes, () => {});
  };

  readonly decide = (cluster: string, decision: "pause" | "resume"): void => {
    this.fleet.start(
      decision,
      (run) => this.#app.decide(run, cluster, decision),
      () => {},
    );
  };

  readonly keepAlive = (cluster: string, kept: KeptAlive): void => {
    this.fleet.start(
      "keep-alive",
      (run) => this.#app.keepAlive(run, cluster, kept),
      () => {},
    );
  };

  /** What the service says of jobs before they are submitted. */
  quote(cluster: string, jobs: QuoteAsked["jobs"], told: (answer: Selected<QuoteAnswer>) => void): void {
    const work = async (run: Run) => {
      const ports = this.#portsFor(run);
      const known = await loadWorld(ports, cluster);
      if (known === undefined) throw new RangeError(`Cannot find cluster "${cluster}"`);
      told(quoteJobs(known, { jobs }, ports.clock.nowSeconds()));
    };
    this.fleet.start("quote", work, () => {});
  }

  /** What the accounts have counted. */
  counted(cluster: string): AccountWatch {
    const watch = this.#accountWatches.get(cluster);
    if (watch === undefined) throw new RangeError(`Cannot find cluster "${cluster}"`);
    return watch;
  }

  /** Plans that a spent budget held. */
  heldByBudgets(cluster: string): number {
    return this.#budgetWatches.get(cluster)?.held ?? 0;
  }

  watched(cluster: string): WatchedSource {
    const source = this.#sources.get(cluster);
    if (source === undefined) throw new RangeError(`Cannot find cluster "${cluster}"`);
    return source;
  }

  readonly windowBegan = (isMet: boolean): void => {
    this.windows.begun += 1;
    if (isMet) this.windows.met += 1;
  };

  source(cluster: string): Source {
    const source = this.watched(cluster);
    if (source instanceof Source) return source;
    throw new RangeError(`Cannot find a simulated scheduler of cluster "${cluster}"`);
  }

  slurm(cluster: string): SlurmSource {
    const source = this.watched(cluster);
    if (source instanceof SlurmSource) return source;
    throw new RangeError(`Cannot find a Slurm of cluster "${cluster}"`);
  }

  configure(cluster: string, keys: Readonly<Record<string, unknown>>): void {
    const json = { ...this.#config.get(cluster), ...keys };
    this.#config.set(cluster, json);
    const parsed = parseConfig({ cluster, json });
    if (parsed.ok) {
      this.#stores.configs.put(parsed.config);
      this.#spot.set(cluster, parsed.config.cycle.spot);
      // Their windows come and go without anything being written.
      for (const set of windowsOfSchedules(parsed.config, this.nowSeconds))
        this.#watches.get(cluster)?.onTargets(set);
    } else this.#stores.configs.putBroken(cluster, parsed.problems);
  }

  put(body: unknown): void {
    this.demandQueue.put(body);
  }

  putMangled(body: unknown): void {
    this.mangled.push(this.demandQueue.put(body));
  }

  violate(what: string): void {
    this.trace(`!! ${what}`);
    this.violations.push(what);
  }

  #addCluster({
    definition: { name: cluster, nodearrays },
    config = {},
    jobs,
    mostFailedNodes,
    mostDeallocated = 0,
    refusesJobs = false,
    answerSeconds = 0,

    slurm,
  }: ClusterScript): void {
    // Half of the runs read the cluster on every beat, which comes every 15 to 60 s; the others in the usual rhythm.
    const snapshot_interval = this.#options.seed % 2 === 0 ? 0 : 60;
    this.configure(cluster, { ...baseConfig, snapshot_interval, ...config });
    const put = (body: unknown, onDone?: () => void) => this.demandQueue.put(body, onDone);
    const parts = {
      timeline: this.timeline,
      chance: this.chance,
      cloud: this.cloud,
      faults: this.#options.faults,
      canDrain: this.#options.canDrain,
      put,
      putMangled: (body: unknown, onDone?: () => void) => this.mangled.push(put(body, onDone)),
      onPut: (posted: Posted) => this.#watches.get(cluster)?.onPut(posted),
      onPosted: (posted: Posted) => this.#watches.get(cluster)?.onPosted(posted),
    };
    const service = () =>
      serviceFor(cluster, {
        fleet: this.fleet,
        timeline: this.timeline,
        portsFor: (run) => this.#portsFor(run),
      });
    const source =
      slurm === undefined
        ? new Source(parts, cluster, jobs)
        : new SlurmSource(
            {
              ...parts,
              service: service(),
              report: (violation) => this.violate(`${cluster}: ${violation}`),
              trace: (line) => this.trace(line),
              isUndisturbed: () => !this.#isDisturbed,
            },
            cluster,
            { script: slurm, jobs },
          );
    const watch = new Watch({
      cluster,
      cloud: this.cloud,
      source,
      fleet: this.fleet,
      arrays: nodearrays.length,
      refusesJobs,
      mostFailedNodes,
      mostDeallocated,
      now: () => this.nowSeconds,
      actionIdOf: (requestId) => this.#actions.get(requestId),
      report: (violation) => this.violate(violation),
    });
    this.#answerSeconds.set(cluster, answerSeconds);
    this.#sources.set(cluster, source);
    this.#watches.set(cluster, watch);
    const report = (violation: string) => this.violate(`${cluster}: ${violation}`);
    this.#spotWatches.set(
      cluster,
      new SpotWatch({ cluster, cloud: this.cloud, settings: () => this.#spot.get(cluster), report }),
    );
    this.#quotaWatches.set(
      cluster,
      new QuotaWatch({
        cluster,
        cloud: this.cloud,
        now: () => this.nowSeconds,
        ownsQuotas: this.#options.script.ownsQuotas === true,
        report,
      }),
    );
    this.#accountWatches.set(cluster, new AccountWatch(report));
    this.#budgetWatches.set(cluster, new BudgetWatch(report));
    source.live(() => watch.look());
  }

  /** The timer that reads all clusters; a beat is left out while the one before is at it. */
  #beat(): void {
    this.timeline.after(this.#options.snapshotSeconds, () => this.#beat());
    if (this.#snapshotting !== undefined && !this.#snapshotting.isDead) return;
    const end = () => {
      this.#snapshotting = undefined;
    };
    this.#snapshotting = this.fleet.start("snapshot-nodes", this.#app.snapshotNodes, end);
  }

  #portsFor(run: Run): Ports {
    const senderNow = () => this.nowSeconds + run.machine.clockOffsetSeconds;
    const ports: Ports = {
      ...this.#stores,
      configs: configsInForce(this.#stores.configs, { nowSeconds: senderNow }),
      clock: { nowSeconds: senderNow },
      log: this.#logOf(run),
      telemetry: noTelemetry,
      ids: {
        planId: () => {
          this.#plans += 1;
          return `plan-${String(this.#plans).padStart(4, "0")}`;
        },
        requestId: (actionId) => {
          this.#actions.set(`request-${actionId}`, actionId);
          return `request-${actionId}`;
        },
        digest: (text) => hash("sha1", text),
        keyedHash: (keySetting, text) => hash("sha256", `${keySetting} ${text}`),
      },
      cycleCloudFor: ({ cluster }) =>
        cloudClient({
          site: this.cloud.site,
          door: this.cloud.door,
          now: () => this.nowSeconds,
          cluster,
          weather: this.#weather,
          answerSeconds: this.#answerSeconds.get(cluster) ?? 0,
          run,
          invalidRequests: this.#invalidRequests,
          onEffect: (effect) => this.#onEffect(run, cluster, effect),
        }),
      random: { draw: () => this.chance.between(0, 1) },
      unreadDemand: {
        count: async () => (this.#options.isBlind ? 0 : this.demandQueue.waiting),
        showsAnyOf: async (cluster) => this.demandQueue.showsAnyOf(cluster),
      },
      schedulerEvents: {
        // A simulated scheduler has what it was told at once.
        forget: async () => undefined,
        send: async (event) => {
          if (event.kind !== "demand-refused") this.watched(event.cluster).tell(event);
        },
      },
      planRequests: {
        send: async ({ request, messageId, deliverAtSeconds }) => {
          const delaySeconds = deliverAtSeconds - this.nowSeconds;
          this.planRequests.send({ session: request.cluster, messageId, body: request, delaySeconds });
        },
      },
      scaleActions: {
        // A time to live is counted by the broker, but reckoned by the sender.
        send: async (actions) => {
          for (const body of actions) {
            const ttlSeconds = Math.max(1, body.expiresAtSeconds - senderNow());
            this.scaleActions.send({ session: body.cluster, messageId: body.actionId, body, ttlSeconds });
          }
        },
        sendLater: async (body, { attempt, atSeconds }) => {
          const messageId = `${body.actionId}:attempt-${attempt}`;
          const ttlSeconds = Math.max(1, body.expiresAtSeconds - senderNow() + 60);
          const delaySeconds = atSeconds - this.nowSeconds;
          this.scaleActions.send({ session: body.cluster, messageId, body, ttlSeconds, delaySeconds });
        },
      },
    };
    return faultyPorts(ports, this.#weather, run, (call) => this.#onCall(run, call));
  }

  #onEffect(run: Run, cluster: string, { call, requestId, nodeIds, sets = [] }: CloudEffect): void {
    this.trace(`   ${run.machine.name} cyclecloud ${call} ${requestId}: ${nodeIds.length} nodes`);
    const watch = this.#watches.get(cluster);
    const touched = new Set(nodeIds);
    const nodes = this.cloud.nodes(cluster).filter((node) => touched.has(node.nodeId));
    if (call === "create") {
      const actionId = this.#actions.get(requestId) ?? "";
      watch?.onCreate(requestId);
      this.#quotaWatches.get(cluster)?.onCreate({ run, actionId, sets, nodeIds });
    } else watch?.onShutdown(run, { nodes, action: this.#actionOf(requestId) });
  }

  #actionOf(requestId: string): ScaleAction | undefined {
    return this.records.operations.get(this.#actions.get(requestId) ?? "")?.action;
  }

  #onCall(run: Run, call: PortCall): void {
    if (call.place === "accounts.save" || call.place === "accounts.keep") {
      const [cluster, written] = call.args as [string, Book & Closed];
      const watch = this.#accountWatches.get(cluster);
      if (call.place === "accounts.save") {
        watch?.onSaved(written);
        this.#budgetWatches.get(cluster)?.onSaved(written);
      } else watch?.onKept(written);
      return;
    }
    if (call.place === "unreadDemand.count") for (const watch of this.#watches.values()) watch.onLook(run);
    const written = this.records.note(call);
    switch (written?.what) {
      case "operation":
        this.trace(`   ${run.machine.name} ${written.operation.actionId} is ${written.operation.state}`);
        for (const watches of [this.#watches, this.#quotaWatches]) {
          const watch = watches.get(written.operation.cluster);
          if (written.operation.state === "planned") watch?.onPlanned(run, written.operation);
          if (written.operation.state === "sent") watch?.onSent(run, written.operation);
        }
        return;
      case "control":
        this.#watches.get(written.control.cluster)?.onControl(written.control);
        return;
      case "plan":
        this.#watches.get(written.plan.summary.cluster)?.onPlan(written.plan);
        this.#spotWatches.get(written.plan.summary.cluster)?.onPlan(run, written.plan);
        this.#budgetWatches.get(written.plan.summary.cluster)?.onPlan(run, written.plan);
        return;
      case "head":
        this.#watches.get(written.head.cluster)?.onHead(written.head);
        return;
      case "demand":
        this.#watches.get(written.demand.cluster)?.onDemand(written.demand);
        return;
      case "targets":
        this.#watches.get(written.requested.cluster)?.onTargets(written.requested);
        return;
      case "snapshot":
        this.readings.push({
          cluster: written.snapshot.cluster.name,
          atSeconds: written.snapshot.takenAtSeconds,
          nodes: this.cloud.nodes(written.snapshot.cluster.name).length,
        });
        this.#watches.get(written.snapshot.cluster.name)?.onSnapshot(written.snapshot);
        this.#quotaWatches.get(written.snapshot.cluster.name)?.onSnapshot(written.snapshot);
    }
  }

  #logOf(run: Run): Log {
    const line = (event: string, fields: object = {}) => {
      if (this.#options.trace !== undefined)
        this.trace(`   ${run.machine.name} ${event} ${JSON.stringify(fields)}`);
    };
    const warn: Log["warn"] = (event, fields) => {
      if (event === "snapshot-late")
        this.lateBeats.push({ cluster: String(fields?.cluster), atSeconds: this.nowSeconds });
      line(event, fields);
    };
    return { info: line, warn, error: line };
  }

  /** Tells what happens, at its time, to whoever follows the run. */
  trace(line: string): void {
    this.#options.trace?.(`${(this.nowSeconds - this.startSeconds).toFixed(2).padStart(9)} ${line}`);
  }
}
