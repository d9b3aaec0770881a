/** A question of an operator, the tools that an assistant calls one after the other, and what it reads in the last answer. */
export interface Conversation {
  readonly ask: string;
  readonly calls: readonly (readonly [tool: string, args?: Readonly<Record<string, unknown>>])[];
  readonly answer: readonly RegExp[];
}

/** About `conversationWorld`. */
export const conversations: readonly Conversation[] = [
  { ask: "Which clusters are there?", calls: [["clusters"]], answer: [/"cluster":"hpc"/] },
  {
    ask: "Is everything all right?",
    calls: [["status"]],
    answer: [/1 node of htc failed \(htc-4\)/, /2 jobs wait, \\"1202\\" first/],
  },
  {
    ask: "Does it scale, or did somebody pause it?",
    calls: [["status"]],
    answer: [/"nodes":\{"Ready":2/, /"snapshot":\{"takenAt":"2027-/],
  },
  {
    ask: "Is the cluster set up as it should be?",
    calls: [["status"], ["doctor"]],
    answer: [/"check":"snapshot","cluster":"hpc","state":"ok"/, /"check":"storage"/],
  },
  {
    ask: "Why does job 1202 wait?",
    calls: [["explain_job", { job: "1202" }]],
    answer: [/Each place asks for 64 ncpus; the largest node, of htc\/Standard_F4s_v2, has 4/],
  },
  {
    ask: "When does job 1201 start?",
    calls: [["explain_job", { job: "1201" }]],
    answer: [/"state":"booting"/, /"asked":6,"granted":6/],
  },
  {
    ask: "Why did job 1203 get only a part of what it asked for?",
    calls: [
      ["jobs", { state: "partly" }],
      ["explain_job", { job: "1203" }],
    ],
    answer: [/"state":"partly"/, /"asked":40/, /"limit":"bucket"/],
  },
  {
    ask: "Which jobs wait?",
    calls: [["jobs", { state: "waiting" }]],
    answer: [/"job":"1202"/, /"job":"2000"/],
  },
  {
    ask: "Which jobs did the autoscaler not understand?",
    calls: [["jobs", { state: "set-aside" }]],
    answer: [/1204\|b/, /"set-aside":1/],
  },
  { ask: "How many jobs run?", calls: [["jobs", { state: "running" }]], answer: [/"running":1/] },
  {
    ask: "Where does job 1200 run?",
    calls: [["explain_job", { job: "1200" }]],
    answer: [/"state":"running"/, /htc-1/],
  },
  {
    ask: "What did it cost until now?",
    calls: [["job_cost", { job: "1200" }]],
    answer: [/"isRunning":true/, /"usd":0\.0/],
  },
  {
    ask: "Which nodes failed?",
    calls: [["nodes", { state: "Failed" }]],
    answer: [/"name":"htc-4"/, /"total":1/],
  },
  {
    ask: "What happened to htc-4?",
    calls: [
      ["nodes", { state: "Failed" }],
      ["node_history", { node: "htc-4" }],
    ],
    answer: [/"name":"htc-4"/, /"firstSeenAt":"2027-|"firstSeen":"2027-/],
  },
  {
    ask: "Which nodes may nobody delete?",
    calls: [["nodes", { name: "htc-3" }]],
    answer: [/"keepAlive":true/],
  },
  { ask: "What is in node array htc?", calls: [["nodes", { nodeArray: "htc" }]], answer: [/"name":"htc-2"/] },
  {
    ask: "Which limit keeps jobs waiting?",
    calls: [["limits"]],
    answer: [/"limit":"bucket","scope":"htc\/Standard_F4s_v2","unit":"nodes","max":10,"used":10,"left":0/],
  },
  {
    ask: "How many more HB120rs_v3 can there be?",
    calls: [["buckets", { constraint: '{"node.vm_size": "Standard_HB*"}' }]],
    answer: [/"vmSize":"Standard_HB120rs_v3"/, /"availableCount":4/],
  },
  {
    ask: "What does an hour of F4s_v2 cost?",
    calls: [["prices"]],
    answer: [/"vmSize":"Standard_F4s_v2"/, /"usdPerHour":0\.194/],
  },
  { ask: "What did the cluster cost this month?", calls: [["cost"]], answer: [/"usd":/, /"array":"htc"/] },
  { ask: "Who spent it?", calls: [["cost", { by: "user", from: "7d" }]], answer: [/"by":\["user"\]/] },
  {
    ask: "What changed in the last hour, and who did it?",
    calls: [["events", { from: "1h" }]],
    answer: [/"kind":"plan"/, /"at":"2027-/],
  },
  { ask: "What happens next?", calls: [["demand"]], answer: [/"create":/] },
  {
    ask: "What would ten slots of four cores cost on mpi?",
    calls: [
      [
        "what_if",
        { brief: true, jobs: [{ constraints: { ncpus: 4, "node.nodearray": "mpi" }, iterations: 10 }] },
      ],
    ],
    answer: [/"vmSize":"Standard_HB120rs_v3"/, /"usdPerHour":/],
  },
  {
    ask: "What would it cost me to run ten hours on four cores of mpi?",
    calls: [
      ["quote", { jobs: [{ constraints: { ncpus: 4, "node.nodearray": "mpi" }, runtimeSeconds: 36_000 }] }],
    ],
    answer: [/"vmSizes":\["Standard_HB120rs_v3"\]/, /How long nodes of mpi boot is not known yet/],
  },
  {
    ask: "What did the planner decide last?",
    calls: [["plans", { limit: 1 }]],
    answer: [/"planId":"plan-0002"/],
  },
  {
    ask: "Why?",
    calls: [
      ["plans", { limit: 1 }],
      ["plan", { planId: "plan-0002" }],
    ],
    answer: [/"summary":/, /"planId":"plan-0002"/],
  },
  {
    ask: "Why does nobody give me the job that I submitted as 9999?",
    calls: [["explain_job", { job: "9999" }]],
    answer: [/No source wants a job "9999"/],
  },
];
