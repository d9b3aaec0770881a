import type { Telemetry } from "../ports/index.ts";

/** Tells nobody anything. */
export const noTelemetry: Telemetry = {
  traceparent: undefined,
  record: () => undefined,
  part: (_name, _attributes, work) => work(),
};
