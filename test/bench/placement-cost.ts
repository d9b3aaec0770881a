/**
 * What the nodes of a plan cost, beside the least that is possible (the LP bound of HiGHS), for each `placement`. Every plan
 * is checked before it counts. `npm run bench:cost -- --trace FILE.swf.gz`. Fails when a promise of docs/placement.md is not kept.
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { parseSwf, type SwfJob } from "../../shared/swf.ts";
import { boundOf, planBacklog, planOneByOne, wantsOf } from "./cost/backlog.ts";
import { generalSizes, type MarketSize, sizesOf } from "./cost/market.ts";

const { values } = parseArgs({
  options: { trace: { type: "string" } },
});

const lists: readonly {
  readonly jobs: number;
  readonly name: string;
  readonly sizes: readonly MarketSize[];
}[] = [
  {
    jobs: 1000,
    name: "D32s, E64s, M128s",
    sizes: sizesOf(["Standard_D32s_v5", "Standard_E64s_v5", "Standard_M128s"]),
  },
  {
    jobs: 1000,
    name: "F64s, D96s, E96s",
    sizes: sizesOf(["Standard_F64s_v2", "Standard_D96s_v5", "Standard_E96s_v5"]),
  },
  {
    jobs: 1000,
    name: "E96s, D96s, F64s",
    sizes: sizesOf(["Standard_E96s_v5", "Standard_D96s_v5", "Standard_F64s_v2"]),
  },
  {
    jobs: 1000,
    name: "D16s, D64s, E96s",
    sizes: sizesOf(["Standard_D16s_v5", "Standard_D64s_v5", "Standard_E96s_v5"]),
  },
  {
    jobs: 5000,
    name: "D32s, E64s, M128s",
    sizes: sizesOf(["Standard_D32s_v5", "Standard_E64s_v5", "Standard_M128s"]),
  },
  { jobs: 1000, name: "all D, E, F of v5 and v6", sizes: generalSizes() },
  { jobs: 5000, name: "all D, E, F of v5 and v6", sizes: generalSizes() },
];

async function readTrace(file: string) {
  const bytes = await readFile(file);
  return parseSwf((file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8"));
}

/** The most that `cost` may be of the bound, where any size can be bought. */
const mostOverBound = 1.03;
/** How much dearer jobs may come that are planned one by one, each on the nodes of those before it. */
const mostOverBatch = 1.1;
const placements = ["order", "reuse", "cost"] as const;
const problems: string[] = [];

async function measureList(jobs: readonly SwfJob[], { name, sizes }: (typeof lists)[number]): Promise<void> {
  const wants = wantsOf(jobs, sizes);
  const bound = await boundOf(wants, sizes);
  const [order, reuse, cost] = placements.map((placement) => planBacklog(wants, sizes, placement));
  const row = { case: `${jobs.length} jobs: ${name}`, sizes: sizes.length, bound, order, reuse, cost };
  const shown = ({ price, nodes, ms }: NonNullable<typeof order>) =>
    `${price.toFixed(2)} (${(price / bound).toFixed(4)} x, ${nodes} nodes, ${ms.toFixed(0)} ms)`;
  if (order === undefined || reuse === undefined || cost === undefined) return;
  console.log(`${row.case} (${sizes.length} sizes): bound ${bound.toFixed(2)}`);
  console.log(`  order ${shown(order)}\n  reuse ${shown(reuse)}\n  cost  ${shown(cost)}`);
  if (cost.price > Math.min(order.price, reuse.price) + 1e-6) problems.push(`${row.case}: cost is dearer`);
  if (sizes.length > 10 && cost.price > mostOverBound * bound)
    problems.push(`${row.case}: ${(cost.price / bound).toFixed(4)} x the bound, expected ${mostOverBound}`);
}

function measureStream(jobs: readonly SwfJob[], sizes: readonly MarketSize[]): void {
  const wants = wantsOf(jobs, sizes);
  const batch = planBacklog(wants, sizes, "cost").price;
  const stream = planOneByOne(wants, sizes);
  console.log(
    `${jobs.length} jobs one by one: ${stream.toFixed(2)}, ${(stream / batch).toFixed(4)} x the batch`,
  );
  if (stream > mostOverBatch * batch) problems.push(`one by one: ${(stream / batch).toFixed(4)} x the batch`);
}

if (values.trace === undefined) problems.push("Nothing to plan, expected --trace FILE.swf.gz");
else {
  const jobs = await readTrace(values.trace);
  for (const list of lists) await measureList(jobs.slice(0, list.jobs), list);
  measureStream(jobs.slice(0, 1000), generalSizes());
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
