import { Module } from "node:module";
import {
  type FunctionCallback,
  type FunctionMetadata,
  type HookCallback,
  type HookName,
  hookNames,
  type LogCategory,
  type LogLevel,
  type ProgrammingModel,
} from "./rpc.ts";

/** A function as the app registered it. */
export interface RegisteredFunction {
  readonly metadata: FunctionMetadata;
  readonly callback: FunctionCallback;
}

type CoreLog = (level: LogLevel, category: LogCategory, message: string) => void;

/** Runs a function once when disposed of; the shape that the library expects. */
export class Disposable {
  #dispose: (() => unknown) | undefined;

  constructor(dispose: () => unknown) {
    this.#dispose = dispose;
  }

  static from(...disposables: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const disposable of disposables) disposable.dispose();
    });
  }

  dispose(): unknown {
    const dispose = this.#dispose;
    this.#dispose = undefined;
    return dispose?.();
  }
}

/** What one app registered: functions until it is locked, hooks at any time. */
export class AppRegistry {
  readonly functions = new Map<string, RegisteredFunction>();
  readonly #hooks = new Map<HookName, Set<HookCallback>>();
  /** Shared by all hooks of the app, as `appHookData`. */
  readonly appHookData: Record<string, unknown> = {};
  #locked = false;

  /** @throws RangeError for a second function of the same name, as Azure's worker does. */
  registerFunction(metadata: FunctionMetadata, callback: FunctionCallback): Disposable {
    const { name } = metadata;
    if (this.#locked) {
      throw new RangeError(
        `Cannot register function "${name}": the app has started, expected it at load time`,
      );
    }
    if (this.functions.has(name)) {
      throw new RangeError(`Cannot register function "${name}": the name is taken, expected a unique name`);
    }
    this.functions.set(name, { metadata, callback });
    return new Disposable(() => this.functions.delete(name));
  }

  registerHook(name: HookName, callback: HookCallback): Disposable {
    const hooks = this.#hooks.get(name) ?? new Set();
    this.#hooks.set(name, hooks.add(callback));
    return new Disposable(() => hooks.delete(callback));
  }

  async runHooks(name: HookName, context: Record<string, unknown>): Promise<void> {
    for (const hook of this.#hooks.get(name) ?? []) await hook(context);
  }

  lock(): void {
    this.#locked = true;
  }
}

/**
 * The module that `require("@azure/functions-core")` yields. @azure/functions asks for it once per process and keeps
 * the answer, so there is one core per process, and it points at the app that is being loaded.
 */
export class FunctionsCore {
  readonly version = "3.10.1";
  readonly hostVersion = "4.1040.0";
  readonly Disposable = Disposable;
  #model: ProgrammingModel | undefined;
  #registry = new AppRegistry();
  #log: CoreLog = () => undefined;
  /** How many apps this process has loaded; the second and later ones need fresh module URLs. */
  loads = 0;

  /** Directs registrations and logs of the library to a new app. */
  startApp(log: CoreLog): AppRegistry {
    this.loads += 1;
    this.#registry = new AppRegistry();
    this.#log = log;
    return this.#registry;
  }

  // Arrow functions: importers that destructure the module call them without a receiver.
  readonly setProgrammingModel = (model: ProgrammingModel): void => {
    this.#model = model;
  };

  readonly getProgrammingModel = (): ProgrammingModel | undefined => this.#model;

  readonly registerFunction = (metadata: FunctionMetadata, callback: FunctionCallback): Disposable =>
    this.#registry.registerFunction(metadata, callback);

  readonly registerHook = (name: string, callback: HookCallback): Disposable => {
    const known = hookNames.find((each) => each === name);
    if (known !== undefined) return this.#registry.registerHook(known, callback);
    this.#log("warning", "system", `hook "${name}" is never run, expected ${hookNames.join(" or ")}`);
    return new Disposable(() => undefined);
  };

  readonly log: CoreLog = (level, category, message) => this.#log(level, category, message);
}

const coreModule = "@azure/functions-core";
const coreKey = Symbol.for("cyclecloud-autoscale.functions-core");

/**
 * Makes `require("@azure/functions-core")` work in this process, and returns what it yields. Must run before the app
 * touches @azure/functions: without a core the library silently goes into its test mode, for good. Installing again
 * returns the same core.
 */
export function installCore(): FunctionsCore {
  // Not in module scope: a test runner may evaluate this file twice in a process, and the library asks only once.
  const installed: unknown = Reflect.get(globalThis, coreKey);
  if (installed !== undefined) return installed as FunctionsCore;
  const core = new FunctionsCore();
  const load = Module.prototype.require;
  Module.prototype.require = function require(this: Module, id: string): unknown {
    return id === coreModule ? core : load.call(this, id);
  };
  Reflect.set(globalThis, coreKey, core);
  return core;
}
