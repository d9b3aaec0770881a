/**
 * Calls every route with the typed client, and prints what each answered: its status, and the kind of a problem. The compiler checks
 * it here against the sources, and the test once more against the package in an empty folder, where it runs.
 */
import { createClient } from "../../../clients/library/client/index.ts";

const [, , url = "", cluster = ""] = process.argv;
const service = createClient({ url });
const path = { cluster };

const nodes = await service.GET("/clusters/{cluster}/nodes", { params: { path, query: { limit: 10 } } });
const node = nodes.data?.nodes.find(({ nodeId }) => nodeId !== null);
const plans = await service.GET("/clusters/{cluster}/plans", { params: { path } });
const planId = plans.data?.plans[0]?.planId ?? "none";
const operations = await service.GET("/clusters/{cluster}/operations", { params: { path } });
const actionId = operations.data?.operations[0]?.actionId ?? "none";
const config = await service.GET("/clusters/{cluster}/config", { params: { path } });
const instance = node?.nodeId ?? "none";
const jobs = [{ name: "more", constraints: { ncpus: 4 } }];
const message = {
  kind: "snapshot",
  source: "client",
  sequence: 1,
  sentAt: new Date().toISOString(),
  jobs,
} as const;

const calls = {
  clusters: () => service.GET("/clusters"),
  status: () => service.GET("/clusters/{cluster}/status", { params: { path } }),
  nodes: async () => nodes,
  history: () =>
    service.GET("/clusters/{cluster}/nodes/{node}/history", {
      params: { path: { cluster, node: node?.name ?? "none" } },
    }),
  buckets: () => service.GET("/clusters/{cluster}/buckets", { params: { path } }),
  limits: () => service.GET("/clusters/{cluster}/limits", { params: { path } }),
  prices: () => service.GET("/clusters/{cluster}/prices", { params: { path } }),
  cost: () => service.GET("/clusters/{cluster}/cost", { params: { path } }),
  "config-versions": () => service.GET("/clusters/{cluster}/config/versions", { params: { path } }),
  events: () => service.GET("/clusters/{cluster}/events", { params: { path } }),
  lives: () => service.GET("/clusters/{cluster}/lives", { params: { path } }),
  samples: () => service.GET("/clusters/{cluster}/samples", { params: { path } }),
  "job-cost": () =>
    service.GET("/clusters/{cluster}/jobs/{job}/cost", { params: { path: { cluster, job: "one" } } }),
  doctor: () => service.GET("/clusters/{cluster}/doctor", { params: { path } }),
  week: () => service.GET("/clusters/{cluster}/week", { params: { path } }),
  usage: () => service.GET("/clusters/{cluster}/usage", { params: { path } }),
  jobs: () => service.GET("/clusters/{cluster}/jobs", { params: { path } }),
  explain: () =>
    service.GET("/clusters/{cluster}/jobs/{job}/explain", { params: { path: { cluster, job: "one" } } }),
  "explain-target": () =>
    service.GET("/clusters/{cluster}/targets/{target}/explain", {
      params: { path: { cluster, target: "nobody" } },
    }),
  demand: () => service.GET("/clusters/{cluster}/demand", { params: { path } }),
  plans: async () => plans,
  plan: () => service.GET("/clusters/{cluster}/plans/{planId}", { params: { path: { cluster, planId } } }),
  "plan-archive": () =>
    service.GET("/clusters/{cluster}/plans/{planId}/archive", { params: { path: { cluster, planId } } }),
  "plan-difference": () =>
    service.GET("/clusters/{cluster}/plans/{planId}/difference", {
      params: { path: { cluster, planId }, query: { before: planId } },
    }),
  operations: async () => operations,
  operation: () =>
    service.GET("/clusters/{cluster}/operations/{actionId}", { params: { path: { cluster, actionId } } }),
  rejects: () => service.GET("/clusters/{cluster}/rejects", { params: { path } }),
  reject: () =>
    service.GET("/clusters/{cluster}/rejects/{rejectionId}", {
      params: { path: { cluster, rejectionId: "none" } },
    }),
  "replay-reject": () =>
    service.POST("/clusters/{cluster}/rejects/{rejectionId}/replay", {
      params: { path: { cluster, rejectionId: "none" } },
      body: { dryRun: true },
    }),
  config: async () => config,
  "put-config": () =>
    service.PUT("/clusters/{cluster}/config", {
      params: { path, header: { "If-Match": config.data?.etag ?? "" } },
      body: { config: { idle_timeout: 60 }, by: "ann", reason: "a test", dryRun: true },
    }),
  "post-demand": () => service.POST("/clusters/{cluster}/demand", { params: { path }, body: message }),
  support: () =>
    service.GET("/clusters/{cluster}/support/{part}", { params: { path: { cluster, part: "snapshot" } } }),
  quote: () => service.POST("/clusters/{cluster}/quote", { params: { path }, body: { jobs } }),
  "what-if": () => service.POST("/clusters/{cluster}/what-if", { params: { path }, body: { jobs } }),
  "validate-constraint": () =>
    service.POST("/clusters/{cluster}/validate-constraint", {
      params: { path },
      body: { constraints: { ncpus: 4 } },
    }),
  actions: () =>
    service.POST("/clusters/{cluster}/actions", {
      params: { path },
      body: { kind: "pause", by: "ann", reason: "a test", dryRun: true },
    }),
  autoscale: () => service.POST("/clusters/{cluster}/autoscale", { params: { path }, body: [] }),
  autostop: () => service.GET("/clusters/{cluster}/autostop", { params: { path, query: { instance } } }),
  leaving: () =>
    service.POST("/clusters/{cluster}/leaving", { params: { path }, body: { instance, event: "Preempt" } }),
  stop: () => service.POST("/clusters/{cluster}/stop", { params: { path, query: { instance } } }),
};

const answered: Record<string, string> = {};
for (const [id, call] of Object.entries(calls)) {
  const { data, error, response } = await call();
  const problem = data === undefined ? ` ${error?.type ?? "no problem, and no answer"}` : "";
  answered[id] = `${response.status}${problem}`;
}
console.log(JSON.stringify(answered));
