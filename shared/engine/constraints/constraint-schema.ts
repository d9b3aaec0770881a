import { constraintKinds } from "./constraint-kinds.ts";
import { nodeProperties } from "./node-properties.ts";

/** JSON Schema of what `parseConstraints` reads, as the definitions of a document that refers to `#/$defs/constraints`. */
export function constraintDefinitions(): Readonly<Record<"constraints", object>> {
  const rules = Object.values(constraintKinds);
  const schemasOf = (keys: string) => rules.flatMap((each) => (each.keys === keys ? [each.schema] : []));
  const byKey = rules.flatMap(({ keys, schema }) =>
    typeof keys === "string" ? [] : keys.map((key) => [key, schema] as const),
  );
  const properties = nodeProperties.join("|");
  const constraint = {
    type: "object",
    properties: Object.fromEntries(byKey),
    patternProperties: {
      [`^node\\.(${properties})$`]: { anyOf: schemasOf("node.*") },
      [`^node\\.(?!(${properties})$)`]: false,
    },
    additionalProperties: { anyOf: schemasOf("*") },
  };
  return {
    constraints: { anyOf: [constraint, { type: "array", items: { $ref: "#/$defs/constraints" } }] },
  };
}
