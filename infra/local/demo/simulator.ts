import { z } from "zod";
import { type Orders, ordersSchema, type SchedulerReport } from "../scheduler/orders.ts";

const timeSchema = z.object({ nowSeconds: z.number() });
/** What the CycleCloud simulator kept account of; times in simulated seconds. */
const ledgerSchema = z.object({
  created: z.number(),
  nodes: z.array(
    z.object({
      nodeId: z.string(),
      name: z.string(),
      requestId: z.string().nullable(),
      createdAt: z.number(),
      readyAt: z.number().nullable(),
      terminatingAt: z.number().nullable(),
      terminatedAt: z.number().nullable(),
    }),
  ),
});
export type Ledger = z.output<typeof ledgerSchema>;

const callsSchema = z.object({
  calls: z.array(
    z.object({ at: z.number(), method: z.string(), path: z.string(), status: z.number().nullable() }),
  ),
});

/** One call that the simulator answered; real Unix seconds. */
export interface CreateCall {
  readonly atSeconds: number;
}

/** The control panel of the CycleCloud simulator, as seen from another process. */
export interface SimulatorControl {
  /** The simulated clock, in seconds since 1970, without asking again. */
  simulatedSeconds(): number;
  ledger(cluster: string): Promise<Ledger>;
  /** Create calls that were accepted, in real time. */
  creates(cluster: string): Promise<readonly CreateCall[]>;
  /** Gives a command, such as `kill`, with what it takes (see infra/local/cyclecloud/README.md). */
  tell(command: string, input: object): Promise<void>;
  /** Reports for the scheduler of a cluster, and gives what it is asked to do. */
  takeOrders(cluster: string, report: SchedulerReport): Promise<Orders>;
}

export async function connectControl(url: string, speed: number): Promise<SimulatorControl> {
  const get = async <T>(path: string, schema: z.ZodType<T>): Promise<T> => {
    const response = await fetch(`${url}/_control${path}`);
    if (!response.ok) throw new Error(`Cannot read "${path}" of the simulator: HTTP ${response.status}`);
    return schema.parse(await response.json());
  };
  const post = async (path: string, input: object): Promise<unknown> => {
    const response = await fetch(`${url}/_control/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    if (!response.ok) throw new Error(`Cannot ask the simulator for "${path}": HTTP ${response.status}`);
    return response.json();
  };
  const before = Date.now() / 1000;
  const { nowSeconds } = await get("/time", timeSchema);
  const real = (before + Date.now() / 1000) / 2;
  return {
    simulatedSeconds: () => nowSeconds + (Date.now() / 1000 - real) * speed,
    ledger: (cluster) => get(`/ledger/${encodeURIComponent(cluster)}`, ledgerSchema),
    creates: async (cluster) => {
      const { calls } = await get("/calls", callsSchema);
      const path = `/clusters/${encodeURIComponent(cluster)}/nodes/create`;
      return calls
        .filter((call) => call.path.startsWith(path) && call.status === 202)
        .map((call) => ({ atSeconds: real + (call.at - nowSeconds) / speed }));
    },
    tell: async (command, input) => {
      await post(command, input);
    },
    takeOrders: async (cluster, report) =>
      ordersSchema.parse(await post(`scheduler/${encodeURIComponent(cluster)}`, report)),
  };
}
