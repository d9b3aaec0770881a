import { z } from "zod";
import type { SetAside } from "../driver.ts";
import { readRecord } from "../records.ts";
import { childrenOf, type Element, parseXml, textOf } from "./xml.ts";

/** What `qstat -xml -f -r -ext -pri -F` prints. */

const text = z.string().catch("");
const number = z.coerce.number();

const jobFields = z.object({
  id: z.string().regex(/^\d{1,18}$/),
  state: z.string().min(1).max(20),
  slots: number.int().min(1).max(10_000_000),
  tasks: text,
  // A job is planned without these, too: one that cannot be read must not set it aside.
  priority: number.catch(0),
  owner: text,
  project: text,
  department: text,
  submitted: text,
  started: text,
  jobName: text,
});

export interface Request {
  readonly name: string;
  readonly value: string;
}

export type JobRecord = z.infer<typeof jobFields> & {
  /** Pattern of the parallel environment, and the numbers of slots that do. */
  readonly pe: { readonly name: string; readonly slots: string } | undefined;
  readonly granted: string | undefined;
  readonly requests: readonly Request[];
  readonly queues: readonly string[];
  readonly masterQueues: readonly string[];
};

export interface RunningRecord extends JobRecord {
  readonly queue: string;
  readonly host: string;
}

interface Resource {
  readonly name: string;
  /** `h`, `q` or `g` for host, queue or all; `l`, `f` or `c` for a load value, a fixed one or what is left of a consumable. */
  readonly type: string;
  readonly value: string;
}

/** A cluster queue on a host. */
export interface QueueInstance {
  readonly queue: string;
  readonly host: string;
  readonly state: string;
  readonly slots: number;
  readonly used: number;
  readonly resources: readonly Resource[];
  /** Why it is in alarm or error, as Grid Engine says. */
  readonly messages: readonly string[];
  /** Whether a job is on it, readable or not. */
  readonly hasJobs: boolean;
}

export interface QueueReading {
  readonly instances: readonly QueueInstance[];
  readonly running: readonly RunningRecord[];
  readonly waiting: readonly JobRecord[];
  readonly setAside: readonly SetAside[];
}

const count = z.coerce.number().int().min(0).max(10_000_000);
const instanceFields = z.object({
  name: z.string().regex(/^[^@\s]{1,200}@[\w.-]{1,255}$/),
  slots: count,
  used: count,
  reserved: count.catch(0),
});

/** What `qstat` printed; undefined when it is not the list of all queue instances and jobs. */
export function readQueues(printed: string): QueueReading | undefined {
  const instances: QueueInstance[] = [];
  const running: RunningRecord[] = [];
  const waiting: JobRecord[] = [];
  const setAside: SetAside[] = [];
  const same = new Map<string, Resource>();
  const root = parseXml(printed, (element, around) => {
    if (around.name === "queue_info" && element.name === "Queue-List") {
      const instance = readInstance(element, same);
      if (instance.ok) instances.push(instance.record);
      else
        setAside.push({ record: `queue instance ${instance.name.slice(0, 100)}`, reason: instance.reason });
      const { queue, host } = instance;
      const hosts = host === "" ? {} : { executingHostnames: [host] };
      for (const job of childrenOf(element, "job_list")) {
        const read = readJob(job);
        if (read.ok) running.push({ ...read.record, queue, host });
        else setAside.push({ record: `job ${idOf(job)} on ${host}`, reason: read.reason, ...hosts });
      }
      return true;
    }
    if (around.name !== "job_info" || element.name !== "job_list") return false;
    const read = readJob(element);
    if (read.ok) waiting.push(read.record);
    else setAside.push({ record: `job ${idOf(element)}`, reason: read.reason });
    return true;
  });
  const isWhole = ["queue_info", "job_info"].every((list) => childrenOf(root, list).length > 0);
  return root?.name === "job_info" && isWhole ? { instances, running, waiting, setAside } : undefined;
}

/** `same`: resources that were read before, by what they say; thousands of hosts have the same ones. */
function readInstance(element: Element, same: Map<string, Resource>) {
  const name = textOf(element, "name") ?? "";
  const at = name.indexOf("@");
  const [queue, host] = [name.slice(0, at), name.slice(at + 1)];
  const fields = readRecord(instanceFields, {
    name,
    slots: textOf(element, "slots_total"),
    used: textOf(element, "slots_used"),
    reserved: textOf(element, "slots_resv"),
  });
  if (!fields.ok) return { ...fields, name, queue, host };
  const record: QueueInstance = {
    queue,
    host,
    state: textOf(element, "state")?.trim() ?? "",
    slots: fields.record.slots,
    used: fields.record.used + fields.record.reserved,
    resources: childrenOf(element, "resource").map(({ attributes, text: value }) => {
      const resource = { name: attributes.name ?? "", type: attributes.type ?? "", value };
      const key = JSON.stringify(resource);
      const known = same.get(key);
      if (known === undefined) same.set(key, resource);
      return known ?? resource;
    }),
    messages: ["alarm_reason", "message", "load-alarm-reason"].flatMap((tag) =>
      childrenOf(element, tag).map((each) => each.text.trim()),
    ),
    hasJobs: childrenOf(element, "job_list").length > 0,
  };
  return { ok: true as const, record, queue, host };
}

function idOf(job: Element): string {
  return textOf(job, "JB_job_number")?.slice(0, 20) ?? "without a number";
}

function readJob(job: Element): ReturnType<typeof readRecord<JobRecord>> {
  const of = (name: string) => textOf(job, name);
  const read = readRecord(jobFields, {
    id: of("JB_job_number"),
    state: of("state"),
    slots: of("slots"),
    tasks: of("tasks") ?? "",
    priority: of("JAT_prio"),
    owner: of("JB_owner"),
    project: of("JB_project"),
    department: of("JB_department"),
    submitted: of("JB_submission_time"),
    started: of("JAT_start_time"),
    jobName: of("full_job_name") ?? of("JB_name"),
  });
  if (!read.ok) return read;
  const [pe] = childrenOf(job, "requested_pe");
  const [granted] = childrenOf(job, "granted_pe");
  return {
    ok: true,
    record: {
      ...read.record,
      pe: pe === undefined ? undefined : { name: pe.attributes.name ?? "", slots: pe.text },
      granted: granted?.attributes.name,
      requests: childrenOf(job, "hard_request").map(({ attributes, text: value }) => ({
        name: attributes.name ?? "",
        value,
      })),
      queues: childrenOf(job, "hard_req_queue").map((each) => each.text),
      masterQueues: childrenOf(job, "master_hard_req_queue").map((each) => each.text),
    },
  };
}
