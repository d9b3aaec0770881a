import type { SwfJob } from "../../../shared/backtest/index.ts";
import { type ClusterNode, type Job, type PlacementPolicy, plan } from "../../../shared/engine/index.ts";
import { jobOf } from "./backlog.ts";
import { inputOf, type MarketSize, marketOf, region } from "./market.ts";

/** How a replay buys and what the planner is told. */
export interface ReplayTerms {
  readonly placement: PlacementPolicy;
  readonly sizes: readonly MarketSize[];
  /** What the planner knows about a job's run time; null: nothing. */
  readonly runtimeOf: (job: SwfJob) => number | null;
  /** Which of the nodes with room the scheduler takes. */
  readonly dispatch: "first" | "fullest";
}

export interface ReplayResult {
  readonly usd: number;
  readonly nodes: number;
  readonly meanWaitSeconds: number;
  readonly plans: number;
}

const bootSeconds = 240;
const idleSeconds = 300;
/** Between a submission and the plan for it. */
const planAfterSeconds = 10;

interface Task {
  readonly job: Waiting;
  readonly node: ReplayNode;
}

interface Waiting {
  readonly trace: SwfJob;
  readonly job: Job;
  readonly submitSeconds: number;
  left: number;
  started: number;
  readonly hosts: string[];
}

interface ReplayNode {
  readonly name: string;
  readonly size: MarketSize;
  readonly madeSeconds: number;
  cpusLeft: number;
  memoryLeft: number;
  tasks: number;
  /** Counts how often it became idle: an older timer means nothing. */
  idleRound: number;
  isReady: boolean;
}

type Happening =
  | { readonly kind: "submit"; readonly trace: SwfJob }
  | { readonly kind: "end"; readonly task: Task }
  | { readonly kind: "ready"; readonly node: ReplayNode }
  | { readonly kind: "idle"; readonly node: ReplayNode; readonly round: number }
  | { readonly kind: "plan" };

/** Lives through a trace: jobs start on the first node with room, and what waits is planned. */
export function replay(trace: readonly SwfJob[], terms: ReplayTerms): ReplayResult {
  return new Replay(terms).run(trace);
}

class Replay {
  readonly #terms: ReplayTerms;
  readonly #sizes: ReadonlyMap<string, MarketSize>;
  readonly #events = new EventQueue();
  readonly #nodes = new Set<ReplayNode>();
  readonly #waiting = new Set<Waiting>();
  readonly #running = new Set<Waiting>();
  #now = 0;
  #planAt = -1;
  #usd = 0;
  #made = 0;
  #plans = 0;
  #waited = 0;

  constructor(terms: ReplayTerms) {
    this.#terms = terms;
    this.#sizes = new Map(terms.sizes.map((size) => [size.vmSize, size]));
  }

  run(trace: readonly SwfJob[]): ReplayResult {
    for (const each of trace) this.#events.add(each.submitSeconds, { kind: "submit", trace: each });
    for (let next = this.#events.next(); next !== undefined; next = this.#events.next()) {
      this.#now = next.atSeconds;
      this.#live(next.event);
    }
    if (this.#waiting.size > 0) throw new Error(`${this.#waiting.size} jobs never started`);
    const slots = trace.reduce((sum, { nodes }) => sum + nodes, 0);
    return { usd: this.#usd, nodes: this.#made, meanWaitSeconds: this.#waited / slots, plans: this.#plans };
  }

  #live(event: Happening): void {
    switch (event.kind) {
      case "submit":
        this.#submit(event.trace);
        return;
      case "end":
        this.#end(event.task);
        return;
      case "ready":
        event.node.isReady = true;
        this.#dispatch();
        this.#whenIdle(event.node);
        return;
      case "idle":
        if (event.node.tasks === 0 && event.node.idleRound === event.round) this.#delete(event.node);
        return;
      case "plan":
        this.#plan();
        return;
    }
    event satisfies never;
  }

  #submit(trace: SwfJob): void {
    const { name, ncpus, memoryGiB, nodes: slots } = trace;
    const job = {
      ...jobOf({ name, ncpus, memoryGiB, slots }),
      runtimeSeconds: this.#terms.runtimeOf(trace),
    };
    this.#waiting.add({ trace, job, submitSeconds: this.#now, left: slots, started: 0, hosts: [] });
    this.#dispatch();
    if (this.#waiting.size > 0 && this.#planAt < this.#now) {
      this.#planAt = this.#now + planAfterSeconds;
      this.#events.add(this.#planAt, { kind: "plan" });
    }
  }

