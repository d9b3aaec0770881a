import { z } from "zod";
import { passwordSetting, seconds, username } from "./setting-value.ts";

/** Held to one prefix, so that no configuration can make another secret the password that nodes have to know. */
export const autostopPasswordPrefix = "AUTOSTOP_PASSWORD";

/** When a node may stop itself, and how it logs in where nodes come with a login instead of a function key. */
export const autostopSchema = z.looseObject(
  {
    idle_time_before_jobs: seconds.default(3_600),
    idle_time_after_jobs: seconds.default(300),
    username: username.optional(),
    password_setting: passwordSetting(autostopPasswordPrefix),
  },
  "expected an object of autostop settings",
);
