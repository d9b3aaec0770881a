import { isJsonObject, type Scalar } from "../values/resources.ts";
import { kindOf } from "./kind.ts";
import { equalScalars, scalarSchema } from "./options.ts";
import { isJsonScalar } from "./reading.ts";

/** A shared value (a version, say) must equal the target. */
export interface SharedValue {
  readonly kind: "shared-value";
  readonly name: string;
  readonly source: string | null;
  readonly current: Scalar;
  readonly target: Scalar;
}

export const sharedValue = kindOf<SharedValue>()({
  keys: ["shared-non-consumable-constraint"],
  schema: {
    type: "object",
    properties: {
      "resource-name": { type: "string" },
      "current-value": scalarSchema,
      requested: scalarSchema,
    },
    required: ["resource-name", "current-value", "requested"],
  },
  example: {
    "shared-non-consumable-constraint": { "resource-name": "release", "current-value": 2, requested: 2 },
  },
  innerKeys: ["resource-name", "source", "current-value", "requested"],
  read({ value: json, path }, reader) {
    const name = isJsonObject(json) ? json["resource-name"] : undefined;
    const current = isJsonObject(json) ? json["current-value"] : undefined;
    const target = isJsonObject(json) ? json.requested : undefined;
    if (!isJsonObject(json) || typeof name !== "string" || !isJsonScalar(current) || !isJsonScalar(target)) {
      reader.refuseValue(path, json, '"resource-name", "current-value" and "requested"');
      return [];
    }
    const source = typeof json.source === "string" ? json.source : null;
    return [{ kind: "shared-value", name, source, current, target } as SharedValue];
  },
  refusing: (constraint) => (equalScalars(constraint.target, constraint.current) ? null : constraint),
  figures: ({ target, current }) => ({ code: "InvalidSharedValue", asked: target, left: current }),
  looksAt: () => "situation",
});
