import type { PlanRecordView } from "../../../shared/api/index.ts";
import { count } from "../words.ts";
import type { Column } from "./table.tsx";

/** What a plan decided, as lists of plans show it. */
export const planColumns: readonly Column<PlanRecordView>[] = [
  { title: "Because", isLong: true, cell: ({ reason }) => reason },
  {
    title: "Jobs placed",
    isNumber: true,
    cell: ({ placedJobs, jobs }) => `${count(placedJobs)} of ${count(jobs)}`,
  },
  { title: "Create", isNumber: true, cell: ({ create }) => count(create) },
  { title: "Start", isNumber: true, cell: ({ start }) => count(start) },
  { title: "Delete", isNumber: true, cell: ({ retire }) => count(retire) },
];
