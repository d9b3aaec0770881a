import { resolve } from "node:path";
import { type LoadedApp, loadApp } from "./app-loader.ts";
import { systemClock, waitAtMost } from "./clock.ts";
import { type HostJson, loadHostJson } from "./host-json.ts";
import { type HostedFunction, hostFunction, type RefusedFunction } from "./hosted-function.ts";
import { createHttpApp, type HttpListener, listen } from "./http-server.ts";
import { type HttpEndpoint, httpEndpoint } from "./http-trigger.ts";
import { type InvocationOutcome, Invoker } from "./invoke.ts";
import { describeError, filterLog, type Logger } from "./logger.ts";
import type { LogLevel } from "./rpc.ts";
import { exportSettings, loadSettings, type Settings } from "./settings.ts";
import type { Trigger } from "./trigger.ts";
import { describeTrigger, startTrigger, type TriggerSurroundings } from "./triggers.ts";

export interface StartOptions {
  /** Folder with host.json and package.json. */
  readonly appDir: string;
  /** 0 (the default) takes a free port. */
  readonly port?: number;
  /** Glob in place of package.json `main`, for example `functions/*.ts` to run sources unbuilt. */
  readonly main?: string;
  /** Beat the environment, which beats local.settings.json. */
  readonly settings?: Settings;
  readonly logger?: Logger;
  /** How long a killed host hides a queue message that it was working on; default 30. */
  readonly queueLeaseSeconds?: number;
  /** How long `stop` waits for running invocations; default 10,000. */
  readonly graceMs?: number;
  /** Called after every invocation. */
  readonly onInvocation?: (outcome: InvocationOutcome) => void;
}

/** A function as the host sees it; `problem` says why it does not run. */
export interface FunctionSummary {
  readonly name: string;
  readonly trigger: string;
  readonly problem?: string;
}

export interface FunctionsHost {
  readonly url: string;
  readonly functions: readonly FunctionSummary[];
  /** Takes no new work, lets running invocations end within the grace time, closes everything. Safe to repeat. */
  stop(): Promise<void>;
}

const silence: Logger = () => undefined;

/**
 * Starts an app: loads its files, listens, starts the triggers. The settings are put into `process.env` until stop.
 * @throws Error when the app or host.json cannot be loaded, or the port is taken. A single function that cannot start
 * is logged and listed with its problem.
 */
export async function start(options: StartOptions): Promise<FunctionsHost> {
  const appDir = resolve(options.appDir);
  const settings = loadSettings({
    appDir,
    environment: process.env,
    ...(options.settings === undefined ? {} : { overrides: options.settings }),
  });
  const hostJson = loadHostJson(appDir, settings);
  const logger = filterLog(options.logger ?? silence, hostJson.logLevels);
  const restore = exportSettings(settings);
  const host = new Host({ options: { ...options, appDir }, hostJson, settings, logger, restore });
  try {
    return await host.start();
  } catch (error) {
    await host.stop();
    throw error;
  }
}

interface HostParts {
  readonly options: StartOptions;
  readonly hostJson: HostJson;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly restore: () => void;
}

