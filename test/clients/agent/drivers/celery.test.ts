import { celery } from "../../../../clients/agent/drivers/celery/celery.ts";
import type { Answers, Backlog } from "../../../../clients/agent/drivers/driver.ts";
import { brokenJson } from "../../../../clients/library/schedulers/broken-records.ts";
import { testDriver } from "./driver-contract.ts";

testDriver({
  kind: celery,
  section: { app: "work", queues: ["celery", "gpu"] },
  wrong: [
    [{ app: undefined }, /^app: /],
    [{ app: "--config=/tmp/evil" }, /^app: "--config.*no dash/],
    [{ queues: ["celery", "a,b"] }, /^queues\[1\]: "a,b"/],
    [{ command: [] }, /^command: /],
    [{ min_core_count: -1 }, /^min_core_count: -1/],
    [{ rules: [{ task: "x", constraints: { ncpus: { and: 7 } } }] }, /^rules\[0\]\.constraints/],
    [{ warm_bufer: 1 }, /warm_bufer/],
  ],
  // The worker that replied tells the host; nothing in the record has to.
  broken: (answers) =>
    brokenJson(answers, "active", {
      records: (json) =>
        Object.entries(json as Readonly<Record<string, unknown>>).flatMap(([worker, tasks]) =>
          Array.isArray(tasks) ? tasks.map((_, index) => [worker, index]) : [],
        ),
      without: [],
    }),
  knows: ["queue"],
  whose: (answers, job) => {
    const queues = new Set([...queuesOfRunning(answers, job), ...queuesOfWaiting(answers, job)]);
    // Tasks of one name may come from two queues; of the reserve and of what is unreadable nothing is said.
    return queues.size === 1 ? { queue: [...queues].join() } : undefined;
  },
  // What to do follows from the next reading, whatever became of the workers until then.
  withoutCommand: ["node-joined", "drain", "undrain", "node-deleted", "boot-timeout"],
});

interface Task {
  readonly id?: unknown;
  readonly delivery_info?: { readonly routing_key?: string };
}

/** A running task is a job of its own, by its id. */
function queuesOfRunning(answers: Answers, job: string): readonly string[] {
  const active = (jsonOf(answers.active?.text) ?? {}) as Readonly<Record<string, unknown>>;
  const tasks = Object.values(active).flatMap((each) => (Array.isArray(each) ? (each as Task[]) : []));
  return tasks
    .filter(({ id }) => id === job)
    .flatMap(({ delivery_info }) => delivery_info?.routing_key ?? []);
}

/** Those that wait are counted by their name and what they need: `work.sleep (default)`. */
function queuesOfWaiting(answers: Answers, job: string): readonly string[] {
  const backlog = jsonOf(answers.backlog?.text) as Backlog | undefined;
  const messages = [
    ...(backlog?.queues ?? []).flatMap(({ messages: all }) => all),
    ...(backlog?.unacknowledged ?? []),
  ];
  return messages
    .filter(({ headers }) => typeof headers.task === "string" && job.startsWith(`${headers.task} (`))
    .map(({ queue }) => queue);
}

/** The application may print before it. */
function jsonOf(text = ""): unknown {
  const start = text.search(/^[[{]/m);
  return start < 0 ? undefined : JSON.parse(text.slice(start));
}
