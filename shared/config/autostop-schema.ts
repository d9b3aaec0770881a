import { z } from "zod";
import { seconds, text } from "./setting-value.ts";

/** Held to one prefix, so that no configuration can make another secret the password that nodes have to know. */
export const autostopPasswordPrefix = "AUTOSTOP_PASSWORD";

/** When a node may stop itself, and how it logs in where nodes come with a login instead of a function key. */
export const autostopSchema = z.looseObject(
  {
    idle_time_before_jobs: seconds.default(3_600),
    idle_time_after_jobs: seconds.default(300),
    /** A colon would end the name in a Basic login. */
    username: text.regex(/^[^:]+$/, "expected a user name without a colon").optional(),
    password_setting: text
      .regex(
        /^AUTOSTOP_PASSWORD\w*$/,
        `expected the name of an app setting that starts with "${autostopPasswordPrefix}"`,
      )
      .default(autostopPasswordPrefix),
  },
  "expected an object of autostop settings",
);
