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
  knows: ["user", "account", "queue"],
  whose: (answers, job) => {
    const rows = (answers.jobs?.text ?? "").split("\n").map((line) => line.split("\t"));
    const [, , , , ...whose] = rows.find(([id]) => id === job) ?? [];
    const said = { user: whose[0], account: whose[1], queue: whose[2] };
    return Object.fromEntries(Object.entries(said).filter(([, name]) => name !== "-"));
  },
});
