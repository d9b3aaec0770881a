import type { z } from "zod";
import { actionAnswer, actionBody } from "./actions.ts";
import { autoscaleAnswer, autoscaleBody, autoscaleQuery } from "./autoscale.ts";
import { bucketsAnswer, bucketsQuery, limitsAnswer } from "./buckets.ts";
import { clustersAnswer } from "./clusters.ts";
import { configAnswer, configBody, configChanged } from "./config.ts";
import { validateConstraintAnswer, validateConstraintBody } from "./constraint.ts";
import { demandAnswer, demandQuery } from "./demand.ts";
import { explainAnswer, explainQuery } from "./explain.ts";
import { explainTargetQuery, targetExplanation } from "./explain-target.ts";
import { historyAnswer, historyQuery } from "./history.ts";
import { jobsAnswer, jobsQuery } from "./jobs.ts";
import { nodesAnswer, nodesQuery } from "./nodes.ts";
import { operationsAnswer, operationsQuery, operationView } from "./operations.ts";
import { planAnswer, planArchiveAnswer, plansAnswer, plansQuery } from "./plans.ts";
import { demandPosted, postDemandBody, postDemandQuery } from "./post-demand.ts";
import { rejectAnswer, rejectsAnswer, rejectsQuery, replayAnswer, replayBody } from "./rejections.ts";
import type { Role } from "./roles.ts";
import { statusAnswer } from "./status.ts";
import { autostopQuery, stopAnswer, stopQuery } from "./stop.ts";
import { supportAnswer, supportQuery } from "./support.ts";
import { whatIfAnswer, whatIfBody } from "./what-if.ts";

/** One operation of the API. */
export interface Route {
  /** Also the name of the function that serves it is made of it. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT";
  /** Below `/api/`, with `{parameters}`. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Largest body in bytes; absent: 64 KiB. */
  readonly mostBodyBytes?: number;
  /** The schema describes the body, and the answer checks it, with problems that name more than a schema can. */
  readonly bodyIsChecked?: "by-answer";
  readonly answer: z.ZodType;
  /** Answered with an ETag, 304 when nothing changed. */
  readonly polled?: true;
  /** Packed for callers that can unpack it: it may be of many megabytes. */
  readonly zipped?: true;
  /** Takes `If-Match` and `If-None-Match: *`: nothing is replaced that its caller has not seen. */
  readonly guarded?: true;
}

