import { z } from "zod";
import { count } from "./answer.ts";

/** An item of a message that did not check out, while the rest of the message counts. */
export const setAsideView = z
  .object({
    kind: z.enum(["job", "node", "remove", "target"]),
    index: count.describe("Its place in the list of its message"),
    name: z.string().nullable().describe("As it was sent; null when it cannot be read"),
    problems: z.array(z.string()).describe("What is wrong with it; only of the first hundred of a list"),
  })
  .meta({ id: "SetAsideItem" });

export const setAsideItems = z
  .object({ count, items: z.array(setAsideView).describe("The first hundred") })
  .describe("What did not check out, and was set aside; the rest counts");
