import { act, readUsage, requestTargets } from "../operate/index.ts";
import { accepted, answered, badRequest, problem, unknownCluster } from "./answered.ts";
import { answerLeaving } from "./leaving-answers.ts";
import type { ServicePorts } from "./ports.ts";
import type { AnswersFrom } from "./route-call.ts";
import { answerStop } from "./stop-answers.ts";
import { noteClaim } from "./storage-answers.ts";

/** Routes that only the service answers: what they ask for, its executor carries out. */
export const serviceAnswers = {
  actions: async (ports, { cluster, body, callerName, idempotencyKey }) => {
    const asked = { ...body, by: callerName ?? body.by };
    const done = await act(ports, { cluster, body: asked, key: idempotencyKey });
    switch (done.outcome) {
      case "answered":
        return answered(done.answer);
      case "refused":
        return problem("refused", 409, {
          title: "Nothing was done",
          problems: [...done.problems],
          ...(done.taken === undefined ? {} : { takenNames: [...done.taken] }),
        });
      case "key-reused":
        return problem("key-reused", 422, {
          title: "This Idempotency-Key was given before, for another request",
          detail: `Nothing was done. Give each request a key of its own; operations/${done.actionId} is what this one asked for`,
        });
      case "busy":
        return problem("busy", 503, { title: "Too many requests at the same moment", retryAfterSeconds: 2 });
      case "unknown-cluster":
        return unknownCluster(cluster);
    }
  },
  autoscale: async (ports, call) => {
    const { cluster, query, body: arrays } = call;
    const { request_set: requestSet, expiration_interval: expirationInterval, dry_run: dryRun } = query;
    noteClaim(ports, call, query.by);
    const wish = { cluster, requestSet, expirationInterval, arrays, dryRun };
    const asked = await requestTargets(ports, wish);
    return asked.outcome === "accepted"
      ? accepted(asked.answer, { isDryRun: dryRun })
      : badRequest("This is no list of node array definitions that can be followed", asked.problems);
  },
  usage: async (ports, { cluster, query }) => {
    const asked = await readUsage(ports, cluster, query);
    switch (asked.outcome) {
      case "read":
        return answered(asked.answer);
      case "not-asked":
        return problem("upstream", 502, { title: `CycleCloud was not asked: ${asked.why}` });
      case "unknown-cluster":
        return unknownCluster(cluster);
    }
  },
  autostop: async (ports, { cluster, query: { instance } }) => {
    const requestedBy = { who: `node with instance id ${instance}`, why: "autostop" };
    return answerStop(ports, { cluster, instance, requestedBy, afterIdleTime: true });
  },
  leaving: async (ports, { cluster, body: { instance, event, notBefore } }) =>
    answerLeaving(ports, {
      cluster,
      instance,
      event,
      notBeforeSeconds: notBefore === undefined ? undefined : Date.parse(notBefore) / 1000,
    }),
  stop: async (ports, { cluster, query: { instance, reason, by }, callerName }) => {
    const requestedBy = { who: callerName ?? by, why: reason };
    return answerStop(ports, { cluster, instance, requestedBy, afterIdleTime: false });
  },
} satisfies Partial<AnswersFrom<ServicePorts>>;
