import type { PlanRecordView } from "../../../shared/api/index.ts";
import { count } from "../words.ts";
import type { ColumnOf } from "./table.tsx";

/** What a plan decided, as lists of plans show it. */
export const planColumns: readonly ColumnOf<PlanRecordView>[] = [
  ["Because", ({ reason }) => reason, "long"],
  ["Jobs placed", ({ placedJobs, jobs }) => `${count(placedJobs)} of ${count(jobs)}`, "number"],
  ["Create", ({ create }) => count(create), "number"],
  ["Start", ({ start }) => count(start), "number"],
  ["Delete", ({ retire }) => count(retire), "number"],
];
