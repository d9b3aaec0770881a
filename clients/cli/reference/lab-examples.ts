import type { Example } from "./command-example.ts";

/** Examples of `ccscale lab`, on the cluster of `npm start -- --example lab`. */
export const labExamples: Readonly<Record<string, readonly Example[]>> = {
  "lab exercise": [
    { line: "lab exercise", does: "which exercises there are", isShown: true },
    { line: "lab exercise 1", does: "breaks something, and tells what people see", isShown: true },
  ],
  "lab hint": [{ line: "lab hint 1", does: "where to look first", isShown: true }],
  "lab check": [{ line: "lab check 1", does: "whether it is resolved", isShown: true }],
  "lab status": [{ line: "lab status", does: "what is broken now", isShown: true }],
  "lab reset": [{ line: "lab reset", does: "puts everything back", isShown: true }],
  "lab drought": [
    { line: "lab drought htc --size F4s_v2", does: "Azure has no such VMs in htc", isShown: true },
    { line: "lab drought htc --mode fail", does: "nodes are added, and fail while they wait for a VM" },
    { line: "lab drought htc --off", does: "there is capacity again" },
  ],
  "lab fail": [
    { line: "lab fail htc --next 3", does: "the next three boots fail", isShown: true },
    { line: "lab fail htc --share 30% --message 'disk full'", does: "almost every third boot fails" },
    { line: "lab fail htc --off", does: "nodes boot again" },
  ],
  "lab slow": [
    { line: "lab slow htc --factor 10", does: "boots take ten times as long", isShown: true },
    { line: "lab slow htc --stuck Preparing", does: "new nodes never get ready" },
    { line: "lab slow htc --off", does: "boots take as long as usual" },
  ],
  "lab evict": [
    { line: "lab evict htc-spot-1", does: "Azure takes this node back", isShown: true },
    { line: "lab evict --nodearray htc-spot --share 50%", does: "half of the array's nodes" },
    { line: "lab evict --nodearray htc-spot --per-hour 30", does: "nodes to come, again and again" },
  ],
  "lab crash": [{ line: "lab crash htc-1", does: "a node fails while it is up", isShown: true }],
  "lab kill": [{ line: "lab kill htc-2", does: "a node is gone at once", isShown: true }],
  "lab outage": [
    { line: "lab outage --for 2m", does: "CycleCloud answers 503 for two minutes", isShown: true },
    { line: "lab outage login --for 2m", does: "it refuses the login: then ccscale resume is needed" },
    { line: "lab outage slow --delay 20s", does: "every answer takes twenty seconds" },
    { line: "lab down --for 2m", does: "the same as lab outage" },
    { line: "lab outage --off", does: "it answers again" },
  ],
  "lab silence": [
    { line: "lab silence", does: "the scheduler's agent stops", isShown: true },
    { line: "lab silence --off", does: "it posts again" },
  ],
  "lab limit": [
    { line: "lab limit htc --max-cores 32", does: "MaxCoreCount of a node array", isShown: true },
    { line: "lab limit --max-nodes 10", does: "MaxCount of the cluster" },
  ],
  "lab quota": [
    { line: "lab quota --family standardFSv2Family=48", does: "the quota of a VM family", isShown: true },
  ],
  "lab sizes": [
    { line: "lab sizes htc --add Standard_D8as_v5", does: "one more size in htc", isShown: true },
  ],
  "lab submit": [{ line: "lab submit lab-jobs.json", does: "jobs for the scheduler", isShown: true }],
  "lab queue": [{ line: "lab queue", does: "the scheduler's own queue", isShown: true }],
  "lab cancel": [{ line: "lab cancel 'sweep*'", does: "takes jobs back", isShown: true }],
};
