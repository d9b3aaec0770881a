import { z } from "zod";
import type { Scalar } from "../engine/index.ts";

const size = z
  .object({
    bytes: z.number(),
    magnitude: z.enum(["b", "k", "m", "g", "t", "p", "K", "M", "G", "T", "P"]),
  })
  .describe("A size, and the unit in which it was written (lower case: powers of 1024)")
  .meta({ id: "Size" });

/** A resource's value, or a figure of a refusal. */
export const scalar = z
  .union([z.number(), z.string(), z.boolean(), z.null(), size])
  .meta({ id: "Scalar" }) satisfies z.ZodType<Scalar>;

export const resources = z.record(z.string(), scalar).describe("Resources by name");
