/** What people, nodes and programs ask for: actions, stops, targets, pauses, changes of the configuration. */

export { act } from "./act.ts";
export { type ConfigChanges, changeConfig } from "./change-config.ts";
export { decidePause } from "./decide-control.ts";
export { drainLeaving, type Leaving } from "./drain-leaving.ts";
export { notify } from "./notify.ts";
export { pauseCluster, resumeCluster } from "./pause-cluster.ts";
export { postDemand } from "./post-demand.ts";
export { readUsage } from "./read-usage.ts";
export { replayReject } from "./replay-reject.ts";
export { requestStop, type StopOutcome, type StopRequest } from "./request-stop.ts";
export { requestTargets } from "./request-targets.ts";
export { tendCluster } from "./tend-cluster.ts";
