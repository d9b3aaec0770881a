import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../../shared/errors/errors.ts";
import type { LocalStack, NodeRecord } from "../local-stack.ts";
import type { Network } from "./network.ts";

const pollMilliseconds = 400;

export interface Followed {
  /** Nodes whose machine is on, by the machine's host name. */
  readonly machines: ReadonlyMap<string, NodeRecord>;
  /** What went wrong, for a test to compare with nothing. */
  readonly problems: readonly string[];
  /** No machine is switched on or off from now on. */
  stop(): Promise<void>;
}

/**
 * Machines do what CycleCloud's nodes do: one is switched on when its node is Ready, under the host name and the address
 * that CycleCloud reports, and switched off when the node is told to go. `boot` starts what runs on it.
 */
export function followCycleCloud(
  stack: Pick<LocalStack, "nodes">,
  network: Network,
  boot: (node: NodeRecord, host: string, address: string) => Promise<void>,
): Followed {
  const machines = new Map<string, NodeRecord>();
  const problems: string[] = [];
  let isOver = false;
  const look = async () => {
    // A list that a busy machine did not give in time is read again at the next look.
    const nodes = await stack.nodes().catch(() => undefined);
    if (nodes === undefined) return;
    const ready = nodes.filter(({ Status }) => Status === "Ready");
    const ids = new Set(ready.map(({ NodeId }) => NodeId));
    for (const [host, { NodeId }] of machines) {
      if (ids.has(NodeId)) continue;
      machines.delete(host);
      network.switchOff(host);
    }
    for (const node of ready) {
      const { Hostname: host, PrivateIp: address } = node;
      if (isOver || host === undefined || address === undefined || machines.has(host)) continue;
      machines.set(host, node);
      await boot(node, host, address);
    }
  };
  const run = async () => {
    while (!isOver) {
      await look().catch((error: unknown) => problems.push(messageOf(error)));
      await sleep(pollMilliseconds);
    }
  };
  const loop = run();
  return {
    machines,
    problems,
    stop: async () => {
      isOver = true;
      await loop;
    },
  };
}
