import type { Scalar } from "../values/resources.ts";
import { kindOf, placed } from "./kind.ts";
import { checksOfOptions, firstOption, scalarsSchema, wildcardsIn } from "./options.ts";

/** The resource equals one of the options; strings may hold shell wildcards. Consumes nothing. */
export interface ResourceOptions {
  readonly kind: "resource-options";
  readonly resource: string;
  readonly options: readonly Scalar[];
}

export const resourceOptions = kindOf<ResourceOptions>()({
  keys: "*",
  schema: { anyOf: [{ type: ["string", "boolean", "null"] }, scalarsSchema] },
  example: { image: ["almalinux-9", "almalinux-8"] },
  read(entry, reader) {
    const options = reader.options(entry);
    return options === null
      ? []
      : [{ kind: "resource-options", resource: entry.key, options } as ResourceOptions];
  },
  refusing: (constraint, subject) =>
    firstOption(constraint.options, subject.resource(constraint.resource)) >= 0 ? null : constraint,
  figures({ resource, options }, subject) {
    const value = subject.resource(resource);
    const asked = options[0] ?? null;
    if (value === undefined) return { code: "UndefinedResource", asked, left: null };
    return { code: "InvalidOption", asked, left: value };
  },
  checks: ({ options }) => 1 + checksOfOptions(options),
  extraParts: ({ options }) => wildcardsIn(options),
  shortened: (constraint, short) => ({
    ...constraint,
    options: short.list(constraint.options).map(short.scalar),
  }),
  looksAt: ({ resource }) => ({ resource }),
  preference: {
    mayReorder: ({ options }) => options.length > 1,
    reweigh: ({ options, resource }, example, weight) =>
      placed(options.length, firstOption(options, example.resource(resource)), weight),
  },
});
