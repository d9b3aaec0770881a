import {
  planAnswer,
  planArchiveAnswer,
  planDifferenceAnswer,
  planDifferenceQuery,
  plansAnswer,
  plansQuery,
} from "./plans-schema.ts";
import { ofCluster, type Route } from "./route.ts";

/** What the planner decided. */
export const planRoutes = [
  {
    id: "plans",
    method: "GET",
    path: `${ofCluster}/plans`,
    role: "reader",
    summary: "Plans, newest first",
    query: plansQuery,
    answer: plansAnswer,
    polled: true,
  },
  {
    id: "plan",
    method: "GET",
    path: `${ofCluster}/plans/{planId}`,
    role: "reader",
    summary: "One plan: what it decided, and what became of it",
    answer: planAnswer,
    polled: true,
  },
  {
    id: "plan-archive",
    method: "GET",
    path: `${ofCluster}/plans/{planId}/archive`,
    role: "reader",
    summary: "One plan with what it was made from: enough to make it again",
    answer: planArchiveAnswer,
    zipped: true,
  },
  {
    id: "plan-difference",
    method: "GET",
    path: `${ofCluster}/plans/{planId}/difference`,
    role: "reader",
    summary: "What a plan decided otherwise than another one, and what of its input was different",
    query: planDifferenceQuery,
    answer: planDifferenceAnswer,
  },
] as const satisfies readonly Route[];
