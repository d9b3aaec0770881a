/** Where every node-second of a cluster went, and what it cost whom. Pure. README.md has the rules. */

export { type AsideLine, asideIn, mergeAside } from "./aside.ts";
export {
  accountFor,
  type Book,
  type BookNode,
  type Closed,
  type DayPage,
  openBook,
  settled,
} from "./book.ts";
export {
  type BudgetPeriod,
  daySeconds,
  hourSeconds,
  monthOf,
  monthStart,
  periodEnd,
  periodStart,
  startOf,
} from "./calendar.ts";
export {
  asideRows,
  type CostRow,
  costDimensions,
  costRows,
  costRowsByJob,
  totalRow,
} from "./cost-report.ts";
export { type DayUse, lastDayUse } from "./day-use.ts";
export { monthForecast } from "./forecast.ts";
export type { JobTotal } from "./job-totals.ts";
export {
  type Amount,
  type Line,
  Lines,
  nothing,
  type Purpose,
  plus,
  totalOf,
} from "./lines.ts";
export { linesByNode } from "./node-totals.ts";
export type { Page } from "./pages.ts";
export {
  asideKinds,
  jobKey,
  type NodeUse,
  type SeenAside,
  type SeenJob,
  type SeenNode,
  type Sight,
} from "./sight.ts";
export { type Spent, type Stand, type Subject, standOf } from "./stand.ts";
export type { SumDimension } from "./sums.ts";
export { type Sum, Tally } from "./tally.ts";
