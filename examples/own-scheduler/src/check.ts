import { brokenColumns, checkContract, type Situation } from "cyclecloud-autoscale/schedulers/contract";
import { driver } from "./driver.js";

const situation = (name: string, lines: readonly string[], more: Partial<Situation>): Situation => ({
  name,
  nowSeconds: 1_800_000_000,
  answers: { all: { text: [...lines, `end\t${lines.length}`, ""].join("\n"), exitCode: 0 } },
  ...more,
});

const host = "ip-0A000005";
/** Told to drain 1000 seconds before. */
const draining = new Map([["ip-0a000005", 1_799_999_000]]);

const problems = checkContract({
  kind: driver,
  section: { queue: "all" },
  situations: [
    situation("nothing to do", [], {
      expects: { waiting: [], running: {}, up: [], draining: [], drained: [] },
    }),
    situation(
      "one runs, one waits",
      ["job\t17\t4\tip-0A000005", "job\t18\t2\t-", "host\tip-0A000005\topen"],
      {
        expects: {
          waiting: ["18"],
          running: { "17": [host] },
          up: [host],
          jobs: { "18": { constraints: { ncpus: 2 } } },
        },
      },
    ),
    situation("drains", ["job\t17\t4\tip-0A000005", "host\tip-0A000005\tclosed"], {
      draining,
      expects: { draining: [host], drained: [] },
    }),
    situation("drained", ["host\tip-0A000005\tclosed"], { draining, expects: { drained: [host] } }),
    situation("open again", ["host\tip-0A000005\topen"], { draining, expects: { up: [host] } }),
  ],
  broken: (answers) =>
    brokenColumns(answers, "all", {
      isRunning: (row) => row[0] === "job" && row[3] !== "-",
      without: [0, 3],
    }),
});

for (const { check, situation: where, problem } of problems) console.error(`${where}: ${check}: ${problem}`);
console.log(`${problems.length} problems`);
if (problems.length > 0) throw new Error("the driver does not keep to the contract");
