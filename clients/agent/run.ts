import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../shared/errors/errors.ts";
import type { AgentConfig } from "./config.ts";
import type { Reading, SetAside } from "./drivers/driver.ts";
import { filesLine, logText, namedLine, passLine, refusalLine } from "./log-line.ts";
import { type PassPorts, runPass } from "./pass.ts";
import type { AgentState } from "./state.ts";
import type { WakeUp } from "./wake-up.ts";

/** So long after a pass that changed something, another looks at what became of it. */
const secondLookSeconds = 2;

export interface Loop {
  readonly config: Pick<AgentConfig, "cluster" | "source" | "intervalSeconds">;
  readonly ports: PassPorts;
  readonly wakeUp: WakeUp;
  readonly stop: AbortSignal;
  readonly once: boolean;
  /** One line of JSON. */
  readonly log: (line: string) => void;
}

/** Makes pass after pass until a signal stops it. A failed pass is logged, and the next one follows. */
export async function runLoop(before: AgentState, loop: Loop): Promise<{ readonly lastWasFine: boolean }> {
  let state = before;
  let unknownInARow = 0;
  const setAside = new Notices("set-aside", loop.config);
  const corrected = new Notices("corrected", loop.config, "information");
  for (;;) {
    const startedMilliseconds = Date.now();
    const cpu = process.cpuUsage();
    let isFine = false;
    let gapSeconds = loop.config.intervalSeconds;
    try {
      const { state: after, report } = await runPass(state, loop.ports);
      state = after;
      unknownInARow = report.reading.known ? 0 : unknownInARow + 1;
      isFine = report.reading.known && report.posted?.outcome === "sent";
      if (report.commands + report.events > 0 || report.named?.isOpen === true)
        gapSeconds = Math.min(gapSeconds, secondLookSeconds);
      const { user, system } = process.cpuUsage(cpu);
      const seconds = (Date.now() - startedMilliseconds) / 1000;
      loop.log(
        passLine(report, { ...loop.config, unknownInARow, seconds, cpuSeconds: (user + system) / 1e6 }),
      );
      const namedNews = namedLine(report, loop.config);
      if (namedNews !== undefined) loop.log(namedNews);
      if (report.files !== undefined) loop.log(filesLine(report.files, loop.config));
      for (const refusal of report.refusals) loop.log(refusalLine(refusal));
      const news = report.setAside && setAside.lineFor(report.setAside);
      if (news !== undefined) loop.log(news);
      const corrections = corrected.lineFor(correctionsIn(report.reading));
      if (corrections !== undefined) loop.log(corrections);
    } catch (error) {
      const { cluster, source } = loop.config;
      const problems = [logText(messageOf(error))];
      loop.log(JSON.stringify({ event: "pass", level: "error", cluster, source, problems }));
    }
    if (loop.once || loop.stop.aborted) return { lastWasFine: isFine };
    const elapsedSeconds = (Date.now() - startedMilliseconds) / 1000;
    await pause(Math.max(0, gapSeconds - elapsedSeconds), loop);
    if (loop.stop.aborted) return { lastWasFine: isFine };
  }
}

/** Ends early when the scheduler has news, or when it is over. Two passes are a second apart at least. */
async function pause(seconds: number, { wakeUp, stop }: Loop): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([stop, ended.signal]);
  const quiet = () => undefined;
  await sleep(1000, undefined, { signal: stop }).catch(quiet);
  await Promise.race([
    sleep(Math.max(0, seconds - 1) * 1000, undefined, { signal }).catch(quiet),
    wakeUp.next(signal),
  ]);
  ended.abort();
}

/** Of nodes whose state in the scheduler is put right: one that needs the same in several passes is told once. */
function correctionsIn(reading: Reading): readonly SetAside[] {
  if (!reading.known) return [];
  return reading.corrections.flatMap(({ nodes, why }) =>
    nodes === undefined || why === undefined ? [] : [{ record: nodes, reason: why }],
  );
}

const shownRecords = 20;

/** Logs what is to be known of single records when it is new, and not in every pass. */
export class Notices {
  readonly #event: string;
  readonly #agent: { readonly cluster: string; readonly source: string };
  readonly #level: "warning" | "information";
  #last: ReadonlySet<string> = new Set();

  constructor(
    event: string,
    { cluster, source }: { readonly cluster: string; readonly source: string },
    level: "warning" | "information" = "warning",
  ) {
    this.#event = event;
    this.#agent = { cluster, source };
    this.#level = level;
  }

  /** A line of JSON about the records that were not there before; undefined when there are none. */
  lineFor(records: readonly SetAside[]): string | undefined {
    const all = new Set(records.map(({ record, reason }) => logText(`${record}: ${reason}`)));
    const news = [...all].filter((each) => !this.#last.has(each));
    this.#last = all;
    if (news.length === 0) return undefined;
    return JSON.stringify({
      event: this.#event,
      level: this.#level,
      ...this.#agent,
      total: records.length,
      new: news.length,
      records: news.slice(0, shownRecords),
    });
  }
}
