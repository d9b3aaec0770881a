import { celery } from "../../../../clients/agent/drivers/celery/celery.ts";
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
});
