import type { RegisteredFunction } from "./core.ts";
import type { BindingInfo, FunctionCallback, FunctionMetadata } from "./rpc.ts";
import { findSetting, resolveExpressions, type Settings } from "./settings.ts";

/** Trigger types that this host runs, in lower case. */
const triggerTypes = [
  "timertrigger",
  "queuetrigger",
  "servicebustrigger",
  "httptrigger",
  "eventgridtrigger",
] as const;
type TriggerType = (typeof triggerTypes)[number];

/** A function that this host can run. */
export interface HostedFunction {
  readonly name: string;
  readonly triggerType: TriggerType;
  /** Name of the trigger binding; the library puts a hash into it. */
  readonly bindingName: string;
  /** The trigger's options with every `%SETTING%` resolved. */
  readonly trigger: BindingInfo;
  /** As registered, unresolved: that is what the library sees in Azure too. */
  readonly metadata: FunctionMetadata;
  readonly callback: FunctionCallback;
}

/** A function that was found and does not run, and why. */
export interface RefusedFunction {
  readonly name: string;
  readonly problem: string;
}

/** Sorts out one registered function. One that cannot run does not keep the others from running, as in Azure. */
export function hostFunction(
  { metadata, callback }: RegisteredFunction,
  settings: Settings,
): HostedFunction | RefusedFunction {
  const { name } = metadata;
  const refuse = (problem: string): RefusedFunction => ({ name, problem });
  const trigger = Object.entries(metadata.bindings).find(([, { type }]) => /trigger$/i.test(type));
  if (trigger === undefined) return refuse("no trigger, expected one");
  const [bindingName, raw] = trigger;
  const triggerType = triggerTypes.find((type) => type === raw.type.toLowerCase());
  if (triggerType === undefined)
    return refuse(`trigger "${raw.type}", expected a timer, queue, Service Bus, HTTP or Event Grid`);
  if (isDisabled(name, settings)) return refuse("disabled by setting");
  const unsupported = findUnsupported(metadata, raw);
  if (unsupported !== undefined) return refuse(unsupported);
  try {
    const trigger = resolveExpressions(raw, settings);
    return { name, triggerType, bindingName, trigger, metadata, callback };
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function isDisabled(name: string, settings: Settings): boolean {
  const value = findSetting(settings, `AzureWebJobs.${name}.Disabled`) ?? "";
  return ["1", "true"].includes(value.toLowerCase());
}

function findUnsupported(metadata: FunctionMetadata, trigger: BindingInfo): string | undefined {
  if (trigger.sdkBinding === true) return "sdkBinding, expected plain values";
  if (trigger.cardinality === "many") return 'cardinality "many", expected "one"';
  if (trigger.autoCompleteMessages === false) return "autoCompleteMessages false, expected true";
  const extra = Object.values(metadata.bindings).find(
    (binding) => binding !== trigger && binding.type !== "http",
  );
  return extra === undefined ? undefined : `binding of type "${extra.type}", expected the trigger alone`;
}
