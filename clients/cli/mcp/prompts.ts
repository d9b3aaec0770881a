/** A question that people ask often, with what it needs to know and how it is answered. */
export interface AskedOften {
  readonly name: string;
  readonly title: string;
  /** What the user fills in, by name. */
  readonly args: Readonly<Record<string, string>>;
  readonly text: (args: Readonly<Record<string, string>>) => string;
}

const shortly = "Answer in a few sentences, with the figures, and name the next step.";

export const prompts: readonly AskedOften[] = [
  {
    name: "all-right",
    title: "Is everything all right?",
    args: {},
    text: () =>
      `Call status. What is wrong with the cluster, the gravest first, and what should I do? ${shortly}`,
  },
  {
    name: "why-waits",
    title: "Why does my job wait?",
    args: { job: "its name in its scheduler" },
    text: ({ job }) =>
      `Call explain_job for job ${quoted(job)}. Why does it wait, and what would let it run? ${shortly}`,
  },
  {
    name: "when-starts",
    title: "When will my job start?",
    args: { job: "its name in its scheduler" },
    text: ({ job }) =>
      `Call explain_job for job ${quoted(job)}. When will it start, and what does that depend on? ${shortly}`,
  },
  {
    name: "what-binds",
    title: "Which limit keeps jobs waiting?",
    args: {},
    text: () =>
      `Call limits, and jobs with state waiting. Which limit keeps most cores waiting, and which is next? ${shortly}`,
  },
  {
    name: "who-spends",
    title: "Who spends the money?",
    args: { since: "how long back, such as 7d" },
    text: ({ since }) =>
      `Call cost with by user and from ${quoted(since)}. Who spent how much, and how much of it was idle time? ${shortly}`,
  },
  {
    name: "job-cost",
    title: "What did my job cost?",
    args: { job: "its name in its scheduler" },
    text: ({ job }) =>
      `Call job_cost for job ${quoted(job)}. What did it cost, and where did it run? ${shortly}`,
  },
  {
    name: "idle-nodes",
    title: "Which nodes are idle, and why are they still there?",
    args: {},
    text: () => `Call nodes. Which are idle, since when, and what keeps each from being deleted? ${shortly}`,
  },
  {
    name: "failed-nodes",
    title: "Which nodes failed, and why?",
    args: {},
    text: () =>
      `Call nodes with state Failed, and node_history for one of each reason. What failed, why, and what should I do? ${shortly}`,
  },
  {
    name: "what-changed",
    title: "What changed, and who did it?",
    args: { since: "how long back, such as 2h" },
    text: ({ since }) =>
      `Call events from ${quoted(since)}. What changed in that time, and who did it? ${shortly}`,
  },
  {
    name: "what-would-it-take",
    title: "What would these jobs need and cost?",
    args: { jobs: "such as 400 jobs of 8 cores for 2 hours" },
    text: ({ jobs }) =>
      `Call what_if with brief, for ${quoted(jobs)}. How many nodes of which size would be bought, what would they cost, and what would wait? ${shortly}`,
  },
];

/** As data: what somebody fills in is no part of the question. */
function quoted(text = ""): string {
  return JSON.stringify(text);
}
