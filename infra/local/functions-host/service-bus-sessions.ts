import { isServiceBusError, type ServiceBusSessionReceiver } from "@azure/service-bus";
import { sleep, waitAtMost } from "./clock.ts";
import { describeError } from "./logger.ts";
import { settleInTurn } from "./service-bus-client.ts";
import {
  receiverOptions,
  runMessage,
  type ServiceBusTriggerParts,
  settleMs,
} from "./service-bus-delivery.ts";
import type { Trigger } from "./trigger.ts";

/** Pause after a failed try to get a session, so that a missing broker is asked a few times a second. */
const retryPauseMs = 300;

/**
 * Receives from a queue with sessions: takes the next free session whenever fewer than maxConcurrentSessions are
 * held, works through it one message at a time, and lets go of it when it was empty for sessionIdleTimeout.
 */
export class SessionTrigger implements Trigger {
  readonly #parts: ServiceBusTriggerParts;
  readonly #stopped = new AbortController();
  readonly #sessions = new Set<Promise<void>>();

  constructor(parts: ServiceBusTriggerParts) {
    this.#parts = parts;
  }

  start(): void {
    void this.#acceptSessions();
  }

  async #acceptSessions(): Promise<void> {
    const { settings } = this.#parts;
    while (!this.#stopped.signal.aborted) {
      const receiver = await this.#acceptNext();
      if (receiver === undefined) continue;
      const session = this.#workThrough(receiver);
      this.#sessions.add(session);
      void session.finally(() => this.#sessions.delete(session));
      while (this.#sessions.size >= settings.maxConcurrentSessions) await Promise.race(this.#sessions);
    }
  }

  /** Waits for a session with messages; undefined when there was none for a while, or no broker. */
  async #acceptNext(): Promise<ServiceBusSessionReceiver | undefined> {
    const { client, queue, settings, clock, warn } = this.#parts;
    try {
      return await client.acceptNextSession(queue, receiverOptions(settings));
    } catch (error) {
      if (this.#stopped.signal.aborted || isTimeout(error)) return undefined;
      warn(`cannot get a session of "${queue}": ${describeError(error)}`);
      await sleep(clock, retryPauseMs, this.#stopped.signal);
      return undefined;
    }
  }

  async #workThrough(receiver: ServiceBusSessionReceiver): Promise<void> {
    const { settings, log, queue } = this.#parts;
    const settle = settleInTurn(receiver);
    try {
      while (!this.#stopped.signal.aborted) {
        const [message] = await receiver.receiveMessages(1, {
          maxWaitTimeInMs: settings.sessionIdleTimeout,
          abortSignal: this.#stopped.signal,
        });
        if (message === undefined) break;
        await runMessage(this.#parts, message, settle);
      }
    } catch (error) {
      if (!this.#stopped.signal.aborted) {
        log("debug", `lost session "${receiver.sessionId}" of "${queue}": ${describeError(error)}`);
      }
    }
    // Fails when the connection is gone, and then the session is free anyway.
    await receiver.close().catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
  }

  async close(): Promise<void> {
    await waitAtMost(this.#parts.clock, settleMs, Promise.all(this.#sessions));
    // Ends a wait for the next session too; the client does not look at a signal there.
    await this.#parts.client.close();
  }
}

function isTimeout(error: unknown): boolean {
  return isServiceBusError(error) && error.code === "ServiceTimeout";
}