const ofCluster = "clusters/{cluster}";

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
  {
    id: "status",
    method: "GET",
    path: `${ofCluster}/status`,
    role: "reader",
    summary: "A cluster on one page, what is wrong first",
    answer: statusAnswer,
    polled: true,
  },
  {
    id: "nodes",
    method: "GET",
    path: `${ofCluster}/nodes`,
    role: "reader",
    summary: "Nodes with their jobs, what is left of them, and since when they are idle",
    query: nodesQuery,
    answer: nodesAnswer,
    polled: true,
  },
  {
    id: "history",
    method: "GET",
    path: `${ofCluster}/nodes/{node}/history`,
    role: "reader",
    summary: "What is remembered of a node: its lives, and what was asked of CycleCloud about it",
    query: historyQuery,
    answer: historyAnswer,
  },
  {
    id: "buckets",
    method: "GET",
    path: `${ofCluster}/buckets`,
    role: "reader",
    summary: "What new nodes can come from, every limit that holds there, and which one binds",
    query: bucketsQuery,
    answer: bucketsAnswer,
    polled: true,
  },
  {
    id: "limits",
    method: "GET",
    path: `${ofCluster}/limits`,
    role: "reader",
    summary: "Every limit once, with what is used and left of it",
    query: bucketsQuery,
    answer: limitsAnswer,
    polled: true,
  },
  {
    id: "jobs",
    method: "GET",
    path: `${ofCluster}/jobs`,
    role: "reader",
    summary: "Jobs that run, wait, or have a place in part, and why",
    query: jobsQuery,
    answer: jobsAnswer,
    polled: true,
  },
  {
    id: "explain",
    method: "GET",
    path: `${ofCluster}/jobs/{job}/explain`,
    role: "reader",
    summary: "Why a job waits, or where it goes: every bucket's refusal with numbers, and what ends the wait",
    query: explainQuery,
    answer: explainAnswer,
  },
  {
    id: "explain-target",
    method: "GET",
    path: `${ofCluster}/targets/{target}/explain`,
    role: "reader",
    summary: "Why a target of a node array is not met, or what it has: with numbers, and what ends the wait",
    query: explainTargetQuery,
    answer: targetExplanation,
  },
  {
    id: "demand",
    method: "GET",
    path: `${ofCluster}/demand`,
    role: "reader",
    summary: "What a plan would do now; nothing is sent",
    query: demandQuery,
    answer: demandAnswer,
  },
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
    id: "operations",
    method: "GET",
    path: `${ofCluster}/operations`,
    role: "reader",
    summary: "Requests to CycleCloud and their fate, newest first",
    query: operationsQuery,
    answer: operationsAnswer,
    polled: true,
  },
  {
    id: "operation",
    method: "GET",
    path: `${ofCluster}/operations/{actionId}`,
    role: "reader",
    summary: "One request to CycleCloud and its fate",
    answer: operationView,
  },
  {
    id: "rejects",
    method: "GET",
    path: `${ofCluster}/rejects`,
    role: "reader",
    summary: "Messages that were refused or given up, newest first",
    query: rejectsQuery,
    answer: rejectsAnswer,
    polled: true,
  },
  {
    id: "reject",
    method: "GET",
    path: `${ofCluster}/rejects/{rejectionId}`,
    role: "operator",
    summary: "One message that was refused or given up, whole, with every problem",
    answer: rejectAnswer,
  },
  {
    id: "replay-reject",
    method: "POST",
    path: `${ofCluster}/rejects/{rejectionId}/replay`,
    role: "operator",
    summary: "Sends a rejected message, or a mended one in its place, on its way again",
    body: replayBody,
    mostBodyBytes: 256 * 1024,
    answer: replayAnswer,
  },
  {
    id: "config",
    method: "GET",
    path: `${ofCluster}/config`,
    role: "reader",
    summary: "The stored configuration, secrets shown as ***",
    answer: configAnswer,
  },
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
  {
    id: "post-demand",
    method: "POST",
    path: `${ofCluster}/demand`,
    role: "operator",
    summary: "Posts what a scheduler wants, as a message on the queue does",
    query: postDemandQuery,
    body: postDemandBody,
    // As much as an upload of a sender may hold.
    mostBodyBytes: 32 * 1024 * 1024,
    answer: demandPosted,
  },
  {
    id: "support",
    method: "GET",
    path: `${ofCluster}/support/{part}`,
    // Rejected messages are a part of it, whole.
    role: "operator",
    summary: "One part of a support archive as it is stored, without secrets",
    query: supportQuery,
    answer: supportAnswer,
    zipped: true,
  },
  {
    id: "what-if",
    method: "POST",
    path: `${ofCluster}/what-if`,
    role: "reader",
    summary: "A plan with extra jobs; nothing is sent",
    body: whatIfBody,
    mostBodyBytes: 1024 * 1024,
    answer: whatIfAnswer,
  },
  {
    id: "validate-constraint",
    method: "POST",
    path: `${ofCluster}/validate-constraint`,
    role: "reader",
    summary: "Whether constraints can be read, and which buckets and nodes satisfy them",
    body: validateConstraintBody,
    answer: validateConstraintAnswer,
  },
  {
    id: "actions",
    method: "POST",
    path: `${ofCluster}/actions`,
    role: "operator",
    summary: "Asks for something to be done, or what would be done",
    body: actionBody,
    answer: actionAnswer,
  },
  {
    id: "autoscale",
    method: "POST",
    path: `${ofCluster}/autoscale`,
    role: "operator",
    summary: "Says how many nodes of which node arrays there should be, whether jobs need them or not",
    query: autoscaleQuery,
    body: autoscaleBody,
    bodyIsChecked: "by-answer",
    answer: autoscaleAnswer,
  },
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
    id: "stop",
    method: "POST",
    path: `${ofCluster}/stop`,
    role: "operator",
    summary: "Asks for a node to be stopped when nobody needs it, however short it has been idle",
    query: stopQuery,
    answer: stopAnswer,
  },
] as const satisfies readonly Route[];

export type RouteId = (typeof routes)[number]["id"];
