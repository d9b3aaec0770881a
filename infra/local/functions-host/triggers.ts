import { queueConnection, resolveConnection, serviceBusConnection } from "./connections.ts";
import type { HostJson } from "./host-json.ts";
import type { HostedFunction } from "./hosted-function.ts";
import { startQueueTrigger } from "./queue-trigger.ts";
import { startServiceBusTrigger } from "./service-bus-trigger.ts";
import type { Settings } from "./settings.ts";
import { startTimerTrigger } from "./timer-trigger.ts";
import type { Trigger, TriggerContext } from "./trigger.ts";

/** What the triggers of one host share. */
export interface TriggerSurroundings {
  readonly settings: Settings;
  readonly hostJson: HostJson;
  readonly queueLeaseSeconds: number;
}

/** Starts the trigger of a function; those that the HTTP server calls have none of their own. */
export function startTrigger(context: TriggerContext, around: TriggerSurroundings): Trigger | undefined {
  const { settings, hostJson, queueLeaseSeconds: leaseSeconds } = around;
  const { triggerType, trigger } = context.target;
  switch (triggerType) {
    case "timertrigger":
      return startTimerTrigger(context);
    case "queuetrigger": {
      const connection = resolveConnection(queueConnection, trigger.connection, settings);
      return startQueueTrigger({ ...context, settings: hostJson.queues, connection, leaseSeconds });
    }
    case "servicebustrigger": {
      const connection = resolveConnection(serviceBusConnection, trigger.connection, settings);
      return startServiceBusTrigger({ ...context, settings: hostJson.serviceBus, connection });
    }
    case "httptrigger":
    case "eventgridtrigger":
      return undefined;
  }
}

/** One phrase about what starts a function: `queue job-demand`, `timer 0 * * * * *`. */
export function describeTrigger({ triggerType, trigger }: HostedFunction): string {
  switch (triggerType) {
    case "timertrigger":
      return `timer ${String(trigger.schedule)}`;
    case "queuetrigger":
      return `queue ${String(trigger.queueName)}`;
    case "servicebustrigger":
      return `service bus ${String(trigger.queueName)}${trigger.isSessionsEnabled === true ? " (sessions)" : ""}`;
    case "eventgridtrigger":
      return "event grid";
    case "httptrigger":
      return `http ${String(trigger.route ?? "")}`;
  }
}
