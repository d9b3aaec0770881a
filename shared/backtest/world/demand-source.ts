import type { DemandJob, DemandMessage, DemandNode, SchedulerEvent } from "../../messages/index.ts";
import { Drains } from "../queue/drains.ts";

const sourceName = "backtest";

/** A time to live that never ends: heartbeats change no plan, so none is sent. */
const ttlSeconds = 10 * 365 * 86_400;

/**
 * The messages of the agent beside the scheduler: what changed since the last one. As the agent does, it lists each host with
 * whether it takes jobs, and sends everything anew when a host is gone, which a delta cannot say.
 */
export class DemandSource {
  readonly #cluster: string;
  readonly #isBusy: (hostname: string) => boolean;
  /** All that wait or run, in the order of the queue. */
  readonly #jobs = new Map<string, DemandJob>();
  readonly #changed = new Map<string, DemandJob>();
  readonly #removed = new Set<string>();
  readonly #hosts = new Set<string>();
  readonly #drains = new Drains();
  readonly #changedHosts = new Set<string>();
  #lostHost = false;
  #hasAnswer = false;
  #sequence = 0;
  #namesJobs = false;

  constructor(cluster: string, isBusy: (hostname: string) => boolean) {
    this.#cluster = cluster;
    this.#isBusy = isBusy;
  }

  get hasNews(): boolean {
    const changes = this.#changed.size + this.#removed.size + this.#changedHosts.size;
    return this.#sequence === 0 || this.#lostHost || changes > 0;
  }

  /** Whether the service waits for what is new: it asked for a drain, or took one back. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** Whether its users give names to jobs, by which run times are learned. */
  get namesJobs(): boolean {
    return this.#namesJobs;
  }

  change(job: DemandJob): void {
    this.#namesJobs ||= job.jobName !== undefined;
    this.#removed.delete(job.name);
    this.#jobs.set(job.name, job);
    this.#changed.set(job.name, job);
  }

  remove(name: string): void {
    this.#jobs.delete(name);
    this.#changed.delete(name);
    this.#removed.add(name);
  }

  joined(hostname: string): void {
    this.#hosts.add(hostname);
    this.#changedHosts.add(hostname);
  }

  left(hostname: string): void {
    this.#lostHost = this.#hosts.delete(hostname) || this.#lostHost;
    this.#drains.forget(hostname);
    this.#changedHosts.delete(hostname);
  }

  /** Something began or ended there. A host that drains is drained when nothing runs there any more; true: that is news. */
  used(hostname: string): boolean {
    return this.#drains.isOut(hostname) && this.#answer(hostname);
  }

  /** Follows an event about hosts that are there; returns those that are to take no jobs any more, or to take jobs again. */
  obey(event: SchedulerEvent): readonly { hostname: string; isOut: boolean }[] {
    const hostnames = this.#drains.obey(event, (hostname) => this.#hosts.has(hostname));
    for (const hostname of hostnames) this.#answer(hostname);
    return hostnames.map((hostname) => ({ hostname, isOut: this.#drains.isOut(hostname) }));
  }

  message(nowSeconds: number): DemandMessage {
    this.#sequence += 1;
    const isWhole = this.#sequence === 1 || this.#lostHost;
    const jobs = [...(isWhole ? this.#jobs : this.#changed).values()];
    const nodes = [...(isWhole ? this.#hosts : this.#changedHosts)].map((host) => this.#toNode(host));
    const remove = [...this.#removed];
    this.#changed.clear();
    this.#removed.clear();
    this.#changedHosts.clear();
    this.#lostHost = false;
    this.#hasAnswer = false;
    const envelope = {
      ...({ version: 1, cluster: this.#cluster, source: sourceName, sequence: this.#sequence } as const),
      ttlSeconds,
      sentAt: new Date(nowSeconds * 1_000).toISOString(),
    };
    return isWhole
      ? { ...envelope, kind: "snapshot", jobs, nodes, capabilities: ["drain"] }
      : { ...envelope, kind: "delta", jobs, nodes, remove };
  }

  #answer(hostname: string): true {
    this.#changedHosts.add(hostname);
    this.#hasAnswer = true;
    return true;
  }

  #toNode(hostname: string): DemandNode {
    return { hostname, resources: {}, ...this.#drains.stateOf(hostname, { isBusy: this.#isBusy(hostname) }) };
  }
}
