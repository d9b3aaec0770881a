import { z } from "zod";
import type { Json } from "../engine/index.ts";
import { isDictionary } from "../json.ts";
import { flag, text, wholeNumber } from "./setting-value.ts";

/** They travel with every action that makes such nodes, and an action has to fit a message. */
const mostAttributeBytes = 8 * 1024;

/** `nodearrays.<name>`; `nodearrays.default` is for all arrays that do not say otherwise. */
export const nodeArraySchema = z.looseObject(
  {
    placement_groups: z
      .array(
        text.regex(/^[\w-]+$/, "expected letters, digits, - and _ only"),
        "expected a list of placement group names",
      )
      .optional(),
    generated_placement_group_buffer: wholeNumber.optional(),
    max_placement_groups: wholeNumber.optional(),
    name_format: text.regex(/^[^%]*%d[^%]*$/, 'expected a name with one "%d" for the index').optional(),
    node_attributes: z
      .custom<{ readonly [key: string]: Json }>(isDictionary, "expected an object of node attributes")
      .refine(
        (attributes) => Buffer.byteLength(JSON.stringify(attributes)) <= mostAttributeBytes,
        `expected at most ${mostAttributeBytes} bytes of attributes`,
      )
      .optional(),
    keep_alive: flag.optional(),
  },
  "expected an object of settings",
);

export type NodeArraySettings = z.output<typeof nodeArraySchema>;
