import { app, type InvocationContext } from "@azure/functions";
import { planRequestsQueue, serviceBusConnection } from "../shared/app/names.ts";
import { answerPlanRequest, type LastReadings, requestPlan } from "../shared/cycle/index.ts";
import { messageOf } from "../shared/errors/errors.ts";
import { convertible } from "../shared/json/json.ts";
import { type PlanRequest, planRequestSchema } from "../shared/messages/index.ts";
import { tendCluster } from "../shared/operate/index.ts";
import type { Ports } from "../shared/ports/index.ts";
import { service } from "./support/service.ts";
import { settled } from "./support/settle.ts";

const lastReadings: LastReadings = new Map();

/** Plans one cluster, or reads it because a beat of the timer or news of CycleCloud asked for that. Its session makes sure that no other instance plans the same cluster meanwhile. */
export async function planScale(body: unknown, context: InvocationContext): Promise<void> {
  const request = planRequestSchema.parse(convertible(body));
  const { cluster, traceparent } = request;
  await service.run(context, { name: "plan-scale", traceparent, attributes: { cluster } }, async (ports) => {
    if (request.onBeat === true) return onBeat(ports, request);
    await settled({ trigger: "service-bus", log: ports.log, about: { cluster } }, () =>
      whenThereIsRoom(ports, request, () => answerPlanRequest(ports, request)),
    );
  });
}

/** `functionTimeout` counts the wait too and ends the whole instance: most of it is left for the plan. */
const mostWaitMilliseconds = 120_000;

/**
 * Plans of large clusters wait for each other. What they read is known before they read it. One that waits for too long gives
 * its session back and is asked for again: perhaps another instance takes it.
 */
async function whenThereIsRoom(
  ports: Ports,
  { cluster, refresh, reason }: PlanRequest,
  work: () => Promise<unknown>,
): Promise<void> {
  if (refresh === true) return void (await work());
  const demand = await ports.demand.summaries(cluster);
  const size = demand.reduce((sum, { jobs, nodes }) => sum + jobs + nodes, 0);
  const plan = async () => {
    await work();
    return true;
  };
  const isPlanned = await service.planning.take(size, plan, {
    onWait: () => ports.log.info("plan-waits", { cluster, size }),
    mostMilliseconds: mostWaitMilliseconds,
  });
  if (isPlanned === true) return;
  ports.log.info("plan-put-off", { cluster, size });
  await requestPlan(ports, { cluster, reason });
}

/** Never throws: the next beat is the retry, and a broker's retries of this one would only come before it. */
async function onBeat(ports: Ports, request: PlanRequest): Promise<void> {
  const { cluster } = request;
  const { notifier } = service;
  try {
    await settled({ trigger: "timer", log: ports.log, about: { cluster } }, () =>
      tendCluster(ports, request, { notifier, lastReadings }),
    );
  } catch (error) {
    ports.log.error("snapshot-failed", { cluster, message: messageOf(error) });
  }
}

app.serviceBusQueue("plan-scale", {
  queueName: planRequestsQueue,
  connection: serviceBusConnection,
  isSessionsEnabled: true,
  handler: planScale,
});
