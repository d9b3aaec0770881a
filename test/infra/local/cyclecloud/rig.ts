import {
  createManualClock,
  type DefinitionInput,
  type ManualClock,
  type RunningCycleCloud,
  startCycleCloud,
} from "../../../../infra/local/cyclecloud/index.ts";

/** Times without chance: a boot takes 100 s, every other change 40 s. */
const exactTimes = {
  boot: { minSeconds: 100, medianSeconds: 100, maxSeconds: 100 },
  start: { minSeconds: 40, medianSeconds: 40, maxSeconds: 40 },
  terminate: { minSeconds: 40, medianSeconds: 40, maxSeconds: 40 },
  deallocate: { minSeconds: 40, medianSeconds: 40, maxSeconds: 40 },
};

/** Two sizes of one family in "htc", constrained sizes in "odd", a spot array and a placement group array. */
export const labDefinition: DefinitionInput = {
  name: "lab",
  region: "westeurope",
  maxCount: 50,
  maxCoreCount: 300,
  quotas: {
    westeurope: { cores: 200, spotCores: 40, families: { standardFSv2Family: 64, standardESv3Family: 32 } },
  },
  times: exactTimes,
  nodearrays: [
    { name: "htc", machineTypes: ["Standard_F4s_v2", "Standard_F8s_v2"], maxCount: 12, maxCoreCount: 60 },
    { name: "odd", machineTypes: ["Standard_E8-2s_v3"] },
    { name: "spot", machineTypes: ["Standard_F8s_v2"], interruptible: true },
    { name: "tight", machineTypes: ["Standard_D4as_v5"], maxScalesetSize: 3 },
    { name: "parked", machineTypes: ["Standard_D8as_v5"], shutdownPolicy: "Deallocate", maxCount: 2 },
    { name: "closed", machineTypes: ["Standard_D8as_v5"], invalid: { Standard_D8as_v5: "NotActivated" } },
  ],
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers as a client without a schema would
  readonly body: any;
}

export interface Rig extends RunningCycleCloud {
  readonly clock: ManualClock;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  /** The record of a node by name; undefined when it is gone. */
  node(name: string): Promise<Record<string, unknown> | undefined>;
  /** A bucket of the lab's status; the array's first unless a size is named. */
  bucket(nodearray: string, machineType?: string): Promise<Answer["body"]>;
  /** Creates nodes in the lab and answers the sets. */
  create(nodearray: string, count: number, more?: Record<string, unknown>): Promise<Answer>;
}

export async function startRig(definitions: readonly DefinitionInput[] = [labDefinition]): Promise<Rig> {
  const clock = createManualClock();
  const server = await startCycleCloud({
    definitions,
    username: "operator",
    password: "secret",
    seed: 7,
    clock,
  });
  const request = (method: string, path: string, body?: unknown) =>
    ask(`${server.url}${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const get = (path: string) => request("GET", path);
  return {
    ...server,
    clock,
    get,
    post: (path, body) => request("POST", path, body),
    async node(name) {
      const { body } = await get("/clusters/lab/nodes");
      return body.nodes.find((record: { Name: string }) => record.Name === name);
    },
    async bucket(nodearray, machineType) {
      const { body } = await get("/clusters/lab/status?nodes=true");
      const { buckets } = body.nodearrays.find((array: { name: string }) => array.name === nodearray);
      type Bucket = { definition: { machineType: string } };
      return buckets.find(
        ({ definition }: Bucket) => (machineType ?? definition.machineType) === definition.machineType,
      );
    },
    create: (nodearray, count, more = {}) =>
      request("POST", "/clusters/lab/nodes/create", { sets: [{ nodearray, count, ...more }] }),
  };
}

export async function ask(url: string, init: RequestInit = {}, login = "operator:secret"): Promise<Answer> {
  const Authorization = `Basic ${Buffer.from(login).toString("base64")}`;
  const headers = { Authorization, "Content-Type": "application/json", ...init.headers };
  const response = await fetch(url, { ...init, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}
