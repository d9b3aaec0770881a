import {
  defaultSettings,
  type NodeHistory,
  type Plan,
  type PlanInput,
  type Reason,
} from "../../../../shared/engine/index.ts";
import type { ScaleAction } from "../../../../shared/messages/scale-action.ts";
import type {
  ClusterConfig,
  ClusterControl,
  Operation,
  PlanHead,
  PlanSummary,
  RejectedMessage,
  Rejection,
  RequestSet,
  Snapshot,
  SourceDemand,
  WholePlan,
} from "../../../../shared/ports/index.ts";
import { nothingSpent } from "../../../support/snapshot.ts";

/** Small valid values for the contract suites; each takes what the case is about. */
export const startSeconds = 1_770_000_000.25;

export function snapshotOf(cluster: string, takenAtSeconds = startSeconds): Snapshot {
  return {
    cluster: { name: cluster, maxCount: 100, maxCoreCount: 1_000, nodeArrays: [], nodes: [] },
    takenAtSeconds,
    setAside: ["node x: no id"],
    untold: [{ kind: "node-deleted", nodes: [{ nodeId: "id-1", name: "htc-1", hostname: null }] }],
    spending: nothingSpent,
  };
}

export function demandOf(cluster: string, source: string, changed: Partial<SourceDemand> = {}): SourceDemand {
  return {
    cluster,
    source,
    sequence: 1,
    receivedAtSeconds: startSeconds,
    expiresAtSeconds: startSeconds + 300,
    jobs: [],
    nodes: [{ hostname: "ip-0A00", resources: { ncpus: 4 } }],
    ignoredMessages: 0,
    ...changed,
  };
}

export function targetsOf(
  cluster: string,
  requestSet: string,
  changed: Partial<RequestSet> = {},
): RequestSet {
  return {
    cluster,
    requestSet,
    source: "cron",
    sequence: 1,
    sentAtSeconds: startSeconds - 1,
    receivedAtSeconds: startSeconds,
    expiresAtSeconds: startSeconds + 300,
    arrays: [{ Name: "execute", TargetCoreCount: 128, Configuration: { version: "1.2.3" } }],
    ignoredMessages: 0,
    ...changed,
  };
}

export function rowOf(nodeId: string, changed: Partial<NodeHistory> = {}): NodeHistory {
  return {
    nodeId,
    name: `htc-${nodeId}`,
    hostname: null,
    instanceId: null,
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
    createdSeconds: startSeconds,
    readySeconds: null,
    lastMatchSeconds: null,
    deletedSeconds: null,
    ...changed,
  };
}

export function actionOf(cluster: string, actionId: string, reason = "3 jobs wait"): ScaleAction {
  return {
    version: 1,
    actionId,
    planId: "plan-1",
    cluster,
    requestId: "00000000-0000-5000-8000-000000000000",
    reason,
    createdAtSeconds: startSeconds,
    expiresAtSeconds: startSeconds + 300,
    kind: "start-nodes",
    nodes: [{ nodeId: "n1", name: "htc-1" }],
  };
}

export function operationOf(cluster: string, actionId: string, changed: Partial<Operation> = {}): Operation {
  return {
    cluster,
    actionId,
    state: "planned",
    action: actionOf(cluster, actionId),
    operationId: null,
    nodes: [],
    added: [],
    messages: [],
    createdAtSeconds: startSeconds,
    updatedAtSeconds: startSeconds,
    ...changed,
  };
}

export function summaryOf(cluster: string, planId: string, changed: Partial<PlanSummary> = {}): PlanSummary {
  return {
    cluster,
    planId,
    atSeconds: startSeconds,
    reason: "demand from celery",
    jobs: 3,
    placedJobs: 2,
    create: 1,
    start: 0,
    retire: 0,
    planSeconds: 0.25,
    readOnly: false,
    ...changed,
  };
}

const noCapacity: Reason = {
  code: "NoCapacity",
  bucket: { nodeArray: "htc", vmSize: "Standard_F4", placementGroup: null },
  constraint: null,
  limit: "region",
  asked: 3,
  left: 0,
};

