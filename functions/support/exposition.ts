import type { HttpResponseInit } from "@azure/functions";
import type { Metric } from "../../shared/views/index.ts";

/** Metrics as text: in OpenMetrics where the reader accepts it, else in the older format of Prometheus. */
export async function exposed(metrics: readonly Metric[], accept: string | null): Promise<HttpResponseInit> {
  // Loaded when it is first asked for: most processes are never scraped.
  const { Gauge, Registry } = await import("prom-client");
  const registry = new Registry();
  const isOpenMetrics = /\bapplication\/openmetrics-text\b/.test(accept ?? "");
  const contentType = isOpenMetrics ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
  registry.setContentType(contentType as typeof Registry.PROMETHEUS_CONTENT_TYPE);
  for (const { name, help, series } of metrics) {
    const labelNames = [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))];
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const { labels, value } of series) gauge.set(labels, value);
  }
  return {
    headers: { "Content-Type": contentType, "Cache-Control": "no-store" },
    body: await registry.metrics(),
  };
}
