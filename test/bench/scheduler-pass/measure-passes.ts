/** Passes of the agent with a driver whose programs are run, and what they take. */
import type { DriverKind, Read } from "../../../clients/agent/drivers/driver.ts";
import type { TakenEvent } from "../../../clients/agent/event-queue.ts";
import { execute } from "../../../clients/agent/execute.ts";
import { Outbox } from "../../../clients/agent/outbox.ts";
import { type PassPorts, type PassReport, runPass } from "../../../clients/agent/pass.ts";
import { StateFolder } from "../../../clients/agent/state.ts";
import { jobDemandQueue } from "../../../shared/app/names.ts";
import { sendDemand } from "../../../shared/queues/storage-queue/index.ts";
import { connectStorage } from "../../../shared/stores/azure/index.ts";

const cluster = "hpc";
const timeoutSeconds = 600;

export interface Pass {
  readonly wallSeconds: number;
  /** Of the agent, without the programs that it runs. */
  readonly cpuSeconds: number;
  /** As long as programs run. */
  readonly waitedSeconds: number;
  readonly bytes: number;
  readonly commands: number;
  readonly report: PassReport;
}

/** An agent that has its state in a folder and posts to storage. Each call is one pass. */
export async function passesOf(
  { kind, section }: { readonly kind: DriverKind; readonly section: Readonly<Record<string, unknown>> },
  folder: string,
  connectionString: string,
): Promise<(events?: readonly TakenEvent["event"][]) => Promise<Pass>> {
  const configured = kind.configure(section);
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const storage = connectStorage({ connectionString });
  const queue = storage.queue.getQueueClient(jobDemandQueue);
  await queue.createIfNotExists();
  const source = kind.name;
  const stateFolder = new StateFolder(folder, { cluster, source });
  const outbox = new Outbox(
    {
      cluster,
      source,
      sender: "bench",
      ttlSeconds: 3600,
      destination: { queue, uploads: storage.blob },
      folder: stateFolder,
      send: sendDemand,
    },
    0,
  );
  let { state } = await stateFolder.load();
  return async (events = []) => {
    let [bytes, commands, running, waitedSeconds] = [0, 0, 0, 0];
    let since = 0;
    const run: typeof execute = async ({ sink, ...command }, seconds) => {
      commands += 1;
      running += 1;
      if (running === 1) since = performance.now();
      try {
        const counting = sink && {
          begin: () => sink.begin(),
          take: (part: Uint8Array) => {
            bytes += part.length;
            sink.take(part);
          },
        };
        const answer = await execute(counting ? { ...command, sink: counting } : command, seconds);
        bytes += answer.text.length;
        return answer;
      } finally {
        running -= 1;
        if (running === 0) waitedSeconds += (performance.now() - since) / 1000;
      }
    };
    const ports: PassPorts = {
      driver: configured.driver,
      nowSeconds: () => Date.now() / 1000,
      read: async (read: Read) => {
        if (read.kind !== "command") throw new Error(`Cannot read "${read.name}": expected a command`);
        return run(read, timeoutSeconds);
      },
      run: (command) => run(command, timeoutSeconds),
      takeEvents: async () => ({
        events: events.map((event) => ({ event, isLastTry: false, done: async () => undefined })),
        refusals: [],
        problems: [],
      }),
      post: (demand, now) => outbox.post(demand, now),
      postKept: (now) => outbox.postKept(now),
      startOver: () => outbox.startOver(),
      save: (next) => stateFolder.save(next),
    };
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const { state: after, report } = await runPass(state, ports);
    const { user, system } = process.cpuUsage(cpu);
    state = after;
    const wallSeconds = (performance.now() - began) / 1000;
    return { wallSeconds, cpuSeconds: (user + system) / 1e6, waitedSeconds, bytes, commands, report };
  };
}

/** Throws where a pass did not what it should, because its figures would mean nothing. */
export function checked(pass: Pass, isSo: (report: PassReport) => boolean): Pass {
  const { reading, demand, posted, ...rest } = pass.report;
  if (reading.known && posted?.outcome === "sent" && isSo(pass.report)) return pass;
  const counts = { jobs: demand?.jobs.length, nodes: demand?.nodes.length, posted };
  const why = reading.known ? undefined : reading.reason;
  throw new Error(`Cannot believe the pass: ${JSON.stringify({ why, ...counts, ...rest }).slice(0, 2_000)}`);
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
