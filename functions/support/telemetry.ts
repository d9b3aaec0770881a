import { hostname } from "node:os";
import type { TokenCredential } from "@azure/identity";
import type { Instance, OpenTelemetry } from "../../shared/telemetry/open-telemetry.ts";
import type { Environment, TelemetrySettings } from "./settings.ts";

/**
 * Connects telemetry as the settings say. The libraries are loaded only when they are used: off, they cost neither time nor
 * memory. Undefined when it is off.
 */
export async function connectTelemetry(
  settings: TelemetrySettings,
  { credential, instance }: { readonly credential: TokenCredential; readonly instance: Instance },
): Promise<OpenTelemetry | undefined> {
  if (settings.to === "off") return undefined;
  const { consoleExporters, createOpenTelemetry } = await import("../../shared/telemetry/open-telemetry.ts");
  if (!("connectionString" in settings)) return createOpenTelemetry(consoleExporters(), instance);
  const { azureMonitorExporters } = await import("../../shared/telemetry/azure-monitor.ts");
  const { connectionString } = settings;
  return createOpenTelemetry(azureMonitorExporters({ connectionString, credential }), instance);
}

/**
 * The app and the instance that this process is, by the names that the Functions host gives its own telemetry: queries that
 * filter on `AppRoleName` find both. Outside Azure: the host's name.
 */
export function instanceIn(environment: Environment): Instance {
  const { WEBSITE_SITE_NAME: app, WEBSITE_INSTANCE_ID: instance, CONTAINER_NAME: container } = environment;
  return { service: app || "cyclecloud-autoscale", id: instance || container || hostname() };
}
