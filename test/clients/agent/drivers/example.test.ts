import { example } from "../../../../clients/agent/drivers/example/example.ts";
import { brokenColumns } from "../../../../clients/library/schedulers/broken-records.ts";
import { testDriver } from "./driver-contract.ts";

testDriver({
  kind: example,
  section: {},
  wrong: [
    [{ queue: "--all" }, /^queue: "--all", expected a name of a queue/],
    [{ node_array: "" }, /^node_array: ""/],
    [{ quue: "a" }, /quue/],
  ],
  broken: (answers) =>
    brokenColumns(answers, "jobs", { isRunning: (row) => row[3]?.startsWith("ip-") === true, without: [3] }),
});
