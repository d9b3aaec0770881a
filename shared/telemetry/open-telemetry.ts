import {
  type Counter,
  type Gauge,
  type Histogram,
  type Meter,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-base";
import { messageOf } from "../errors/errors.ts";
import { type Attributes, type Metric, metrics, type Telemetry } from "../ports/index.ts";

/** Where spans and metrics go. */
export interface Exporters {
  readonly spans: SpanExporter;
  readonly metrics: PushMetricExporter;
}

/** Who reports: the app, and which of its instances. Without them the instances of an app cannot be told apart. */
export interface Instance {
  readonly service: string;
  readonly id: string;
}

/** A run that is traced: `traceparent` is the one of the message that it handles, if that carries one. */
export interface Run {
  readonly name: string;
  readonly traceparent?: string | undefined;
  readonly attributes?: Attributes;
}

export interface OpenTelemetry {
  /** Runs `work` as one span; a failure is noted in it and thrown on. */
  run<T>(run: Run, work: (telemetry: Telemetry) => Promise<T>): Promise<T>;
  /** Sends what waits, and ends. */
  stop(): Promise<void>;
}

/** An instance may sleep half a minute after its last run: what it has to tell leaves well before. */
const spanDelayMs = 2_000;
const metricIntervalMs = 15_000;
const metricTimeoutMs = 10_000;

export const consoleExporters = (): Exporters => ({
  spans: new ConsoleSpanExporter(),
  metrics: new ConsoleMetricExporter(),
});

/** Nothing global is set: libraries that look for a global tracer find none, and stay silent. */
export function createOpenTelemetry(exporters: Exporters, { service, id }: Instance): OpenTelemetry {
  const resource = defaultResource().merge(
    resourceFromAttributes({ "service.name": service, "service.instance.id": id }),
  );
  const spans = new BatchSpanProcessor(exporters.spans, { scheduledDelayMillis: spanDelayMs });
  const tracing = new BasicTracerProvider({
    resource,
    spanProcessors: [spans],
    spanLimits: { attributeValueLengthLimit: longestAttribute },
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: exporters.metrics,
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: metricTimeoutMs,
  });
  const metering = new MeterProvider({ resource, readers: [reader] });
  const tracer = tracing.getTracer("cyclecloud-autoscale");
  const record = recorder(metering.getMeter("cyclecloud-autoscale"));
  return {
    run: ({ name, traceparent, attributes = {} }, work) =>
      inSpan({ tracer, name, attributes, parent: parse(traceparent) }, (span) =>
        work({
          traceparent: format(span),
          record,
          part: (part, about, run) =>
            inSpan({ tracer, name: part, attributes: about, parent: span.spanContext() }, run),
        }),
      ),
    async stop() {
      await Promise.allSettled([tracing.shutdown(), metering.shutdown()]);
    },
  };
}

/** Names of clusters come from strangers, and what is sent has a price. */
const longestAttribute = 1_000;

type Instrument = Counter | Gauge | Histogram;

function recorder(meter: Meter): Telemetry["record"] {
  const instruments = new Map<Metric, Instrument>();
  return (metric, value, attributes) => {
    const instrument = instruments.get(metric) ?? createInstrument(meter, metric);
    instruments.set(metric, instrument);
    if ("add" in instrument) instrument.add(value, attributes);
    else instrument.record(value, attributes);
  };
}

function createInstrument(meter: Meter, metric: Metric): Instrument {
  const { unit, kind, says: description } = metrics[metric];
  switch (kind) {
    case "counter":
      return meter.createCounter(metric, { unit, description });
    case "gauge":
      return meter.createGauge(metric, { unit, description });
    case "histogram":
      return meter.createHistogram(metric, { unit, description });
  }
}

type Parent = ReturnType<Span["spanContext"]>;

async function inSpan<T>(
  of: {
    readonly tracer: Tracer;
    readonly name: string;
    readonly attributes: Attributes;
    readonly parent: Parent | undefined;
  },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const { tracer, name, attributes, parent } = of;
  const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const span = tracer.startSpan(name, { attributes }, context);
  try {
    return await work(span);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
    throw error;
  } finally {
    span.end();
  }
}

const traceparentForm = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** What is not a trace context begins a new trace: it is only a word of whoever sent the message. */
function parse(traceparent: string | undefined): Parent | undefined {
  const [, traceId, spanId, flags] = traceparentForm.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

function format(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}
