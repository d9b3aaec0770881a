import { brokenColumns, checkContract, type Situation } from "cyclecloud-autoscale/schedulers/contract";
import { driver } from "./driver.js";

const situation = (name: string, lines: readonly string[], draining: readonly string[] = []): Situation => ({
  name,
  nowSeconds: 1_800_000_000,
  answers: { all: { text: [...lines, `end\t${lines.length}`, ""].join("\n"), exitCode: 0 } },
  draining: new Map(draining.map((host) => [host, 1_799_999_000])),
});

const problems = checkContract({
  kind: driver,
  section: { queue: "all" },
  situations: [
    situation("nothing to do", []),
    situation("one runs, one waits", ["job\t17\t4\tip-0A000005", "job\t18\t4\t-", "host\tip-0A000005\topen"]),
    situation("drains", ["job\t17\t4\tip-0A000005", "host\tip-0A000005\tclosed"], ["ip-0a000005"]),
    situation("drained", ["host\tip-0A000005\tclosed"], ["ip-0a000005"]),
    situation("open again", ["host\tip-0A000005\topen"], ["ip-0a000005"]),
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