class Host {
  readonly #parts: HostParts;
  readonly #functions: HostedFunction[] = [];
  readonly #refused: RefusedFunction[] = [];
  readonly #triggers: Trigger[] = [];
  readonly #endpoints: HttpEndpoint[] = [];
  #app: LoadedApp | undefined;
  #invoker: Invoker | undefined;
  #listener: HttpListener | undefined;
  #stopping: Promise<void> | undefined;

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  async start(): Promise<FunctionsHost> {
    const { options, hostJson } = this.#parts;
    const { appDir, main, port = 0 } = options;
    for (const warning of hostJson.warnings) this.#log("Host.Startup", "warning", warning);
    const log = (level: LogLevel, _category: string, message: string): void =>
      this.#log("Worker", level, message);
    const app = await loadApp({ appDir, log, ...(main === undefined ? {} : { main }) });
    this.#app = app;
    const invoker = this.#createInvoker(app);
    this.#sortOut(app);
    // Listens before the triggers start: with a taken port nothing may have been received.
    const notReady = () => Promise.reject(new Error("Cannot invoke a function: the app registered none"));
    const { invoke } = invoker ?? { invoke: notReady };
    const [endpoints, functions, refused] = [this.#endpoints, this.#functions, this.#refused];
    const serverLog = (level: LogLevel, message: string): void => this.#log("Host.Http", level, message);
    const http = createHttpApp({ endpoints, functions, refused, invoke, log: serverLog });
    this.#listener = await listen(http.fetch, port);
    if (invoker !== undefined) this.#startTriggers(invoker);
    return { url: this.#listener.url, functions: this.#summaries(), stop: () => this.stop() };
  }

  #createInvoker({ model }: LoadedApp): Invoker | undefined {
    const { options, hostJson, logger } = this.#parts;
    if (model === undefined) return undefined;
    this.#invoker = new Invoker({
      model,
      logger,
      clock: systemClock,
      timeoutMs: hostJson.functionTimeoutMs,
      ...(options.onInvocation === undefined ? {} : { onOutcome: options.onInvocation }),
    });
    return this.#invoker;
  }

  #sortOut({ registry }: LoadedApp): void {
    const { hostJson, settings } = this.#parts;
    for (const registered of registry.functions.values()) {
      const result = hostFunction(registered, settings);
      if ("problem" in result) {
        this.#refuse(result.name, result.problem);
        continue;
      }
      try {
        if (result.triggerType === "httptrigger")
          this.#endpoints.push(httpEndpoint(result, hostJson.routePrefix));
        this.#functions.push(result);
      } catch (error) {
        this.#refuse(result.name, describeError(error));
      }
    }
  }

  #startTriggers({ invoke }: Invoker): void {
    const { settings, hostJson, options } = this.#parts;
    const around: TriggerSurroundings = {
      settings,
      hostJson,
      queueLeaseSeconds: options.queueLeaseSeconds ?? 30,
    };
    for (const target of [...this.#functions]) {
      const log = (level: LogLevel, message: string): void =>
        this.#log(`Host.Triggers.${target.name}`, level, message, target.name);
      try {
        const trigger = startTrigger({ target, invoke, clock: systemClock, log }, around);
        if (trigger !== undefined) this.#triggers.push(trigger);
      } catch (error) {
        this.#functions.splice(this.#functions.indexOf(target), 1);
        this.#refuse(target.name, describeError(error));
      }
    }
  }

  #refuse(name: string, problem: string): void {
    this.#refused.push({ name, problem });
    this.#log("Host.Startup", "error", `function "${name}" does not run: ${problem}`, name);
  }

  #summaries(): readonly FunctionSummary[] {
    const endpoints = new Map(this.#endpoints.map((endpoint) => [endpoint.target.name, endpoint]));
    const running = this.#functions.map((target) => {
      const endpoint = endpoints.get(target.name);
      const trigger =
        endpoint === undefined
          ? describeTrigger(target)
          : `${endpoint.methods.join(",") || "*"} ${endpoint.template}`;
      return { name: target.name, trigger };
    });
    return [...running, ...this.#refused.map((refused) => ({ ...refused, trigger: "-" }))];
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { graceMs = 10_000 } = this.#parts.options;
    this.#listener?.stop();
    await Promise.all(this.#triggers.map((trigger) => trigger.stop()));
    const left = (await this.#invoker?.drain(graceMs)) ?? 0;
    if (left > 0)
      this.#log("Host.Shutdown", "warning", `${left} invocations did not end within ${graceMs} ms`);
    await this.#close();
    await this.#listener?.close();
    const app = this.#app;
    await app?.registry.runHooks("appTerminate", { hookData: app.registry.appHookData });
    this.#parts.restore();
  }

  /** Settling needs the broker, which may be gone: the wait for it is bounded. */
  async #close(): Promise<void> {
    const all = Promise.allSettled(this.#triggers.map((trigger) => trigger.close()));
    await waitAtMost(systemClock, closeMs, all);
  }

  #log(category: string, level: LogLevel, message: string, functionName?: string): void {
    this.#parts.logger({ category, level, message, ...(functionName === undefined ? {} : { functionName }) });
  }
}

const closeMs = 3_000;
