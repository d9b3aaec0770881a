/** A question of an operator's day, the one command that answers it, and what its first lines must say. */
export interface Question {
  readonly ask: string;
  readonly argv: readonly string[];
  /** Each must be found in the first `within` lines of what is printed. */
  readonly answer: readonly RegExp[];
  /** Default: 12, half of the smallest usual screen. */
  readonly within?: number;
  /** Default 0; a command that refuses something ends with 1, and says why. */
  readonly code?: number;
}

const job = '{"constraints": {"ncpus": 16, "node.nodearray": "mem"}, "iterations": 4}';

/** In the order in which a day asks them. */
export const questions: readonly Question[] = [
  {
    ask: "Is everything all right? If not, what is the gravest?",
    argv: ["status"],
    answer: [/^STOPPED: Paused by ann: quota talks/, /6 nodes of htc failed .*exit code 32 of mount/],
  },
  {
    ask: "Why does this job wait, and what would it take to run?",
    argv: ["explain", "60000"],
    answer: [
      /waits for 1 slot/,
      /core limit of node array htc leaves 0 new nodes: 19200 of 19200/,
      /With all 3 raised, it has its place/,
    ],
  },
  {
    ask: "When will this job start?",
    argv: ["explain", "95003"],
    answer: [/has its place, and waits for its node/, /Booting: 1 of 1 nodes .*ready in/],
  },
  {
    ask: "How many jobs wait, and for which reasons?",
    argv: ["jobs", "--summary"],
    answer: [/^9600 .*waiting.*Room is free in mem/m, /^397 .*node limit of node array hpc/m, /256 ncpus/],
  },
  {
    ask: "Which limit binds, and which is the next?",
    argv: ["limits"],
    answer: [
      /^node-array +htc +cores +19200 +19200 +0 +9600 +153600 +2/m,
      /^node-array +htc +nodes +1200 +1200/m,
      /family +westeurope\/standardHBv3Family/,
    ],
  },
  {
    ask: "What will be bought next, and what does that cost?",
    argv: ["demand"],
    answer: [
      /^\+5 Standard_E16as_v5 in mem, \+5\.48 USD\/h, ready in about .*; 10000 jobs wait/,
      /paused by ann/,
    ],
  },
  {
    ask: "What would four more slots of mem take?",
    argv: ["what-if", "--job", job],
    answer: [/^\+4 Standard_E16as_v5 in mem, \+4\.38 USD\/h, ready in about/],
  },
  {
    ask: "What does a job cost, before it is submitted?",
    argv: [
      "quote",
      "--job",
      '{"constraints": {"ncpus": 16, "node.nodearray": "mem"}, "runtimeSeconds": 3600}',
    ],
    answer: [/^as it is +1 Standard_E16as_v5 in mem/m],
  },
  {
    ask: "What would a higher limit and quota bring?",
    argv: [
      "what-if",
      ...["--raise", "node-array hpc 20 nodes"],
      ...["--raise", "family westeurope/standardHBv3Family 2400 cores"],
    ],
    answer: [/\+\d+ Standard_HB120rs_v3 in hpc, .*USD\/h/],
  },
  {
    ask: "Which nodes idle, since when, and why are they not deleted?",
    argv: ["nodes", "--idle", "--sort", "-idle", "--limit", "8"],
    answer: [/^spot-\d+ .* \d+m.* held/m, /no node goes now: What runs where is unknown/],
  },
  {
    ask: "Which nodes failed, and why?",
    argv: ["nodes", "--state", "Failed"],
    answer: [/^gpu-5 .*Xid 79/m, /^htc-11 .*exit code 32 of mount \/shared/m],
  },
  {
    ask: "What changed in the last hour, and who did it?",
    argv: ["events", "--since", "1h", "--kind", "pause,resume,config,drain,keep-alive,ignore,targets"],
    answer: [
      /pause +- +ann +Paused: quota talks/,
      /ignore +hpc-7 +ann/,
      /config +- +ann +.*idle_timeout\.htc/,
    ],
  },
  {
    ask: "What happened to the cluster since then?",
    argv: ["events", "--since", "2h", "--limit", "40"],
    answer: [/node-failed .*6 nodes failed: Software Configuration/, /node-lost/, /rejected .*lsf/],
    within: 41,
  },
  {
    ask: "Which messages of which source were refused, and why?",
    argv: ["rejects", "list"],
    answer: [/invalid +field +lsf .*ttlSeconds: -4/],
  },
  {
    ask: "What does this cost now, and this month?",
    argv: ["cost"],
    answer: [/^[\d.]+ USD from 20/, /^Now 3\d{3}\.\d\d USD an hour; forecast for 20/m, /^TOTAL/m],
  },
  {
    ask: "Who spends it?",
    argv: ["cost", "--by", "user"],
    answer: [/^Now .* USD an hour/m, /^user-\d+ +[\d.]+ +[\d.]+%/m],
  },
  {
    ask: "What is spot's share, and how much was evicted?",
    argv: ["cost", "--by", "spot"],
    answer: [
      /^Spot: \d+ of \d+ cores \(1\d %\); evicted within the hour: 9 Standard_D16as_v5/m,
      /^spot +[\d.]+ +[\d.]+%/m,
    ],
  },
  {
    ask: "May I delete this node? What would happen?",
    argv: ["delete-nodes", "htc-9", "--dry-run"],
    answer: [/htc-9 +runs job 20008 +Drain it and wait/],
    code: 1,
  },
  {
    ask: "How do I drain a rack safely, so many at a time?",
    argv: ["drain", "-a", "htc", "--rolling", "10%", "--dry-run", "--reason", "new image"],
    answer: [/^Would drain 1200 nodes, 120 at a time/, /htc-1 to htc-1200/],
  },
  {
    ask: "How do I keep a node for two days?",
    argv: ["keep-alive", "on", "htc-9", "--for", "2d", "--reason", "a user debugs there", "--dry-run"],
    answer: [/^Would keep 1 node alive until 20/],
  },
  {
    ask: "Which nodes are kept, drained or ignored: by whom, until when, why?",
    argv: ["nodes", "--held"],
    answer: [
      /^hpc-7 +ignored +ann .*with the vendor/m,
      /^htc-101 +draining +bob .*disk errors/m,
      /^mem-3 +kept alive +bob .*in 1d23h.*a user debugs there|^mem-3 +kept alive +bob/m,
    ],
  },
  {
    ask: "What would another idle time-out do?",
    argv: ["config", "set", "idle_timeout.spot", "600", "--dry-run"],
    answer: [
      /idle_timeout\.spot: \(absent\) -> 600/,
      /1[45]\d nodes would go as soon as it is known again what runs where/,
    ],
  },
  {
    ask: "How do I undo a change of the configuration, and what would that do?",
    argv: ["config", "rollback", "--dry-run"],
    answer: [/^Would store the configuration/, /idle_timeout: .* -> 3600/],
  },
  {
    ask: "What boots slowest, and what fails most?",
    argv: ["buckets", "--boots"],
    answer: [/^gpu +Standard_NC24ads_A100_v4 +\d+ +\d+ +\d+\.\d% +1\dm/m],
    within: 2,
  },
  {
    ask: "Did my target apply? If not, why?",
    argv: ["explain", "--target", "gpu"],
    answer: [
      /^Target "gpu" .* has 39 of 50 nodes/,
      /node limit of node array gpu leaves 0 new nodes: 40 of 40/,
    ],
  },
  {
    ask: "What did the planner decide at that time, why, and why this size?",
    argv: ["plans", "--at", "10s"],
    answer: [
      /^because +/m,
      /create 5 Standard_E16as_v5 of mem/,
      /at 1\.096 USD an hour each: the first size/,
    ],
  },
  {
    ask: "What is this user's bill of the week?",
    argv: ["cost", "--user", "user-0", "--by", "job", "--from", "7d"],
    answer: [/^[\d.]+ USD of user "user-0" from 20/, /^JOB +USER/m],
  },
  {
    ask: "Which nodes cost most while they had no job?",
    argv: ["cost", "--by", "node", "--limit", "5"],
    answer: [/^NODE +COST/m, /^(?:hpc|gpu|htc|spot|mem)-\d+ +[\d.]+ /m],
  },
  {
    ask: "How many evictions were there in each week?",
    argv: ["events", "--since", "28d", "--kind", "node-lost", "--summary"],
    answer: [/^20\d\d-\d\d-\d\d +node-lost +Spot\w+ +spot +Standard_D16as_v5 +\d+ +9$/m],
  },
  {
    ask: "What is there, and what does an hour of it cost?",
    argv: ["nodes", "--summary"],
    answer: [/hpc/, /htc/, /spot/],
  },
  {
    ask: "What happened to this node?",
    argv: ["history", "htc-9"],
    answer: [/htc-9/, /create-nodes/],
  },
  {
    ask: "What was CycleCloud asked for, and how did it end?",
    argv: ["operations", "--since", "2h"],
    answer: [/create-nodes +visible/, /bob/],
  },
  {
    ask: "What does an hour of each size cost?",
    argv: ["prices"],
    answer: [/^hpc +Standard_HB120rs_v3 /m, /^spot +Standard_D16as_v5 /m],
  },
  {
    ask: "What has this job cost until now?",
    argv: ["cost", "--job", "20008"],
    answer: [/^Job "20008": [\d.]+ USD until .*1 running/],
  },
  {
    ask: "Who has what of a quota that clusters share?",
    argv: ["limits", "--shared"],
    answer: [/^No other cluster of the deployment takes from the same quotas/],
  },
  {
    ask: "Which sizes fit such a job?",
    argv: ["validate-constraint", "ncpus=64", "node.nodearray=hpc"],
    answer: [/^hpc\/Standard_HB120rs_v3 +yes/m],
  },
];
