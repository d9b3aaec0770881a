import { z } from "zod";
import { type Answer, aboutCluster } from "./answer.ts";
import { named, orNull } from "./builders.ts";

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

export const doctorAnswer = named("Doctor", {
  ...aboutCluster,
  checks: z.array(
    named("Check", {
      check: z.string().describe(`Stable: ${checkNames.join(", ")}`),
      state: z
        .enum(["ok", "notice", "failed"])
        .describe("notice: nothing is known to be wrong, but have a look; also what cannot be known now"),
      text: z.string().describe("What was seen, or what is wrong, with numbers"),
      next: orNull(z.string(), "What to do; null: nothing"),
    }),
  ),
});

export type CheckName = (typeof checkNames)[number];
export type DoctorAnswer = Answer<typeof doctorAnswer>;
export type CheckView = DoctorAnswer["checks"][number];
