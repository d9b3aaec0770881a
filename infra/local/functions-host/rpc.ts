/**
 * The values that a Functions host and the @azure/functions package exchange. The package knows them from
 * "@azure/functions-core", a module that only the Azure worker provides and that is not on any registry, so the
 * part that is used is written down here.
 */

/** One value on its way to or from a function; exactly one property is set. */
export interface TypedData {
  readonly string?: string;
  readonly json?: string;
  readonly bytes?: Uint8Array;
  readonly int?: number;
  readonly double?: number;
  readonly http?: HttpData;
}

/** A header, query or path value; an absent value is the empty string. */
export interface NullableString {
  readonly value?: string;
}

/** An HTTP request (method and absolute URL) or response (status code as text). */
export interface HttpData {
  readonly method?: string;
  readonly url?: string;
  readonly nullableHeaders?: Readonly<Record<string, NullableString>>;
  readonly nullableQuery?: Readonly<Record<string, NullableString>>;
  readonly nullableParams?: Readonly<Record<string, NullableString>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly statusCode?: string;
  readonly body?: TypedData | null;
}

/** A binding as registered: the options of the app plus type and direction. */
export interface BindingInfo {
  readonly type: string;
  readonly direction?: "in" | "out";
  readonly [option: string]: unknown;
}

/** What `app.timer(…)` and its siblings hand to the host. */
export interface FunctionMetadata {
  readonly name: string;
  readonly bindings: Readonly<Record<string, BindingInfo>>;
}

export type FunctionCallback = (...inputs: unknown[]) => unknown;

/** From the least to the most serious; `none` lets nothing through. */
export const logLevels = ["trace", "debug", "information", "warning", "error", "critical", "none"] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogCategory = "user" | "system" | "customMetric";

export const hookNames = ["appStart", "appTerminate"] as const;
export type HookName = (typeof hookNames)[number];
/** The library wraps the context and writes through to it, so it is a plain mutable object. */
export type HookCallback = (context: Record<string, unknown>) => unknown;

interface InvocationRequest {
  readonly invocationId: string;
  readonly inputData: readonly { readonly name: string; readonly data: TypedData }[];
  readonly triggerMetadata?: Readonly<Record<string, TypedData>>;
}

/** What the library sees of one invocation. */
export interface CoreInvocationContext {
  readonly invocationId: string;
  readonly request: InvocationRequest;
  readonly metadata: FunctionMetadata;
  state: "invocation" | undefined;
  log(level: LogLevel, category: LogCategory, message: string): void;
}

export interface InvocationResponse {
  readonly invocationId: string;
  readonly outputData?: readonly { readonly name: string; readonly data: TypedData }[];
  readonly returnValue?: TypedData | null | undefined;
}

/** The library's own side of one invocation; `context` is its InvocationContext, opaque to the host. */
interface InvocationModel {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>;
  invokeFunction(context: unknown, inputs: unknown[], callback: FunctionCallback): Promise<unknown>;
  getResponse(context: unknown, result: unknown): Promise<InvocationResponse>;
}

export interface ProgrammingModel {
  readonly name: string;
  readonly version: string;
  getInvocationModel(context: CoreInvocationContext): InvocationModel;
  getCapabilities(workerCapabilities: Record<string, string>): Promise<Record<string, string>>;
}
