import type { TokenCredential } from "@azure/identity";
import type { OpenTelemetry } from "../../shared/telemetry/open-telemetry.ts";
import type { TelemetrySettings } from "./settings.ts";

/**
 * Connects telemetry as the settings say. The libraries are loaded only when they are used: off, they cost neither time nor
 * memory. Undefined when it is off.
 */
export async function connectTelemetry(
  settings: TelemetrySettings,
  credential: TokenCredential,
): Promise<OpenTelemetry | undefined> {
  if (settings.to === "off") return undefined;
  const { consoleExporters, createOpenTelemetry } = await import("../../shared/telemetry/open-telemetry.ts");
  if (!("connectionString" in settings)) return createOpenTelemetry(consoleExporters());
  const { azureMonitorExporters } = await import("../../shared/telemetry/azure-monitor.ts");
  const { connectionString } = settings;
  return createOpenTelemetry(azureMonitorExporters({ connectionString, credential }));
}
