import type { SwfJob } from "../../../shared/backtest/index.ts";
import { boundOf, planBacklog, wantsOf } from "./backlog.ts";
import { generalSizes, type MarketSize, sizesOf } from "./market.ts";

/** The most that `cost` may be of the bound, where any size can be bought. */
const mostOverBound = 1.03;

interface SizeList {
  readonly jobs: number;
  readonly sizes: readonly MarketSize[];
  readonly name: string;
  /** So many sizes that what is bought comes close to the bound. */
  readonly isAll: boolean;
}

function listOf(jobs: number, names: readonly string[]): SizeList {
  const short = (name: string) => name.replace("Standard_", "").replace(/_v\d$/, "");
  return { jobs, sizes: sizesOf(names), name: names.map(short).join(", "), isAll: false };
}

function allSizes(jobs: number): SizeList {
  return { jobs, sizes: generalSizes(), name: "all D, E, F of v5 and v6", isAll: true };
}

export const sizeLists: readonly SizeList[] = [
  listOf(1000, ["Standard_D32s_v5", "Standard_E64s_v5", "Standard_M128s"]),
  listOf(1000, ["Standard_F64s_v2", "Standard_D96s_v5", "Standard_E96s_v5"]),
  listOf(1000, ["Standard_E96s_v5", "Standard_D96s_v5", "Standard_F64s_v2"]),
  listOf(1000, ["Standard_D16s_v5", "Standard_D64s_v5", "Standard_E96s_v5"]),
  listOf(5000, ["Standard_D32s_v5", "Standard_E64s_v5", "Standard_M128s"]),
  allSizes(1000),
  allSizes(5000),
];

/** Plans the first jobs of a trace with each placement. Returns what is not as promised. */
export async function measureList(
  trace: readonly SwfJob[],
  { jobs, name, sizes, isAll }: SizeList,
): Promise<readonly string[]> {
  const wants = wantsOf(trace.slice(0, jobs), sizes);
  const bound = await boundOf(wants, sizes);
  const order = planBacklog(wants, sizes, "order");
  const reuse = planBacklog(wants, sizes, "reuse");
  const cost = planBacklog(wants, sizes, "cost");
  const shown = ({ price, nodes, ms }: typeof order) =>
    `${price.toFixed(2)} (${(price / bound).toFixed(4)} x, ${nodes} nodes, ${ms.toFixed(0)} ms)`;
  const title = `${jobs} jobs: ${name}`;
  console.log(`${title} (${sizes.length} sizes): bound ${bound.toFixed(2)}`);
  console.log(`  order ${shown(order)}\n  reuse ${shown(reuse)}\n  cost  ${shown(cost)}`);
  return [
    ...(cost.price > Math.min(order.price, reuse.price) + 1e-6 ? [`${title}: cost is dearer`] : []),
    ...(isAll && cost.price > mostOverBound * bound
      ? [`${title}: ${(cost.price / bound).toFixed(4)} x the bound, expected at most ${mostOverBound}`]
      : []),
  ];
}
