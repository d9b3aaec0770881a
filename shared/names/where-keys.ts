/** What a key stands for: words that shell wildcards may match, or an amount that can be compared. */
export interface WhereKey {
  readonly is: "text" | "number" | "duration";
  readonly about: string;
}

/** Keys of a line that chooses nodes. */
export const nodeWhereKeys = {
  name: { is: "text", about: "name; a word without a key is one too" },
  array: { is: "text", about: "node array" },
  size: { is: "text", about: "VM size, with or without Standard_" },
  group: { is: "text", about: "placement group" },
  host: { is: "text", about: "host name" },
  state: {
    is: "text",
    about:
      "CycleCloud's state, or what the node is used for: jobs, boot, idle, drained, kept, failed, ending",
  },
  spot: { is: "text", about: "yes or no" },
  job: { is: "text", about: "a job that runs or has its place there" },
  user: { is: "text", about: "whose jobs these are" },
  jobs: { is: "number", about: "how many these are" },
  cores: { is: "number", about: "vCPUs" },
  cost: { is: "number", about: "USD per hour" },
  idle: { is: "duration", about: "how long nothing has needed it" },
} as const satisfies Readonly<Record<string, WhereKey>>;

/** Keys of a line that chooses jobs. */
export const jobWhereKeys = {
  name: { is: "text", about: "name in its scheduler; a word without a key is one too" },
  title: { is: "text", about: "its user's name for it" },
  state: { is: "text", about: "running, placed, booting, partly, waiting, set-aside" },
  user: { is: "text", about: "whose it is" },
  account: { is: "text", about: "who pays" },
  queue: { is: "text", about: "queue or partition" },
  source: { is: "text", about: "its scheduler" },
  node: { is: "text", about: "a node where it runs or has its place" },
  reason: { is: "text", about: "limit or code" },
  asks: { is: "number", about: "slots or nodes" },
  priority: { is: "number", about: "as its scheduler says" },
  waits: { is: "duration", about: "since it was submitted, until it runs" },
  runs: { is: "duration", about: "since it started" },
} as const satisfies Readonly<Record<string, WhereKey>>;
