import { covers } from "../values/amounts.ts";
import { isJsonObject } from "../values/resources.ts";
import { type DrawsTaken, kindOf } from "./kind.ts";
import { type Reader, show } from "./reading.ts";
import type { SharedDraw } from "./shared-pool.ts";

/** Draws from every pool named, or from none of them. */
export interface SharedConsumable extends DrawsTaken {
  readonly kind: "shared-consumable";
  readonly draws: readonly SharedDraw[];
}

const poolSchema = {
  type: "object",
  properties: { "resource-name": { type: "string" }, requested: { type: "number", minimum: 0 } },
  required: ["resource-name", "requested"],
};

export const sharedConsumable = kindOf<SharedConsumable>()({
  keys: ["shared-consumable-constraint"],
  schema: { anyOf: [poolSchema, { type: "array", items: poolSchema, minItems: 1 }] },
  example: {
    "shared-consumable-constraint": {
      "resource-name": "matlab",
      source: "licence-server",
      "initial-value": 10,
      requested: 1,
    },
  },
  innerKeys: [
    "resource-name",
    "source",
    "sources",
    "initial-value",
    "initial-values",
    "current-value",
    "current-values",
    "requested",
    "decrement-once",
  ],
  /**
   * `{"resource-name", "source", "initial-value", "current-value", "requested", "decrement-once"}`, or a list of such.
   * Sources and values may be lists of the same length: several pools of one name, drawn from together.
   */
  read({ value, path }, reader) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (items.length === 0 || !reader.affords(path, items.length)) {
      reader.refuseValue(path, value, "at least one pool");
      return [];
    }
    const draws = items.flatMap((item) => readDraws(reader, item, path));
    return [{ kind: "shared-consumable", draws } as SharedConsumable];
  },
  refusing: (constraint, subject) =>
    constraint.draws.every((draw) => covers(subject.poolLeft(draw) ?? -1, draw.amount)) ? null : constraint,
  figures({ draws }, subject) {
    const short = draws.find((draw) => (subject.poolLeft(draw) ?? -1) < draw.amount);
    return {
      code: "SharedLimitReached",
      asked: short?.amount ?? 0,
      left: (short && subject.poolLeft(short)) ?? null,
    };
  },
  checks: ({ draws }) => 1 + draws.length,
  extraParts: ({ draws }) => draws.length,
  shortened: (constraint, short) => ({ ...constraint, draws: short.list(constraint.draws) }),
  take: (constraint, takings) => takings.draws(constraint),
  looksAt: () => "situation",
});

function readDraws(reader: Reader, json: unknown, path: string): SharedDraw[] {
  const name = isJsonObject(json) ? json["resource-name"] : undefined;
  const amount = isJsonObject(json) ? json.requested : undefined;
  if (!isJsonObject(json) || typeof name !== "string" || typeof amount !== "number" || !(amount >= 0)) {
    reader.refuseValue(path, json, '"resource-name" (a text) and "requested" (a number)');
    return [];
  }
  const sources = listOf(json.source ?? json.sources);
  const initials = listOf(json["initial-value"] ?? json["initial-values"]);
  const currents = listOf(json["current-value"] ?? json["current-values"]);
  const count = Math.max(sources.length, initials.length, currents.length, 1);
  if (!reader.affords(path, count)) return [];
  return Array.from({ length: count }, (_, index) => {
    const initial = readAmount(reader, initials[index], path);
    const current = readAmount(reader, currents[index], path) ?? initial;
    const source = sources[index];
    return {
      pool: name,
      source: typeof source === "string" ? source : source == null ? null : show(source),
      amount,
      once: json["decrement-once"] === true,
      initial: initial ?? current,
      current,
    };
  });
}

function listOf(json: unknown): readonly unknown[] {
  return json === undefined ? [] : Array.isArray(json) ? json : [json];
}

function readAmount(reader: Reader, json: unknown, path: string): number | null {
  if (json === undefined || json === null) return null;
  if (typeof json === "number" && Number.isFinite(json)) return json;
  reader.refuseValue(path, json, "a number for the pool's value");
  return null;
}
