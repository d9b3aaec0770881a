import { z } from "zod";
import { type Answer, aboutCluster } from "./answer.ts";

/** Names of the checks, in the order in which one rests on another. They are stable, and others may come. */
export const checkNames = [
  "configuration",
  "login",
  "snapshot",
  "scaling",
  "demand",
  "clocks",
  "messages",
  "rejects",
  "plans",
  "nodes",
  "money",
  "notifications",
  "storage",
] as const;

export const doctorAnswer = z
  .object({
    ...aboutCluster,
    checks: z.array(
      z
        .object({
          check: z.string().describe(`Stable: ${checkNames.join(", ")}`),
          state: z
            .enum(["ok", "notice", "failed"])
            .describe("notice: nothing is known to be wrong, but have a look; also what cannot be known now"),
          text: z.string().describe("What was seen, or what is wrong, with numbers"),
          next: z.string().nullable().describe("What to do; null: nothing"),
        })
        .meta({ id: "Check" }),
    ),
  })
  .meta({ id: "Doctor" });

export type CheckName = (typeof checkNames)[number];
export type DoctorAnswer = Answer<typeof doctorAnswer>;
export type CheckView = DoctorAnswer["checks"][number];
