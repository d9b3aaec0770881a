import { AggregationTemporality, InMemoryMetricExporter } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter } from "@opentelemetry/sdk-trace-base";
import { expect, test } from "vitest";
import { metrics, type Telemetry } from "../../../shared/ports/index.ts";
import { createOpenTelemetry } from "../../../shared/telemetry/open-telemetry.ts";

/** Exporters in memory; they forget when they are stopped, so `finished` is what was exported until then. */
function inMemory() {
  const spans = new InMemorySpanExporter();
  const collected = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const exported: string[] = [];
  const resources: unknown[] = [];
  const finished: ReturnType<InMemorySpanExporter["getFinishedSpans"]> = [];
  spans.shutdown = async () => {
    finished.push(...spans.getFinishedSpans());
  };
  collected.shutdown = async () => {
    for (const { resource, scopeMetrics } of collected.getMetrics()) {
      resources.push(resource.attributes);
      exported.push(
        ...scopeMetrics.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name)),
      );
    }
  };
  const instance = { service: "func-example", id: "instance-7" };
  return {
    telemetry: createOpenTelemetry({ spans, metrics: collected }, instance),
    finished,
    exported,
    resources,
  };
}

test("a run that handles a message is a part of the message's trace", async () => {
  const { telemetry, finished } = inMemory();
  const carried = await telemetry.run({ name: "accept-demand" }, async ({ traceparent }) => traceparent);
  await telemetry.run({ name: "plan-scale", traceparent: carried }, (run) =>
    run.part("cyclecloud create-nodes", { cluster: "hpc" }, async () => undefined),
  );
  await telemetry.stop();
  const [demand, create, plan] = finished;
  expect([demand?.name, create?.name, plan?.name]).toEqual([
    "accept-demand",
    "cyclecloud create-nodes",
    "plan-scale",
  ]);
  expect(new Set(finished.map((span) => span.spanContext().traceId)).size).toBe(1);
  expect(plan?.parentSpanContext?.spanId).toBe(demand?.spanContext().spanId);
  expect(create?.parentSpanContext?.spanId).toBe(plan?.spanContext().spanId);
});

test("a name of any length takes no more than its share of a span", async () => {
  const { telemetry, finished } = inMemory();
  await telemetry.run(
    { name: "plan-scale", attributes: { cluster: "c".repeat(60_000) } },
    async () => undefined,
  );
  await telemetry.stop();
  expect(finished.map(({ attributes }) => attributes.cluster)).toEqual(["c".repeat(1_000)]);
});

test.each(["", "nonsense", "00-1-2-3", `00-${"g".repeat(32)}-${"1".repeat(16)}-01`])(
  "a message whose trace context is %j begins a new trace",
  async (traceparent) => {
    const { telemetry } = inMemory();
    const own = await telemetry.run({ name: "plan-scale", traceparent }, async (run) => run.traceparent);
    expect(own).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    await telemetry.stop();
  },
);

test("a run that fails is noted as such, and fails", async () => {
  const { telemetry, finished } = inMemory();
  const failing = telemetry.run({ name: "plan-scale" }, () => Promise.reject(new Error("no snapshot")));
  await expect(failing).rejects.toThrow("no snapshot");
  await telemetry.stop();
  expect(finished[0]?.status).toMatchObject({ message: "no snapshot" });
});

test("every metric is exported under its own name", async () => {
  const { telemetry, exported } = inMemory();
  const names = Object.keys(metrics) as (keyof typeof metrics)[];
  await telemetry.run({ name: "plan-scale" }, async (run: Telemetry) => {
    for (const name of names) run.record(name, 1, { cluster: "hpc" });
  });
  await telemetry.stop();
  expect(exported.toSorted()).toEqual(names.toSorted());
});

test("spans and metrics name the app and the instance that they are of", async () => {
  const { telemetry, finished, resources } = inMemory();
  await telemetry.run({ name: "plan-scale" }, async (run) => run.record("autoscale.nodes", 1, {}));
  await telemetry.stop();
  const expected = { "service.name": "func-example", "service.instance.id": "instance-7" };
  expect(finished.map((span) => span.resource.attributes)).toEqual([expect.objectContaining(expected)]);
  expect(resources).toEqual([expect.objectContaining(expected)]);
});
