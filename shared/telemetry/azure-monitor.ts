import type { TokenCredential } from "@azure/identity";
import { AzureMonitorMetricExporter, AzureMonitorTraceExporter } from "@azure/monitor-opentelemetry-exporter";
import type { Exporters } from "./open-telemetry.ts";

/** Application Insights, with an identity. The connection string says where, and lets nobody in. */
export function azureMonitorExporters(options: {
  readonly connectionString: string;
  readonly credential: TokenCredential;
}): Exporters {
  // What cannot be sent is lost: an instance's disk is, too.
  const to = { ...options, disableOfflineStorage: true };
  return { spans: new AzureMonitorTraceExporter(to), metrics: new AzureMonitorMetricExporter(to) };
}
