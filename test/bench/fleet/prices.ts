/** What was counted in some beats, each of which stands for a minute. */
export interface Counts {
  readonly executions: number;
  /** Seconds of instances, as they are billed. */
  readonly activeSeconds: number;
  /** Service Bus operations. */
  readonly messages: number;
  /** Writes and lists, which cost the same. */
  readonly blobWrites: number;
  readonly blobReads: number;
  readonly tableCalls: number;
  readonly queueCalls: number;
}

const hoursPerMonth = 730;
const minutesPerHour = 60;
/** An instance that is awake asks the demand queue and its poison queue at most every two seconds (host.json). */
const pollsPerAwakeMinute = 60;

/** USD, pay as you go, list prices of the United States as they were collected for this project in November 2026. */
const prices = {
  execution: { free: 250_000, perMillion: 0.4 },
  gigabyteSecond: { free: 100_000, each: 0.000026 },
  alwaysReady: { baseline: 0.000004, executing: 0.000016 },
  /** A base price with operations, from memory: check it in the calculator. */
  serviceBus: { base: 10, free: 13_000_000, perMillion: 0.8 },
  /** Hot tier, locally redundant, per 10,000; from memory: check them in the calculator. */
  storage: { blobWrite: 0.05, blobRead: 0.004, table: 0.00036, queue: 0.004 },
} as const;

/** Requests of a storage account, as `PUT /account/…`, by what they cost. Polls of the demand queue are left out: they are counted by the time that an instance is awake. */
export function countCalls(
  calls: readonly string[],
): Pick<Counts, "blobWrites" | "blobReads" | "tableCalls" | "queueCalls"> {
  const counts = { blobWrites: 0, blobReads: 0, tableCalls: 0, queueCalls: 0 };
  for (const call of calls) {
    const [method = "", path = ""] = call.split(" ");
    if (/\/job-demand(-poison)?\/messages\?/.test(path) && method === "GET") continue;
    if (/\/messages/.test(path)) counts.queueCalls += 1;
    // Tables of ours have a capital, which no container may have.
    else if (/^\/\w+\/[A-Z$]/.test(path)) counts.tableCalls += 1;
    else if (method === "PUT" || /comp=list/.test(path)) counts.blobWrites += 1;
    else counts.blobReads += 1;
  }
  return counts;
}

/** The same in an hour. */
export function hourly(counts: Counts, beats: number): Counts {
  const scale = minutesPerHour / beats;
  const scaled = Object.entries(counts).map(([what, count]) => [what, count * scale]);
  return Object.fromEntries(scaled) as Record<keyof Counts, number>;
}

/** The same in a month, around the clock. Where demand is posted every minute an instance is awake to poll for it. */
export function monthOf(hour: Counts): Counts {
  const month = Object.entries(hour).map(([what, count]) => [what, count * hoursPerMonth]);
  const counts = Object.fromEntries(month) as Record<keyof Counts, number>;
  const polls = hour.queueCalls === 0 ? 0 : pollsPerAwakeMinute * minutesPerHour * hoursPerMonth;
  return { ...counts, queueCalls: counts.queueCalls + polls };
}

/** What a deployment with so many equal clusters does in a month; polls, which `monthOf` adds, are made once. */
export function monthOfFleet(
  { once, cluster }: { readonly once: Counts; readonly cluster: Counts },
  clusters: number,
): Counts {
  const sums = Object.entries(cluster).map(([what, count]) => [
    what,
    count * clusters + once[what as keyof Counts],
  ]);
  return monthOf(Object.fromEntries(sums) as Record<keyof Counts, number>);
}

export interface Bill {
  readonly functionsUsd: number;
  readonly serviceBusUsd: number;
  readonly storageUsd: number;
  /** Of that. */
  readonly blobWritesUsd: number;
}

/** What a month costs. `alwaysReady` is a number of instances; work on them is cheaper, and nothing of it is free. */
export function billOf(
  month: Counts,
  { memoryMb, alwaysReady }: { readonly memoryMb: number; readonly alwaysReady: number },
): Bill {
  const gigabytes = memoryMb / 1024;
  const { execution, gigabyteSecond, serviceBus, storage } = prices;
  const gigabyteSeconds = month.activeSeconds * gigabytes;
  const onDemand =
    (Math.max(0, month.executions - execution.free) / 1e6) * execution.perMillion +
    Math.max(0, gigabyteSeconds - gigabyteSecond.free) * gigabyteSecond.each;
  const monthSeconds = hoursPerMonth * 3600;
  const ready =
    alwaysReady * gigabytes * monthSeconds * prices.alwaysReady.baseline +
    gigabyteSeconds * prices.alwaysReady.executing +
    (month.executions / 1e6) * execution.perMillion;
  return {
    functionsUsd: alwaysReady === 0 ? onDemand : ready,
    serviceBusUsd:
      serviceBus.base + (Math.max(0, month.messages - serviceBus.free) / 1e6) * serviceBus.perMillion,
    storageUsd:
      (month.blobWrites * storage.blobWrite +
        month.blobReads * storage.blobRead +
        month.tableCalls * storage.table +
        month.queueCalls * storage.queue) /
      10_000,
    blobWritesUsd: (month.blobWrites * storage.blobWrite) / 10_000,
  };
}
