import { pbs } from "../../../../clients/agent/drivers/pbs/pbs.ts";
import { readPbsJson } from "../../../../clients/agent/drivers/pbs/pbs-json.ts";
import { brokenJson } from "../../../../clients/library/schedulers/broken-records.ts";
import { testDriver } from "./driver-contract.ts";

testDriver({
  kind: pbs,
  section: {},
  wrong: [
    [{ queues: { workq: { colocated: "yes" } } }, /^queues\.workq\.colocated: "yes"/],
    [{ queues: { workq: { nodearray: "hpc" } } }, /nodearray/],
    [{ node_arrays: { htc: { resources: { mem: "16gb, x = 1" } } } }, /^node_arrays\.htc\.resources\.mem/],
    [{ node_arrays: { htc: { resources: { "a b": 1 } } } }, /^node_arrays\.htc\.resources/],
    [{ properties: { slot_type: "node.name" } }, /^properties\.slot_type/],
    [{ qstat: [] }, /^qstat: /],
    [{ ignore_queue: ["a"] }, /ignore_queue/],
  ],
  broken: (answers) =>
    brokenJson(answers, "jobs", {
      records: (json) =>
        Object.entries((json as { readonly Jobs?: Readonly<Record<string, Printed>> }).Jobs ?? {}).flatMap(
          ([id, { job_state: state }]) => (state === "R" ? [["Jobs", id]] : []),
        ),
      without: ["exec_host"],
    }),
  knows: ["user", "account", "queue"],
  whose: (answers, job) => {
    const id = /^\d+(?:\[\d*\])?/.exec(job)?.[0] ?? "";
    const { records } = readPbsJson(answers.jobs?.text ?? "", "Jobs") ?? { records: new Map() };
    const printed = [...records].find(([name]) => name.split(".")[0] === id)?.[1] as Printed | undefined;
    if (printed === undefined) return undefined;
    const { euser: user, queue, Account_Name: account, project } = printed;
    const pays = account ?? (project === "_pbs_project_default" ? undefined : project);
    return { user, queue, ...(pays === undefined ? {} : { account: String(pays) }) };
  },
});

interface Printed {
  readonly job_state: string;
  readonly euser: string;
  readonly queue: string;
  readonly project?: string;
  readonly Account_Name?: string | number;
}
