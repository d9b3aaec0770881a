import { executeAction, planScale, receiveDemand, snapshotCluster } from "../../shared/cycle/index.ts";
import { StaleSnapshotError, UpstreamError } from "../../shared/errors/errors.ts";
import type { PlanRequest } from "../../shared/messages/plan-request.ts";
import type { ScaleAction } from "../../shared/messages/scale-action.ts";
import type { CycleCloud, Ports } from "../../shared/ports/index.ts";
import { Crash, type CrashPoint, interposed } from "./crash.ts";
import { DrainingSource } from "./draining-source.ts";
import { cluster, createWorld, jobFor, type World } from "./world.ts";

/** Every call at which a run may die. */
export const crashSites = [
  { port: "plans", method: "saveHead" },
  { port: "operations", method: "open" },
  { port: "operations", method: "save" },
  { port: "scaleActions", method: "send" },
  { port: "history", method: "save" },
  { port: "snapshots", method: "save" },
  { port: "snapshots", method: "load" },
  { port: "planRequests", method: "send" },
  { port: "schedulerEvents", method: "send" },
  { port: "demand", method: "save" },
] as const;

export interface Meanwhile {
  readonly before: Pick<CrashPoint, "port" | "method">;
  readonly happens: () => Promise<void>;
}

/**
 * A world whose runs die now and then, with queues that offer again what was not done: what a broker and a host do.
 * It knows what a scheduler really runs, and so can tell when a node went that must not.
 */
export class ChaosWorld {
  readonly world: World = createWorld();
  readonly source: DrainingSource;
  readonly #canDrain: boolean;
  readonly #ports: Ports;
  #armed: CrashPoint | undefined;
  #sequence = 0;
  #plans: readonly PlanRequest[] = [];
  #actions: readonly ScaleAction[] = [];
  #busy: { readonly hostnames: ReadonlySet<string>; readonly untilSeconds: number };
  #slow: { readonly release: () => void; readonly done: Promise<void> } | undefined;
  /** The most nodes that jobs needed at once. */
  mostNeeded = 0;
  /** Nodes that went while a job ran on them. */
  readonly wronged: string[] = [];

  /** Jobs that started and of which no message has told yet. */
  #untold = new Set<string>();
  /** Hosts that the last message listed. */
  #listed = new Set<string>();

  constructor({ canDrain = false, drainTimeoutSeconds = 300 } = {}) {
    this.#canDrain = canDrain;
    this.source = new DrainingSource(this.world);
    // A node that never boots is replaced before it is gone, which the counting of nodes here leaves out.
    this.world.configure({
      engine: { bootTimeoutSeconds: { default: 1e6, byNodeArray: {} } },
      cycle: { drainTimeoutSeconds },
    });
    this.#busy = { hostnames: new Set(), untilSeconds: 0 };
    this.#ports = crashSites.reduce<Ports>(
      (ports, site) => interposed(ports, site, (call) => this.#mayDie(site, call)),
      { ...this.world.ports, cycleCloudFor: () => this.#watched() },
    );
  }

  arm(point: CrashPoint): void {
    this.#armed = point;
  }

  disarm(): void {
    this.#armed = undefined;
    this.world.cycleCloud.fault = undefined;
  }

  /** A job starts on a node that is up and takes jobs, and nobody is told. */
  start(): void {
    const free = this.#upHostnames.find(
      (hostname) => this.source.takesJobs(hostname) && !this.#busy.hostnames.has(hostname),
    );
    if (free !== undefined) this.#untold.add(free);
  }

