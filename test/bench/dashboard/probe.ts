import { setTimeout } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";

/** Counters of a page, as Chromium keeps them. */
export interface Counters {
  /** Milliseconds that the main thread was busy since the page was opened, waits for a processor included: scripts, style, layout and the rest. */
  readonly busyMs: number;
  readonly scriptMs: number;
  readonly layoutMs: number;
  readonly heapMb: number;
  readonly domNodes: number;
  readonly listeners: number;
}

/** What went over the network since the last look. */
export interface Traffic {
  readonly requests: number;
  readonly answers: number;
  readonly unchanged: number;
  readonly kilobytes: number;
}

const mostWaitMs = 60_000;

/** Watches one page of the dashboard. */
export class Probe {
  readonly #page: Page;
  readonly #session: CDPSession;
  #open = new Set<string>();
  #lastEndMs = Date.now();
  #requests = 0;
  #answers = 0;
  #unchanged = 0;
  #changed = 0;
  #bytes = 0;
  readonly #byPath = new Map<string, number>();

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  static async of(page: Page): Promise<Probe> {
    const session = await page.context().newCDPSession(page);
    const probe = new Probe(page, session);
    await session.send("Performance.enable");
    await session.send("Network.enable");
    session.on("Network.requestWillBeSent", ({ requestId, request }) => {
      if (!request.url.includes("/api/clusters")) return;
      probe.#open.add(requestId);
      probe.#requests += 1;
    });
    session.on("Network.responseReceived", ({ requestId, response }) => {
      if (!probe.#open.has(requestId)) return;
      const { pathname } = new URL(response.url);
      probe.#byPath.set(pathname, (probe.#byPath.get(pathname) ?? 0) + 1);
      probe.#answers += 1;
      if (response.status === 304) probe.#unchanged += 1;
      else probe.#changed += 1;
    });
    const end = ({ requestId, encodedDataLength = 0 }: { requestId: string; encodedDataLength?: number }) => {
      if (!probe.#open.delete(requestId)) return;
      probe.#bytes += encodedDataLength;
      probe.#lastEndMs = Date.now();
    };
    session.on("Network.loadingFinished", end);
    session.on("Network.loadingFailed", end);
    return probe;
  }

  /** Answers that were no 304. */
  get changed(): number {
    return this.#changed;
  }

  /** How often the path that was asked for most has been answered. */
  get polls(): number {
    return Math.max(0, ...this.#byPath.values());
  }

  /** Waits until an answer came after `known` others that were no 304, and none has been on its way for `quietMs` since. */
  async settled(known: number, quietMs = 500): Promise<void> {
    const isQuiet = () =>
      this.#changed > known && this.#open.size === 0 && Date.now() - this.#lastEndMs > quietMs;
    const endMs = Date.now() + mostWaitMs;
    while (!isQuiet()) {
      if (Date.now() > endMs) throw new Error(`Nothing new came within ${mostWaitMs} ms`);
      await setTimeout(50);
    }
  }

  async counters(): Promise<Counters> {
    const { metrics } = await this.#session.send("Performance.getMetrics");
    const read = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return {
      busyMs: read("TaskDuration") * 1_000,
      scriptMs: read("ScriptDuration") * 1_000,
      layoutMs: (read("LayoutDuration") + read("RecalcStyleDuration")) * 1_000,
      heapMb: read("JSHeapUsedSize") / 2 ** 20,
      domNodes: read("Nodes"),
      listeners: read("JSEventListeners"),
    };
  }

  async collectGarbage(): Promise<void> {
    // What one collection frees may hold what the next one frees.
    for (const _ of [1, 2, 3]) await this.#session.send("HeapProfiler.collectGarbage");
  }

  traffic(): Traffic {
    const traffic = {
      requests: this.#requests,
      answers: this.#answers,
      unchanged: this.#unchanged,
      kilobytes: this.#bytes / 1_000,
    };
    [this.#requests, this.#answers, this.#unchanged, this.#bytes] = [0, 0, 0, 0];
    return traffic;
  }

  async close(): Promise<void> {
    await this.#session.detach();
    await this.#page.close();
  }
}
