import {
  actionAnswer,
  actionBody,
  autostopQuery,
  leavingAnswer,
  leavingBody,
  stopAnswer,
  stopQuery,
} from "./actions.ts";
import { autoscaleAnswer, autoscaleBody, autoscaleQuery } from "./autoscale-schema.ts";
import { bucketsAnswer, bucketsQuery, limitsAnswer } from "./buckets-schema.ts";
import {
  configAnswer,
  configBody,
  configChanged,
  configVersionsAnswer,
  configVersionsQuery,
} from "./config-schema.ts";
import { costAnswer, costQuery, jobCostAnswer, jobCostQuery } from "./cost-schema.ts";
import { demandAnswer, demandQuery } from "./demand-schema.ts";
import { doctorAnswer } from "./doctor-schema.ts";
import { eventsAnswer, eventsQuery } from "./events-schema.ts";
import { explainAnswer, explainQuery, explainTargetQuery, targetExplanation } from "./explain-schema.ts";
import { jobsAnswer, jobsQuery } from "./jobs-schema.ts";
import {
  historyAnswer,
  historyQuery,
  livesAnswer,
  livesQuery,
  nodesAnswer,
  nodesQuery,
} from "./nodes-schema.ts";
import { operationsAnswer, operationsQuery, operationView } from "./operations-schema.ts";
import {
  planAnswer,
  planArchiveAnswer,
  planDifferenceAnswer,
  planDifferenceQuery,
  plansAnswer,
  plansQuery,
} from "./plans-schema.ts";
import { demandPosted, postDemandBody, postDemandQuery } from "./post-demand-schema.ts";
import { pricesAnswer } from "./prices-schema.ts";
import { rejectAnswer, rejectsAnswer, rejectsQuery, replayAnswer, replayBody } from "./rejections-schema.ts";
import { change, inquiry, ofCluster, operatorView, polledView, type Route, view } from "./route.ts";
import { samplesAnswer, samplesQuery } from "./samples-schema.ts";
import { clustersAnswer, statusAnswer } from "./status-schema.ts";
import { supportAnswer, supportQuery } from "./support-schema.ts";
import { usageAnswer, usageQuery } from "./usage-schema.ts";
import { weekAnswer, weekQuery } from "./week-schema.ts";
import {
  quoteAnswer,
  quoteBody,
  validateConstraintAnswer,
  validateConstraintBody,
  whatIfAnswer,
  whatIfBody,
} from "./what-if-schema.ts";

