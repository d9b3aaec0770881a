import { randomUUID } from "node:crypto";
import { type Clock, sleep, waitAtMost } from "./clock.ts";
import type { HostedFunction } from "./hosted-function.ts";
import { describeError, type Logger } from "./logger.ts";
import type {
  CoreInvocationContext,
  InvocationResponse,
  LogLevel,
  ProgrammingModel,
  TypedData,
} from "./rpc.ts";

/** What a trigger asks for. */
export interface InvocationInput {
  readonly data: TypedData;
  readonly metadata?: Readonly<Record<string, TypedData>>;
  /** Why the function runs, for the log: "timer fired", "message abc on queue jobs". */
  readonly reason: string;
}

/** How an invocation ended; `failed` covers a thrown error and the time-out alike. */
export type InvocationOutcome = {
  readonly functionName: string;
  readonly invocationId: string;
  readonly reason: string;
  readonly durationMs: number;
} & (
  | { readonly status: "succeeded"; readonly response: InvocationResponse }
  | { readonly status: "failed"; readonly error: unknown }
);

/** Runs a function once. Never rejects: the trigger decides by the outcome what becomes of its message. */
export type Invoke = (target: HostedFunction, input: InvocationInput) => Promise<InvocationOutcome>;

interface InvokerOptions {
  readonly model: ProgrammingModel;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timeoutMs?: number | undefined;
  readonly onOutcome?: (outcome: InvocationOutcome) => void;
}

/** Runs functions through the library's invocation model and knows which are still running. */
export class Invoker {
  readonly #options: InvokerOptions;
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: InvokerOptions) {
    this.#options = options;
  }

  readonly invoke: Invoke = (target, input) => {
    const run = this.#run(target, input);
    this.#running.add(run);
    return run.finally(() => this.#running.delete(run));
  };

  /** Waits for running invocations, at most so long; says how many are left. */
  async drain(milliseconds: number): Promise<number> {
    await waitAtMost(this.#options.clock, milliseconds, Promise.all(this.#running));
    return this.#running.size;
  }

  async #run(target: HostedFunction, input: InvocationInput): Promise<InvocationOutcome> {
    const { clock } = this.#options;
    const invocationId = randomUUID();
    const started = clock.now();
    const end = await this.#withTimeout(this.#callModel({ target, input, invocationId })).then(
      (response) => ({ status: "succeeded", response }) as const,
      (error: unknown) => ({ status: "failed", error }) as const,
    );
    const durationMs = clock.now() - started;
    const { name: functionName } = target;
    const outcome = { functionName, invocationId, reason: input.reason, durationMs, ...end };
    this.#report(outcome);
    return outcome;
  }

  /** The sequence of Azure's worker: arguments, handler, response. */
  async #callModel(call: Call): Promise<InvocationResponse> {
    const core = this.#coreContext(call);
    const invocation = this.#options.model.getInvocationModel(core);
    const { context, inputs } = await invocation.getArguments();
    core.state = "invocation";
    const result = await invocation.invokeFunction(context, inputs, call.target.callback);
    core.state = undefined;
    return await invocation.getResponse(context, result);
  }

  #coreContext({ target, input, invocationId }: Call): CoreInvocationContext {
    const { name: functionName, metadata, bindingName } = target;
    return {
      invocationId,
      request: {
        invocationId,
        inputData: [{ name: bindingName, data: input.data }],
        triggerMetadata: input.metadata ?? {},
      },
      metadata,
      state: undefined,
      log: (level, from, message) => {
        const category = from === "user" ? `Function.${functionName}.User` : `Function.${functionName}`;
        this.#options.logger({ level, message, category, functionName, invocationId });
      },
    };
  }

  async #withTimeout<T>(work: Promise<T>): Promise<T> {
    const { timeoutMs, clock } = this.#options;
    if (timeoutMs === undefined) return await work;
    const done = new AbortController();
    const expire = sleep(clock, timeoutMs, done.signal).then(() => {
      throw new Error(
        `Cannot wait for the function any longer: ${timeoutMs} ms, the functionTimeout of host.json`,
      );
    });
    // The loser of the race is ignored: neither may count as an unhandled rejection.
    expire.catch(() => undefined);
    work.catch(() => undefined);
    try {
      return await Promise.race([work, expire]);
    } finally {
      done.abort();
    }
  }

  #report(outcome: InvocationOutcome): void {
    const { functionName, invocationId, durationMs, reason } = outcome;
    const log = (level: LogLevel, message: string) =>
      this.#options.logger({
        level,
        category: `Function.${functionName}`,
        message,
        functionName,
        invocationId,
      });
    const failed = outcome.status === "failed";
    const detail = failed ? `: ${describeError(outcome.error)}` : "";
    const level = failed ? "error" : "information";
    log(level, `${outcome.status} in ${durationMs} ms (${reason})${detail}`);
    if (failed && outcome.error instanceof Error) log("debug", outcome.error.stack ?? "no stack");
    this.#options.onOutcome?.(outcome);
  }
}

interface Call {
  readonly target: HostedFunction;
  readonly input: InvocationInput;
  readonly invocationId: string;
}
