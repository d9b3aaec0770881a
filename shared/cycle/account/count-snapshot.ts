import type { Book } from "../../accounting/index.ts";
import type { AccountStore, ClusterConfig, Ports, Snapshot, Spending } from "../../ports/index.ts";
import { budgetsOf, countedBudgets } from "./budgets.ts";
import { countTime, keepAccounts } from "./keep-accounts.ts";
import { keepSample } from "./keep-sample.ts";
import { type SightSources, seeCluster } from "./see-cluster.ts";
import { spendingOf } from "./spending.ts";

type CountPorts = Pick<Ports, "ids" | "log" | "samples"> & {
  /**
   * Null: neither costs nor curves are needed, and they are not computed. Never null for a cluster with budgets, whose plans
   * depend on them.
   */
  readonly accounts: AccountStore | null;
};

/** What is spent when a snapshot is taken. */
export interface Count {
  readonly spending: Spending;
  /** Names of the jobs that ran on a node when it was seen last. Undefined: not known. */
  readonly jobsBefore: (nodeId: string) => readonly string[] | undefined;
  /** Saves the accounts and the point of the curves. Comes last: scaling waits for neither. */
  readonly keep: () => Promise<void>;
}

/** Counts what nodes cost since the snapshot before. Writes nothing until it is kept. */
export async function countSnapshot(
  ports: CountPorts,
  {
    config,
    before,
    ...sources
  }: SightSources & { readonly config: ClusterConfig; readonly before: Snapshot | undefined },
): Promise<Count> {
  const { accounts } = ports;
  if (accounts === null)
    return {
      spending: uncounted(config, sources.takenAtSeconds),
      jobsBefore: () => undefined,
      keep: async () => {},
    };
  const { cluster } = config;
  const keeping = { ...ports, accounts };
  const sight = seeCluster(sources);
  const counted = await countTime(keeping, cluster, {
    sight,
    before,
    hasNodes: sources.cluster.nodes.length > 0,
  });
  return {
    spending: spendingOf(counted, before, countedBudgets(ports, config)),
    jobsBefore: (nodeId) => (counted.ok ? jobsOn(counted.stored?.value, nodeId) : undefined),
    keep: async () => {
      await keepAccounts(keeping, cluster, counted);
      await keepSample(ports, cluster, { sight, demand: sources.demand, cluster: sources.cluster });
    },
  };
}

function jobsOn(book: Book | undefined, nodeId: string): readonly string[] | undefined {
  const node = book?.nodes.find((each) => each.nodeId === nodeId);
  if (book === undefined || node === undefined) return undefined;
  const keys = new Set(node.jobs.map(({ key }) => key));
  return keys.size === 0 ? [] : book.running.filter(({ key }) => keys.has(key)).map(({ name }) => name);
}

/** Spending without sums. */
function uncounted({ cluster, cycle }: ClusterConfig, asOfSeconds: number): Spending {
  if (budgetsOf(cycle).length > 0)
    throw new TypeError(`Cannot take a snapshot of "${cluster}": it has budgets, and no accounts are kept`);
  const nothing = { hourUsd: 0, dayUsd: 0, monthUsd: 0, usdPerHour: 0, forecastUsd: 0 };
  return {
    asOfSeconds,
    reckonedSinceSeconds: asOfSeconds,
    total: { ...nothing, unpricedNodes: 0, unpricedNodeHours: 0 },
    nodeArrays: [],
    budgets: [],
    lastDay: null,
  };
}
