import { randomUUID } from "node:crypto";
import { type DayPage, openBook } from "../../../shared/accounting/index.ts";
import type { NodeHistory } from "../../../shared/engine/index.ts";
import { ConfigurationError, kindOf } from "../../../shared/errors/errors.ts";
import type { AccountStore } from "../../../shared/ports/index.ts";
import { connectStorage, createAzureStores } from "../../../shared/stores/azure/index.ts";
import { monthOfPages } from "../accounts-month.ts";
import { clusterName } from "./busy-cluster.ts";

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;
const sampleSeconds = 60;

/** The service's own stores. */
export function storesOf(connectionString: string) {
  const { blob, table } = connectStorage({ connectionString });
  const parseConfig = () => Promise.reject(new ConfigurationError("it", ["not needed"]));
  return createAzureStores({ blob, table, parseConfig });
}

type Stores = ReturnType<typeof storesOf>;

/** Sizes, seconds that they boot, and one in how many fails. */
const sizes = [
  { nodeArray: "hpc", vmSize: "Standard_HB120rs_v3", boot: 420, failsOneIn: 40 },
  { nodeArray: "htc", vmSize: "Standard_F16s_v2", boot: 190, failsOneIn: 500 },
  { nodeArray: "spot", vmSize: "Standard_D16as_v5", boot: 170, failsOneIn: 100 },
  { nodeArray: "gpu", vmSize: "Standard_NC24ads_A100_v4", boot: 660, failsOneIn: 8 },
  { nodeArray: "mem", vmSize: "Standard_E16as_v5", boot: 210, failsOneIn: 200 },
] as const;

/** A week of nodes that came and went, a day of samples and the days of this month with what they cost: before the service starts to plan. */
export async function writePast(stores: Stores, nowSeconds: number): Promise<void> {
  await stores.history.save(clusterName, goneNodes(nowSeconds));
  for (let at = nowSeconds - daySeconds; at < nowSeconds - sampleSeconds; at += sampleSeconds)
    await stores.samples.add(clusterName, sampleAt(at));
  const days = new Date(nowSeconds * 1000).getUTCDate() - 1;
  const pages = monthOfPages({ untilSeconds: nowSeconds, days, nodes: 2_000, jobs: 9_000 });
  for (const page of pages) await stores.accounts.keep(clusterName, { hours: [], days: [page], jobs: [] });
  await openWithPast(stores.accounts, pages, nowSeconds);
}

/**
 * The record that the first snapshot opened knows nothing of those days. The service goes on taking snapshots, so its record may
 * change between reading and writing: then again.
 */
export async function openWithPast(
  accounts: Pick<AccountStore, "load" | "save">,
  pages: readonly DayPage[],
  nowSeconds: number,
): Promise<void> {
  const book = openBook({ takenAtSeconds: nowSeconds, nodes: [], jobs: [] }, { hours: [], days: pages });
  for (let triesLeft = 20; ; triesLeft -= 1)
    try {
      const opened = await accounts.load(clusterName);
      await accounts.save(clusterName, book, opened?.etag);
      return;
    } catch (error) {
      if (kindOf(error) !== "conflict" || triesLeft === 0) throw error;
    }
}

function goneNodes(nowSeconds: number): readonly NodeHistory[] {
  return sizes.flatMap(({ nodeArray, vmSize, boot, failsOneIn }) =>
    Array.from({ length: 120 }, (_, index): NodeHistory => {
      const createdSeconds = nowSeconds - 6 * daySeconds + index * hourSeconds;
      const hasFailed = (index + 1) % failsOneIn === 0;
      const readySeconds = hasFailed ? null : createdSeconds + boot + (index % 10) * 12;
      const endSeconds = createdSeconds + 3 * hourSeconds;
      return {
        nodeId: randomUUID(),
        name: `${nodeArray}-${9_000 + index}`,
        hostname: null,
        instanceId: null,
        nodeArray,
        vmSize,
        createdSeconds,
        readySeconds,
        lastMatchSeconds: endSeconds - 300,
        deletedSeconds: endSeconds,
        ...(hasFailed && {
          failure: {
            atSeconds: createdSeconds + boot,
            message: "Software Configuration: exit code 1 of the mount script",
          },
        }),
      };
    }),
  );
}

function sampleAt(atSeconds: number) {
  const wave = Math.round(200 * Math.sin(atSeconds / 9_000));
  return {
    atSeconds,
    nodes: { jobs: 1_900 + wave, idle: 220 - Math.round(wave / 2), boot: 40 },
    usdPerHour: 3_200 + wave,
    unpricedNodes: 0,
    runningJobs: 1_700 + wave,
    waitingJobs: 9_000,
  };
}

/**
 * Moves the lives of nodes that are there back in time, so that they look like those of a cluster at work: up for hours, and idle
 * for minutes. The simulator is far too fast for that.
 */
export async function ageNodes(stores: Stores, nowSeconds: number): Promise<void> {
  const bootOf = new Map(sizes.map(({ nodeArray, boot }) => [nodeArray as string, boot]));
  const rows = await stores.history.list(clusterName);
  const aged = rows
    .filter(({ deletedSeconds, readySeconds }) => deletedSeconds === null && readySeconds !== null)
    .map((row, index): NodeHistory => {
      const readySeconds = nowSeconds - (2 + (index % 40)) * hourSeconds;
      return {
        ...row,
        readySeconds,
        createdSeconds: readySeconds - (bootOf.get(row.nodeArray) ?? 200) - (index % 10) * 12,
        lastMatchSeconds: row.lastMatchSeconds === null ? null : nowSeconds - 300 - (index % 45) * 60,
      };
    });
  await stores.history.save(clusterName, aged);
}