  #end({ job, node }: Task): void {
    node.cpusLeft += job.trace.ncpus;
    node.memoryLeft += job.trace.memoryGiB;
    node.tasks--;
    job.left--;
    job.hosts.splice(job.hosts.indexOf(node.name), 1);
    if (job.left === 0) this.#running.delete(job);
    this.#dispatch();
    this.#whenIdle(node);
  }

  #dispatch(): void {
    for (const job of this.#waiting) {
      while (job.started < job.trace.nodes) {
        const node = this.#nodeFor(job.trace);
        if (node === undefined) break;
        this.#start(job, node);
      }
      if (job.started === job.trace.nodes) this.#waiting.delete(job);
    }
  }

  #nodeFor({ ncpus, memoryGiB }: SwfJob): ReplayNode | undefined {
    let best: ReplayNode | undefined;
    for (const node of this.#nodes) {
      if (!node.isReady || node.cpusLeft < ncpus || node.memoryLeft < memoryGiB - 1e-9) continue;
      if (this.#terms.dispatch === "first") return node;
      if (best === undefined || node.cpusLeft < best.cpusLeft) best = node;
    }
    return best;
  }

  #start(job: Waiting, node: ReplayNode): void {
    node.cpusLeft -= job.trace.ncpus;
    node.memoryLeft -= job.trace.memoryGiB;
    node.tasks++;
    job.started++;
    job.hosts.push(node.name);
    this.#running.add(job);
    this.#waited += this.#now - job.submitSeconds;
    this.#events.add(this.#now + job.trace.runSeconds, { kind: "end", task: { job, node } });
  }

  #whenIdle(node: ReplayNode): void {
    if (node.tasks > 0) return;
    node.idleRound++;
    this.#events.add(this.#now + idleSeconds, { kind: "idle", node, round: node.idleRound });
  }

  #delete(node: ReplayNode): void {
    this.#usd += (node.size.price * (this.#now - node.madeSeconds)) / 3600;
    this.#nodes.delete(node);
  }

  #plan(): void {
    if (this.#waiting.size === 0) return;
    const { sizes, placement } = this.#terms;
    this.#plans++;
    const jobs = [...new Set([...this.#running, ...this.#waiting])].map((each) => ({
      ...each.job,
      iterations: each.hosts.length + (each.trace.nodes - each.started),
      executingHostnames: [...each.hosts],
    }));
    const nodes = [...this.#nodes].map(toClusterNode);
    const { create } = plan(inputOf({ ...marketOf(sizes), nodes }, jobs, placement));
    for (const { vmSize, count } of create)
      for (let k = 0; k < count; k++) this.#create(this.#sizes.get(vmSize) as MarketSize);
  }

  #create(size: MarketSize): void {
    this.#made++;
    const node = {
      name: `n-${this.#made}`,
      size,
      madeSeconds: this.#now,
      isReady: false,
      cpusLeft: size.vcpus,
      memoryLeft: size.memoryGiB,
      tasks: 0,
      idleRound: 0,
    };
    this.#nodes.add(node);
    this.#events.add(this.#now + bootSeconds, { kind: "ready", node });
  }
}

function toClusterNode({ name, size, isReady }: ReplayNode): ClusterNode {
  return {
    nodeId: name,
    name,
    nodeArray: "htc",
    vmSize: size.vmSize,
    placementGroup: null,
    hostname: name,
    fqdn: null,
    privateIp: null,
    instanceId: name,
    status: isReady ? "Ready" : "Preparing",
    targetState: "Started",
    location: region,
    spot: false,
    keepAlive: false,
    resources: {},
    softwareConfiguration: {},
  };
}

interface Event {
  readonly atSeconds: number;
  readonly order: number;
  readonly event: Happening;
}

/** What happens next, ties in the order in which they were added (a binary heap). */
class EventQueue {
  readonly #heap: Event[] = [];
  #count = 0;

  add(atSeconds: number, event: Happening): void {
    const heap = this.#heap;
    const made: Event = { atSeconds, order: this.#count++, event };
    let at = heap.push(made) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(made, heap[parent] as Event)) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = made;
  }

  next(): Event | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = child + 1;
      const least =
        right < heap.length && isBefore(heap[right] as Event, heap[child] as Event) ? right : child;
      if (!isBefore(heap[least] as Event, last)) break;
      heap[at] = heap[least] as Event;
      at = least;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atSeconds < b.atSeconds || (a.atSeconds === b.atSeconds && a.order < b.order);
}
