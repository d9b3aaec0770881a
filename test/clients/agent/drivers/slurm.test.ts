import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import { brokenJson } from "../../../../clients/library/schedulers/broken-records.ts";
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
});
