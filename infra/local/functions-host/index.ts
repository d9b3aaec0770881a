/** The door of the Functions host, for programs and tests; `cli.ts` is the one for people and parent processes. */
export { type LoadedApp, loadApp } from "./app-loader.ts";
export { type FunctionSummary, type FunctionsHost, type StartOptions, start } from "./host.ts";
export type { InvocationOutcome } from "./invoke.ts";
export type { LogEntry, Logger } from "./logger.ts";
