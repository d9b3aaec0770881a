import { z } from "zod";

/**
 * What `qstat` and `pbsnodes` print as JSON, as far as demand goes. PBS makes numbers and booleans of whatever looks like one, also
 * of names and accounts: all are read as the texts that they were.
 */
const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const text = scalar.nullish().transform((value) => value ?? "");
/** What a job is planned without, too. */
const detail = text.catch("");
const resources = z
  .record(z.string(), scalar)
  .nullish()
  .transform((values) => new Map(Object.entries(values ?? {})));

export const jobRecord = z.object({
  /** Empty for what cannot be read: where it runs counts then. */
  job_state: detail,
  queue: text,
  Resource_List: resources,
  schedselect: text,
  exec_host: text,
  exec_vnode: text,
  /** What a suspended job gave back of that, where the server says which resources; else it gives back all. */
  resources_released: text,
  Hold_Types: text,
  /** `runone:1.head@head:2.head@head,afterok:…`. */
  depend: detail,
  array: text,
  max_run_subjobs: text,
  comment: detail,
  Execution_Time: detail,
  stime: detail,
  qtime: detail,
  Priority: detail,
  Rerunable: detail,
  Job_Name: detail,
  Job_Owner: detail,
  euser: detail,
  egroup: detail,
  project: detail,
  Account_Name: detail,
});

export type JobRecord = z.infer<typeof jobRecord> & { readonly id: string };

/** One name, or several with commas. */
const names = z
  .union([scalar, z.array(scalar)])
  .nullish()
  .transform((value) => [value ?? []].flat().flatMap((each) => each.split(/[,\s]+/)))
  .transform((list) => list.filter((name) => name !== ""));

export const nodeRecord = z.object({
  Mom: detail,
  state: z.string(),
  pbs_version: detail,
  /** Older releases name the slot behind a slash. */
  jobs: names.transform((jobs) => jobs.map((job) => job.split("/")[0] ?? "").filter((job) => job !== "")),
  resources_available: resources,
  resources_assigned: resources,
  /** Confirmed reservations that hold it, such as `R7.head`. */
  resv: names,
  /** Whose jobs alone it takes: those of a queue, those of another scheduler's queues. */
  queue: detail,
  partition: detail,
  comment: detail,
  sharing: detail,
  last_state_change_time: detail,
});

export type NodeRecord = z.infer<typeof nodeRecord> & { readonly name: string };

const limit = z
  .union([
    scalar.transform((value) => new Map([["", value]])),
    z.record(z.string(), scalar).transform((values) => new Map(Object.entries(values))),
  ])
  .nullish()
  .transform((value) => value ?? new Map<string, string>());

const limitFields = {
  max_run: text,
  max_run_res: limit,
  max_running: text,
  max_user_run: text,
  max_group_run: text,
  max_user_res: limit,
  max_group_res: limit,
  resources_available: resources,
  resources_assigned: resources,
  node_group_key: text,
};

export const queueRecord = z.object({
  ...limitFields,
  queue_type: text,
  started: text,
  /** Some nodes are for this queue alone, and its jobs run there alone. */
  hasnodes: text,
  /** Which scheduler's it is; none: the usual one's. */
  partition: text,
  Priority: detail,
});
export type QueueRecord = z.infer<typeof queueRecord>;

export const serverRecord = z.object({
  ...limitFields,
  scheduling: text,
  node_group_enable: text,
  job_sort_formula: text,
});
export type ServerRecord = z.infer<typeof serverRecord>;
