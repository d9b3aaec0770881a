import type { TokenCredential } from "@azure/identity";
import type { Telemetry } from "../ports/index.ts";
import type { Instance, OpenTelemetry } from "./open-telemetry.ts";

export type { Instance, OpenTelemetry, Run } from "./open-telemetry.ts";

/** Where spans and metrics go: nowhere, to the console, or to Application Insights. */
export type TelemetrySettings =
  | { readonly to: "off" | "console" }
  | { readonly to: "azure"; readonly connectionString: string };

/** Records nothing. */
export const noTelemetry: Telemetry = {
  traceparent: undefined,
  record: () => undefined,
  part: (_name, _attributes, work) => work(),
};

/**
 * Connects telemetry as the settings say. The libraries are loaded only when they are used: off, they cost neither time nor
 * memory. Undefined when it is off.
 */
export async function connectTelemetry(
  settings: TelemetrySettings,
  { credential, instance }: { readonly credential: TokenCredential; readonly instance: Instance },
): Promise<OpenTelemetry | undefined> {
  if (settings.to === "off") return undefined;
  const { consoleExporters, createOpenTelemetry } = await import("./open-telemetry.ts");
  if (!("connectionString" in settings)) return createOpenTelemetry(consoleExporters(), instance);
  const { azureMonitorExporters } = await import("./azure-monitor.ts");
  const { connectionString } = settings;
  return createOpenTelemetry(azureMonitorExporters({ connectionString, credential }), instance);
}