  get #upHostnames(): readonly string[] {
    return this.world.cycleCloud.nodes.flatMap(({ status, targetState, hostname }) =>
      status === "Ready" && targetState === "Started" && hostname !== null ? [hostname] : [],
    );
  }

  /** The scheduler wants `count` nodes and runs on `running` of those that are up, and where jobs have started since. */
  async post(count: number, running: number): Promise<void> {
    const { world } = this;
    const up = this.#upHostnames;
    const started = up.filter((hostname) => this.#untold.has(hostname));
    const others = up.filter((hostname) => this.#mayRun(hostname) && !this.#untold.has(hostname));
    const hostnames = [
      ...started,
      ...others.slice(0, Math.max(0, Math.min(count, running) - started.length)),
    ];
    const needed = Math.max(count, hostnames.length);
    const nodes = this.#canDrain ? { capabilities: ["drain"], nodes: this.source.report(hostnames) } : {};
    this.#sequence += 1;
    this.mostNeeded = Math.max(this.mostNeeded, needed);
    const body = {
      version: 1,
      kind: "snapshot",
      cluster,
      source: "celery",
      sequence: this.#sequence,
      sentAt: new Date(world.now() * 1000).toISOString(),
      jobs: needed === 0 ? [] : [jobFor(needed, { executingHostnames: hostnames })],
      ...nodes,
    };
    const raw = { body, messageId: `message-${this.#sequence}`, queue: "job-demand" };
    await this.#attempt(() => receiveDemand(this.#ports, raw).then(() => undefined));
    await receiveDemand(this.world.ports, raw);
    this.#busy = { hostnames: new Set(hostnames), untilSeconds: world.now() + 300 };
    this.#untold = new Set();
    this.#listed = new Set(this.#canDrain ? up : []);
  }

  /** What runs already goes on where no more may start. */
  #mayRun(hostname: string): boolean {
    return this.#busy.hostnames.has(hostname) || this.source.takesJobs(hostname);
  }

  async snapshot(): Promise<void> {
    await this.#attempt(() => snapshotCluster(this.#ports, cluster));
  }

  /** A reading whose answer is on its way for as long as the next one of these takes to come. */
  async slowSnapshot(): Promise<void> {
    const before = this.#slow;
    this.#slow = undefined;
    before?.release();
    await before?.done;
    const { promise, resolve } = Promise.withResolvers<void>();
    const reading = await this.world.cycleCloud.readCluster().catch(() => undefined);
    if (reading === undefined) return;
    const takenAtSeconds = this.world.now();
    let asked = 0;
    const ports: Ports = {
      ...this.#ports,
      // It looked at the clock before it asked.
      clock: { nowSeconds: () => (asked++ === 0 ? takenAtSeconds : this.world.now()) },
      cycleCloudFor: () => ({ ...this.#watched(), readCluster: () => promise.then(() => reading) }),
    };
    const done = this.#attempt(() => snapshotCluster(ports, cluster)).then(() => undefined);
    this.#slow = { release: resolve, done };
  }

  /** Runs the plans that are due; something may happen elsewhere just before one of their calls. */
  async plan(meanwhile?: Meanwhile): Promise<void> {
    const due = this.world.ports.planRequests.takeDue(this.world.now()).map(({ request }) => request);
    this.#plans = [...this.#plans, ...due];
    const ports =
      meanwhile === undefined
        ? this.#ports
        : interposed(this.#ports, meanwhile.before, async (call) => {
            await meanwhile.happens();
            return call();
          });
    while (this.#plans[0] !== undefined) {
      const [request] = this.#plans;
      if (!(await this.#attempt(() => planScale(ports, request).then(() => undefined)))) return;
      this.#plans = this.#plans.slice(1);
    }
  }

  /** Carries out one action; `isLost`: it is given up instead, as after too many deliveries. */
  async execute({ isLost = false } = {}): Promise<boolean> {
    const next = this.#actions[0] ?? this.world.ports.scaleActions.take(this.world.now());
    if (next === undefined) return false;
    this.#actions = [next];
    if (isLost || (await this.#attempt(() => executeAction(this.#ports, next).then(() => undefined))))
      this.#actions = [];
    return true;
  }

  /** Nobody needs the nodes for so long that a plan asks them to go. */
  async idle(): Promise<void> {
    await this.post(0, 0);
    for (const seconds of [1, 301]) {
      await this.snapshot();
      this.world.advance(seconds);
      await this.plan();
    }
    await this.snapshot();
    this.world.advance(1);
    await this.plan();
  }

  /** A round without any trouble, and two minutes. The scheduler starts what it can. */
  async calmRound(needed: number | undefined, running = needed): Promise<void> {
    this.disarm();
    this.source.hear();
    if (needed !== undefined) await this.post(needed, running ?? needed);
    await this.snapshot();
    this.world.advance(1);
    await this.plan();
    while (await this.execute());
    this.world.cycleCloud.settle();
    this.world.advance(119);
  }

  /** False when the run died or CycleCloud did not answer: it is tried again later. */
  async #attempt(run: () => Promise<void>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      if (error instanceof StaleSnapshotError) return true;
      if (error instanceof Crash || error instanceof UpstreamError) return false;
      throw error;
    }
  }

  async #mayDie(site: Pick<CrashPoint, "port" | "method">, call: () => Promise<unknown>): Promise<unknown> {
    const point = this.#armed;
    if (point === undefined || point.port !== site.port || point.method !== site.method) return call();
    this.#armed = undefined;
    if (point.when === "after") await call();
    throw new Crash(point);
  }

  #watched(): CycleCloud {
    const { cycleCloud } = this.world;
    return {
      ...cycleCloud,
      shutdownNodes: (request) => {
        const isBusy = (hostname: string | null) =>
          hostname !== null &&
          (this.#busy.hostnames.has(hostname) ||
            (this.#untold.has(hostname) && this.#listed.has(hostname))) &&
          this.world.now() < this.#busy.untilSeconds;
        const going = cycleCloud.nodes.filter((node) => request.nodeIds.includes(node.nodeId));
        const wronged = going.filter((node) => node.targetState === "Started" && isBusy(node.hostname));
        this.wronged.push(...wronged.map((node) => node.name));
        return cycleCloud.shutdownNodes(request);
      },
    };
  }
}
