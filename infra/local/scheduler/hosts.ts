import type { Need } from "./workload.ts";

/** A node that joined the scheduler: Ready, and with a hostname. */
export interface Host {
  readonly hostname: string;
  readonly nodeArray: string;
  readonly placementGroup: string | null;
  readonly ncpus: number;
  readonly memoryGiB: number;
  readonly ngpus: number;
}

interface Use {
  tasks: number;
  ncpus: number;
  memoryGiB: number;
  ngpus: number;
  exclusive: boolean;
}

/** Who uses what of which host: the scheduler's own accounts. */
export class HostUse {
  readonly #hosts = new Map<string, Host>();
  readonly #use = new Map<string, Use>();

  /** Takes note of the hosts that are there now; returns the names of those that are gone. */
  update(hosts: readonly Host[]): readonly string[] {
    const present = new Set(hosts.map((host) => host.hostname));
    const gone = [...this.#hosts.keys()].filter((hostname) => !present.has(hostname));
    for (const hostname of gone) this.#forget(hostname);
    for (const host of hosts) this.#hosts.set(host.hostname, host);
    return gone;
  }

  get hosts(): readonly Host[] {
    return [...this.#hosts.values()];
  }

  /** How many tasks with this need fit the host now. */
  room(host: Host, need: Need): number {
    if (need.nodeArrays.length > 0 && !need.nodeArrays.includes(host.nodeArray)) return 0;
    const use = this.#use.get(host.hostname);
    if (use?.exclusive || (need.exclusive && use !== undefined)) return 0;
    const rooms = [
      quotient(host.ncpus - (use?.ncpus ?? 0), need.ncpus),
      quotient(host.memoryGiB - (use?.memoryGiB ?? 0), need.memoryGiB),
      quotient(host.ngpus - (use?.ngpus ?? 0), need.ngpus),
    ];
    const room = Math.max(0, Math.floor(Math.min(...rooms)));
    return need.exclusive ? Math.min(1, room) : room;
  }

  take(hostname: string, need: Need): void {
    const use = this.#use.get(hostname) ?? {
      tasks: 0,
      ncpus: 0,
      memoryGiB: 0,
      ngpus: 0,
      exclusive: false,
    };
    use.tasks += 1;
    use.ncpus += need.ncpus;
    use.memoryGiB += need.memoryGiB;
    use.ngpus += need.ngpus;
    use.exclusive ||= need.exclusive;
    this.#use.set(hostname, use);
  }

  give(hostname: string, need: Need): void {
    const use = this.#use.get(hostname);
    if (use === undefined) return;
    use.tasks -= 1;
    use.ncpus -= need.ncpus;
    use.memoryGiB -= need.memoryGiB;
    use.ngpus -= need.ngpus;
    if (use.tasks === 0) this.#use.delete(hostname);
  }

  #forget(hostname: string): void {
    this.#use.delete(hostname);
    this.#hosts.delete(hostname);
  }
}

function quotient(left: number, need: number): number {
  // Memory figures carry rounding; a thousandth of a GiB is no reason to refuse.
  return need === 0 ? Number.POSITIVE_INFINITY : (left + 1e-3) / need;
}
