/** One instance of the function app, in a process of its own: `startFleet` forks it, and reads what it reports. */
import { resolve } from "node:path";
import { appFiles } from "../../../infra/local/environment/app-files.ts";
import { type FunctionsHost, start } from "../../../infra/local/functions-host/index.ts";

/** What `startFleet` gives it, as JSON. */
export interface WorkerOrder {
  readonly settings: Readonly<Record<string, string>>;
}

/** One run of a function. */
export interface Invocation {
  readonly id: string;
  readonly functionName: string;
  /** Unix seconds of its end. */
  readonly atSeconds: number;
  readonly durationMs: number;
  readonly succeeded: boolean;
}

/** A log line of the app, as its fields, when it came (Unix seconds), and the run of a function that wrote it. */
export interface Line {
  readonly atSeconds: number;
  readonly invocation: string;
  readonly event: string;
  readonly cluster?: string;
  readonly [field: string]: unknown;
}

export type WorkerReport =
  | { readonly kind: "ready" }
  | { readonly kind: "invocation"; readonly invocation: Invocation }
  | { readonly kind: "line"; readonly line: Line };

/** To a parent that has gone meanwhile nothing is reported: with a callback that is no error of this process. */
const report = (message: WorkerReport) => process.send?.(message, undefined, {}, () => undefined);

async function startHost({ settings }: WorkerOrder): Promise<FunctionsHost> {
  return start({
    appDir: resolve(import.meta.dirname, "../../.."),
    main: appFiles,
    settings,
    // A slow server may hold a run for a minute; nobody waits for it here.
    graceMs: 2_000,
    onInvocation: ({ functionName, invocationId: id, durationMs, status }) => {
      const invocation = { id, functionName, durationMs, succeeded: status === "succeeded" };
      report({ kind: "invocation", invocation: { ...invocation, atSeconds: Date.now() / 1000 } });
    },
    logger: ({ message, invocationId: invocation = "" }) => {
      if (message.startsWith('{"event"'))
        report({ kind: "line", line: { ...JSON.parse(message), invocation, atSeconds: Date.now() / 1000 } });
    },
  });
}

const host = await startHost(JSON.parse(process.argv[2] ?? "{}") as WorkerOrder);
// The parent is gone, or has read enough.
process.once("disconnect", () => {
  const exit = () => process.exit();
  host.stop().then(exit, exit);
});
report({ kind: "ready" });