export function headOf(cluster: string, planId: string): PlanHead {
  return {
    ...summaryOf(cluster, planId),
    requestedAtSeconds: 1_700_000_000,
    controlDigest: "digest",
    configDigest: "digest",
    longestWaits: [],
    newestLossId: null,
    bought: null,
    snapshotTakenAtSeconds: startSeconds - 5,
    demandReadAtSeconds: startSeconds - 1,
    demandSequences: { celery: 4 },
    unsentPlanIds: ["plan-0"],
    clusterDigest: "d1g3st",
    nextDeadlineSeconds: null,
    refusedQuotas: [],
    backedOff: [],
    troubled: [],
    bootsFailing: [],
    warnings: [],
    targetRequests: { standard: startSeconds },
    targets: [],
    draining: [],
    out: [],
    waiting: [{ name: "a", asked: 4, granted: 1, reasons: [noCapacity] }],
  };
}

export function archivedOf(summary: PlanSummary): WholePlan {
  return {
    archive: "whole",
    summary,
    input: inputOf(summary.cluster),
    plan: emptyPlan,
    actions: [actionOf(summary.cluster, "a-1")],
  };
}

function inputOf(cluster: string): PlanInput {
  return {
    nowSeconds: startSeconds,
    cluster: snapshotOf(cluster).cluster,
    jobs: [],
    schedulerNodes: [],
    pending: [],
    leavingNodeIds: [],
    history: [rowOf("n1")],
    lastPassSeconds: null,
    settings: defaultSettings,
  };
}

const emptyPlan: Plan = {
  jobs: [],
  targets: [],
  create: [],
  sizes: [],
  start: [],
  retire: [],
  retry: [],
  nodes: [],
  matched: [],
  unmatched: [],
  failed: [],
  timedOut: [],
  buckets: [],
  history: [],
  warnings: [{ code: "odd", subject: "x", message: "snowman ☃ and emoji 🚀" }],
};

export function rejectionOf(rejectionId: string, changed: Partial<Rejection> = {}): RejectedMessage {
  const rejection = {
    rejectionId,
    kind: "invalid" as const,
    cluster: "c",
    source: "celery",
    queue: "job-demand",
    receivedAtSeconds: startSeconds,
    attempts: 1,
    problems: ['jobs[0].name: "", expected letters'],
    excerpt: '{"version":1',
    ...changed,
  };
  return { rejection, body: '{"version":1,"jobs":[{"name":""}]}' };
}

export function controlOf(cluster: string, changed: Partial<ClusterControl> = {}): ClusterControl {
  return {
    cluster,
    paused: { by: "ann", reason: "quota talks ☃", atSeconds: startSeconds },
    refusedLogin: { fingerprint: "f1ng3rpr1nt", message: "HTTP 401 ☃", atSeconds: startSeconds },
    keptNodes: [{ nodeId: "n2", name: "htc-2", by: "bob", reason: "debug", atSeconds: startSeconds }],
    ignoredNodes: [{ nodeId: "n1", name: "htc-1", by: "ann", reason: "disk ☃", atSeconds: startSeconds }],
    drainedNodes: [{ nodeId: "n2", name: "htc-2", by: "bob", reason: "move ☃", atSeconds: startSeconds }],
    rolling: {
      by: "bob",
      reason: "new image ☃",
      atSeconds: startSeconds,
      atOnce: 1,
      replace: true,
      total: 3,
      left: [{ nodeId: "n1", name: "htc-1" }],
      inTurn: [{ nodeId: "n2", name: "htc-2" }],
    },
    ...changed,
  };
}

export function configOf(cluster: string, url = "https://ccserver"): ClusterConfig {
  return {
    cluster,
    connection: {
      url,
      username: "autoscaler",
      passwordSetting: "CYCLECLOUD_PASSWORD",
      verifyCertificates: true,
    },
    engine: defaultSettings,
    cycle: {
      snapshotIntervalSeconds: 60,
      maxSnapshotAgeSeconds: 300,
      demandTtlSeconds: 300,
      maxSources: 50,
      predictsRunTimes: true,
      actionTtlSeconds: 300,
      operationTimeoutSeconds: 900,
      nodeListLagSeconds: 120,
      drainTimeoutSeconds: 300,
      capacityFailureBackoffSeconds: 300,
      failedNodeRetries: 3,
      bootFailuresBeforeBackoff: 3,
      bootFailureBackoffSeconds: 1_800,
      targetAttributes: [],
      unhealthyNodes: {
        policy: { default: "report", byNodeArray: { hpc: "replace" } },
        reasons: ["NHC:*"],
        mostAtOnce: 2,
        mostPerDay: 10,
      },
      readOnly: false,
    },
    autostop: { idleSecondsBeforeJobs: 3_600, idleSecondsAfterJobs: 300, login: null },
    warnings: [],
  };
}
