/**
 * What the nodes of a plan cost, beside the least that is possible (the LP bound of HiGHS), for each `placement`, and how
 * long it takes. Every plan is checked before it counts. `npm run bench -- cost --trace FILE.swf.gz`, again for further traces, of
 * which only the parallel jobs are planned. Fails when a promise of docs/placement.md is not kept.
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { parseSwf, type SwfJob } from "../../shared/backtest/index.ts";
import { measureList, sizeLists } from "./cost/lists.ts";
import { measureParallel } from "./cost/parallel.ts";

const { values } = parseArgs({ options: { trace: { type: "string", multiple: true } } });

async function readTrace(file: string): Promise<readonly SwfJob[]> {
  const bytes = await readFile(file);
  return parseSwf((file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8"));
}

const problems: string[] = [];
const [file, ...further] = values.trace ?? [];
if (file === undefined) problems.push("No jobs of a trace were planned, expected --trace FILE.swf.gz");
else {
  const trace = await readTrace(file);
  for (const list of sizeLists) problems.push(...(await measureList(trace, list)));
  console.log("Backlogs of parallel jobs:");
  problems.push(...(await measureParallel([trace, ...(await Promise.all(further.map(readTrace)))])));
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
