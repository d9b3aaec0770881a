import type { RouteId } from "../service/service.ts";

/** A question that an assistant may ask: one route of the API, with the tools that lead on from its answer. */
export interface ReadingTool {
  readonly name: string;
  readonly route: RouteId;
  /** When to use it; the route's own summary says what it answers. */
  readonly use: string;
  readonly next: readonly string[];
}

const tools: Readonly<Record<string, Omit<ReadingTool, "name">>> = {
  clusters: {
    route: "clusters",
    use: "Call it first when several clusters are possible: other tools take one of these names as `cluster`.",
    next: ["status"],
  },
  status: {
    route: "status",
    use: "Is everything all right? Problems come first, each with what to do.",
    next: ["limits", "jobs", "events", "explain_job", "doctor"],
  },
  jobs: {
    route: "jobs",
    use: "Which jobs wait or run, and the reason of each. `state: waiting` leaves out what runs.",
    next: ["explain_job", "limits"],
  },
  explain_job: {
    route: "explain",
    use: "Why does a job wait, when will it start, what would it take? `job` is its name in its scheduler.",
    next: ["limits", "what_if", "nodes"],
  },
  explain_target: {
    route: "explain-target",
    use: "Why does a node array not have the nodes that a target or a schedule asks for? `target` is its name in `status`.",
    next: ["limits", "events"],
  },
  nodes: {
    route: "nodes",
    use: "Which nodes there are, what runs on them, which are idle, failed, drained or kept, and why.",
    next: ["node_history", "explain_job"],
  },
  node_history: {
    route: "history",
    use: "What happened to one node, gone ones included. `node` is its name, id or host name.",
    next: ["events", "nodes"],
  },
  limits: {
    route: "limits",
    use: "Which limit or quota binds, how much is used, and how many jobs wait behind it.",
    next: ["what_if", "jobs"],
  },
  buckets: {
    route: "buckets",
    use: "Which VM sizes new nodes can have, how many more fit, and how their boots went.",
    next: ["limits", "prices"],
  },
  prices: {
    route: "prices",
    use: "What an hour of each VM size costs, regular and spot, and where the price comes from.",
    next: ["cost"],
  },
  cost: {
    route: "cost",
    use: "Who spent what: `by` user, account, queue, array, size, day or job. Default: this month by array.",
    next: ["job_cost", "nodes"],
  },
  job_cost: {
    route: "job-cost",
    use: "What one job has cost until now. `job` is its name in its scheduler.",
    next: ["cost", "explain_job"],
  },
  events: {
    route: "events",
    use: "What happened, and who changed what: plans, nodes, failures, drains, configuration. Default: the last hour.",
    next: ["node_history", "plan"],
  },
  demand: {
    route: "demand",
    use: "What would be bought and deleted now. Nothing is sent.",
    next: ["explain_job", "what_if"],
  },
  what_if: {
    route: "what-if",
    use: "What would other jobs, higher limits or another placement need and cost? Nothing is sent; `brief: true` is shorter.",
    next: ["limits", "prices"],
  },
  quote: {
    route: "quote",
    use: "What jobs would cost before they are submitted, when they start and are done, in up to three ways. Nothing is sent.",
    next: ["what_if", "prices"],
  },
  plans: {
    route: "plans",
    use: "The latest plans: when each was made, why, and what it decided.",
    next: ["plan"],
  },
  plan: {
    route: "plan",
    use: "What one plan decided and what came of it. `planId` is from `plans` or `events`.",
    next: ["events", "explain_job"],
  },
};

export const readingTools: readonly ReadingTool[] = Object.entries(tools).map(([name, tool]) => ({
  name,
  ...tool,
}));
