import { randomUUID } from "node:crypto";
import type { Site } from "../../../shared/simulated-cyclecloud/index.ts";
import { type NodeEvent, nodeEvents, stepsBegun } from "./node-events.ts";

const lookEveryMilliseconds = 100;
const retryAfterMilliseconds = 1_000;
const mostAtOnce = 20;
/** Event Grid gives up after a day. */
const mostWaiting = 10_000;

export interface EventPublisher {
  stop(): Promise<void>;
}

/**
 * Stands for the topic and its subscription: posts what happens to nodes to a webhook, after the handshake of a new
 * subscription, in order, retrying until it is accepted.
 */
export function publishEvents(site: Site, url: string): EventPublisher {
  const stopping = new AbortController();
  const told = new Map<string, number>();
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    let waiting: readonly NodeEvent[] = [];
    let isSubscribed = false;
    while (!stopping.signal.aborted) {
      waiting = [...waiting, ...news()].slice(-mostWaiting);
      isSubscribed ||= await handshake();
      const some = waiting.slice(0, mostAtOnce);
      const isTaken = isSubscribed && (some.length === 0 || (await posted("Notification", some)).isTaken);
      if (isTaken) waiting = waiting.slice(some.length);
      await pause(isTaken ? lookEveryMilliseconds : retryAfterMilliseconds);
    }
  }

  /** Everything that has happened since the last look, in the order in which it did. */
  function news(): readonly NodeEvent[] {
    return site.clusterNames
      .flatMap((name) => {
        const { cluster, at } = site.clusterNow(name);
        const { subscription } = cluster.definition;
        return [...cluster.population.all()].flatMap((node) => {
          const from = told.get(node.nodeId) ?? 0;
          const begun = stepsBegun(node, at);
          if (begun === from) return [];
          told.set(node.nodeId, begun);
          return nodeEvents(node, { from, at, subscription });
        });
      })
      .toSorted((a, b) => Date.parse(a.eventTime) - Date.parse(b.eventTime));
  }

  async function handshake(): Promise<boolean> {
    const validationCode = randomUUID();
    const event = {
      id: randomUUID(),
      topic: "/subscriptions/simulator",
      subject: "",
      eventType: "Microsoft.EventGrid.SubscriptionValidationEvent",
      eventTime: new Date().toISOString(),
      dataVersion: "1",
      metadataVersion: "1",
      data: { validationCode },
    };
    const { isTaken, body } = await posted("SubscriptionValidation", [event]);
    return isTaken && body.includes(validationCode);
  }

  async function posted(
    type: string,
    events: readonly object[],
  ): Promise<{ isTaken: boolean; body: string }> {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", "aeg-event-type": type },
        body: JSON.stringify(events),
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(30_000)]),
      });
      return { isTaken: response.ok, body: await response.text() };
    } catch {
      return { isTaken: false, body: "" };
    }
  }

  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, milliseconds);
      stopping.signal.addEventListener("abort", done);
      function done(): void {
        clearTimeout(timer);
        stopping.signal.removeEventListener("abort", done);
        resolve();
      }
    });
  }
}
