/**
 * What the nodes of a plan cost, beside the least that is possible (the LP bound of HiGHS), for each `placement`. Every plan
 * is checked before it counts. `npm run bench:cost -- [--trace FILE.swf.gz] [--json]`; without a trace, only the generated
 * cases run. Fails when a promise of docs/placement.md is not kept.
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { parseSwf } from "../../shared/swf.ts";
import { boundOf, planBacklog, wantsOf } from "./cost/backlog.ts";
import { generalSizes, type MarketSize, sizesOf } from "./cost/market.ts";

const { values } = parseArgs({
  options: { trace: { type: "string" }, json: { type: "boolean", default: false } },
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

if (values.trace !== undefined) {
  const jobs = await readTrace(values.trace);
  for (const { jobs: count, name, sizes } of lists) {
    const wants = wantsOf(jobs.slice(0, count), sizes);
    const bound = await boundOf(wants, sizes);
    const made = (["order", "reuse", "cost"] as const).map((placement) => ({
      placement,
      ...planBacklog(wants, sizes, placement),
    }));
    console.log(
      `${count} jobs (${wants.length} fit), ${sizes.length} sizes ${name}: bound ${bound.toFixed(2)}`,
      ...made.map(
        ({ placement, price, nodes, ms }) =>
          `\n   ${placement}: ${price.toFixed(2)} (${(price / bound).toFixed(4)} x), ${nodes} nodes, ${ms.toFixed(0)} ms`,
      ),
    );
  }
}