/** Every route. A test compares it with what the functions serve. */
export const routes = [
  {
    id: "clusters",
    method: "GET",
    path: "clusters",
    role: "reader",
    summary: "All clusters that are configured",
    answer: clustersAnswer,
    polled: true,
  },
  polledView("status", "status", "A cluster on one page, what is wrong first", { answer: statusAnswer }),
  view("doctor", "doctor", "Whether a cluster is set up and at work, from login to storage, a line each", {
    answer: doctorAnswer,
  }),
  polledView("nodes", "nodes", "Nodes with their jobs, what is left of them, and since when they are idle", {
    query: nodesQuery,
    answer: nodesAnswer,
  }),
  view(
    "history",
    "nodes/{node}/history",
    "What is remembered of a node: its lives, and what was asked of CycleCloud about it",
    { query: historyQuery, answer: historyAnswer },
  ),
  view("lives", "lives", "What nodes did over time, those that are gone too: boots, use, and idle times", {
    query: livesQuery,
    answer: livesAnswer,
  }),
  polledView(
    "buckets",
    "buckets",
    "What new nodes can come from, every limit that holds there, and which one binds",
    { query: bucketsQuery, answer: bucketsAnswer },
  ),
  polledView("limits", "limits", "Every limit once, with what is used and left of it", {
    query: bucketsQuery,
    answer: limitsAnswer,
  }),
  polledView(
    "events",
    "events",
    "One list of what happened: plans, actions, nodes, drains, decisions, changes of the configuration",
    { query: eventsQuery, answer: eventsAnswer },
  ),
  polledView(
    "prices",
    "prices",
    "What nodes cost: regular and spot, where each price comes from, and how old it is",
    { query: bucketsQuery, answer: pricesAnswer },
  ),
  view(
    "cost",
    "cost",
    "What nodes cost and whom: jobs by user, account and queue, and what nobody had of them",
    { query: costQuery, answer: costAnswer },
  ),
  view(
    "job-cost",
    "jobs/{job}/cost",
    "What a job has cost until now: each of its runs, those that run included",
    { query: jobCostQuery, answer: jobCostAnswer },
  ),
  polledView(
    "samples",
    "samples",
    "How the cluster was over time: nodes by use, jobs and cost, up to 30 days back",
    { query: samplesQuery, answer: samplesAnswer },
  ),
  view(
    "week",
    "week",
    "The last seven days of each node array: use and idle money by the hour, boots, failures, evictions, schedules",
    { query: weekQuery, answer: weekAnswer },
  ),
  // For operators: each call asks CycleCloud.
  operatorView("usage", "usage", "What the cluster has used and cost, as CycleCloud counts it", {
    query: usageQuery,
    answer: usageAnswer,
  }),
  polledView("jobs", "jobs", "Jobs that run, wait, or have a place in part, and why", {
    query: jobsQuery,
    answer: jobsAnswer,
  }),
  polledView(
    "explain",
    "jobs/{job}/explain",
    "Why a job waits, or where it goes: every bucket's refusal with numbers, and what ends the wait",
    { query: explainQuery, answer: explainAnswer },
  ),
  polledView(
    "explain-target",
    "targets/{target}/explain",
    "Why a target of a node array is not met, or what it has: with numbers, and what ends the wait",
    { query: explainTargetQuery, answer: targetExplanation },
  ),
  view("demand", "demand", "What a plan would do now; nothing is sent", {
    query: demandQuery,
    answer: demandAnswer,
  }),
  polledView("plans", "plans", "Plans, newest first", { query: plansQuery, answer: plansAnswer }),
  polledView("plan", "plans/{planId}", "One plan: what it decided, and what became of it", {
    answer: planAnswer,
  }),
  view(
    "plan-archive",
    "plans/{planId}/archive",
    "One plan with what it was made from: enough to make it again",
    { answer: planArchiveAnswer },
  ),
  view(
    "plan-difference",
    "plans/{planId}/difference",
    "What a plan decided otherwise than another one, and what of its input was different",
    { query: planDifferenceQuery, answer: planDifferenceAnswer },
  ),
  polledView("operations", "operations", "Requests to CycleCloud and their fate, newest first", {
    query: operationsQuery,
    answer: operationsAnswer,
  }),
  view("operation", "operations/{actionId}", "One request to CycleCloud and its fate", {
    answer: operationView,
  }),
  polledView("rejects", "rejects", "Messages that were refused or given up, newest first", {
    query: rejectsQuery,
    answer: rejectsAnswer,
  }),
  operatorView(
    "reject",
    "rejects/{rejectionId}",
    "One message that was refused or given up, whole, with every problem",
    { answer: rejectAnswer, polled: true },
  ),
  change(
    "replay-reject",
    "rejects/{rejectionId}/replay",
    "Sends a rejected message again, or a fixed one in its place",
    { body: replayBody, mostBodyBytes: 256 * 1024, answer: replayAnswer },
  ),
  view("config", "config", "The stored configuration, secrets shown as ***", { answer: configAnswer }),
  polledView(
    "config-versions",
    "config/versions",
    "Who changed the configuration, when and why; with an earlier version as it was stored",
    { query: configVersionsQuery, answer: configVersionsAnswer },
  ),
  {
    id: "put-config",
    method: "PUT",
    path: `${ofCluster}/config`,
    role: "operator",
    summary: "Checks a configuration and stores it, or says what would change",
    body: configBody,
    mostBodyBytes: 1024 * 1024,
    answer: configChanged,
    guarded: true,
  },
  change("post-demand", "demand", "Posts what a scheduler wants, as a message on the queue does", {
    query: postDemandQuery,
    body: postDemandBody,
    // As much as an upload of a sender may hold.
    mostBodyBytes: 32 * 1024 * 1024,
    answer: demandPosted,
  }),
  // For operators: rejected messages are a part of it, whole.
  operatorView(
    "support",
    "support/{part}",
    "One part of a support archive as it is stored, without secrets",
    { query: supportQuery, answer: supportAnswer },
  ),
  inquiry("what-if", "what-if", "A plan with extra jobs; nothing is sent", {
    body: whatIfBody,
    mostBodyBytes: 1024 * 1024,
    answer: whatIfAnswer,
  }),
  inquiry(
    "quote",
    "quote",
    "What jobs would cost, when they start and when they are done, in up to three ways",
    { body: quoteBody, mostBodyBytes: 1024 * 1024, answer: quoteAnswer },
  ),
  inquiry(
    "validate-constraint",
    "validate-constraint",
    "Whether constraints can be read, and which buckets and nodes satisfy them",
    { body: validateConstraintBody, answer: validateConstraintAnswer },
  ),
  change("actions", "actions", "Asks for something to be done, or what would be done", {
    body: actionBody,
    // The names of 10,000 nodes.
    mostBodyBytes: 1024 * 1024,
    answer: actionAnswer,
  }),
  change(
    "autoscale",
    "autoscale",
    "Says how many nodes of which node arrays there should be, whether jobs need them or not",
    { query: autoscaleQuery, body: autoscaleBody, bodyIsChecked: "by-answer", answer: autoscaleAnswer },
  ),
  {
    id: "autostop",
    method: "GET",
    path: `${ofCluster}/autostop`,
    role: "node",
    summary: "A node asks whether it may stop; when nobody needs it, it is going to be deleted",
    query: autostopQuery,
    answer: stopAnswer,
  },
  {
    id: "leaving",
    method: "POST",
    path: `${ofCluster}/leaving`,
    role: "node",
    summary: "A node says that Azure is about to take it; it takes no new jobs from then on",
    body: leavingBody,
    answer: leavingAnswer,
  },
  change(
    "stop",
    "stop",
    "Asks for a node to be stopped when nobody needs it, however short it has been idle",
    { query: stopQuery, answer: stopAnswer },
  ),
] as const satisfies readonly Route[];

export type RouteId = (typeof routes)[number]["id"];

export function routeOf(id: RouteId): Route {
  // There is one route of each id: its type is made of them.
  return routes.find((route) => route.id === id) as Route;
}
