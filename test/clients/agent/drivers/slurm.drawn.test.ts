import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import { brokenJson } from "../../../../clients/library/schedulers/broken-records.ts";
import type { Whose } from "../../../../clients/library/schedulers/contract.ts";
import { testDriver } from "./driver-contract.ts";

testDriver({
  kind: slurm,
  section: { ignore_partitions: ["local"] },
  wrong: [
    [{ partitions: { hpc: { colocated: "yes" } } }, /^partitions\.hpc\.colocated: "yes"/],
    [{ partitions: { hpc: { nodearray: "hpc" } } }, /nodearray/],
    [{ features: { big: { ncpus: { and: 7 } } } }, /^features\.big/],
    [{ squeue: [] }, /^squeue: /],
    [{ node_prefx: "a" }, /node_prefx/],
  ],
  broken: (answers) =>
    brokenJson(answers, "squeue", {
      records: (json) =>
        (json as { readonly jobs: readonly { readonly nodes: unknown }[] }).jobs.flatMap(
          ({ nodes }, index) => (typeof nodes === "string" && nodes !== "" ? [["jobs", index]] : []),
        ),
      without: ["nodes"],
    }),
  knows: ["user", "account", "queue"],
  // What a reading finds is corrected in the same pass.
  withoutCommand: ["drain", "undrain", "node-deleted", "boot-timeout"],
  whose: (answers, job) => {
    // Tasks of an array and parts of a heterogeneous job are one submission: of one user, account and choice of partitions.
    const [id] = /^\d+/.exec(job) ?? [];
    const { jobs } = JSON.parse(answers.squeue?.text ?? "") as { readonly jobs: readonly SlurmRecord[] };
    const record = jobs.find((each) =>
      [each.job_id, numberOf(each.array_job_id)].some((of) => `${of}` === id),
    );
    return record && given({ user: record.user_name, account: record.account, queue: record.partition });
  },
});

interface SlurmRecord {
  readonly job_id: number;
  readonly array_job_id?: number | { readonly number: number };
  readonly user_name?: string;
  readonly account?: string;
  readonly partition?: string;
}

/** Since 23.02 a number is an object. */
function numberOf(value: SlurmRecord["array_job_id"]): number | undefined {
  return typeof value === "object" ? value.number : value;
}

/** Slurm writes an empty text for what a job has not. */
function given(said: Readonly<Record<string, string | undefined>>): Whose {
  return Object.fromEntries(Object.entries(said).filter(([, text]) => text !== undefined && text !== ""));
}
