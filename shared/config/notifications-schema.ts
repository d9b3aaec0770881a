import { z } from "zod";
import { type Destination, notificationFormats, notificationKinds } from "../ports/index.ts";
import { secretText } from "./setting-value.ts";

/** The fixed ending keeps a configuration from sending any other secret to an address, or using one as an address. */
const webhookSetting = /^[A-Z][A-Z0-9_]{0,99}_WEBHOOK(?:_[A-Z0-9_]{1,99})?$/;

const wantedSetting =
  "expected the name of the app setting that holds the address, such as TEAMS_WEBHOOK or OPS_WEBHOOK_2; the address is a secret and must not be in this file";

function words(all: readonly string[]): string {
  return `expected ${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
}

const shape = {
  // Never quoted: people put the secret address itself here.
  url_setting: secretText(wantedSetting, (value) => webhookSetting.test(value)),
  format: z.enum(notificationFormats, words(notificationFormats)),
  kinds: z
    .array(z.enum(notificationKinds, words(notificationKinds)), "expected a list of kinds")
    .min(1, "expected one kind or more, or no such key")
    .default([...notificationKinds]),
};

const destination = z.strictObject(shape, {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? `unknown keys, expected ${Object.keys(shape).join(", ")}`
      : "expected an object of one destination",
});

/** `notifications`: who receives a message when something is wrong. */
export const notificationShape = {
  notifications: z
    .array(destination, "expected a list of destinations")
    .max(10, "expected at most 10 destinations")
    .superRefine((destinations, context) => {
      const names = destinations.map((each) => each.url_setting);
      names.forEach((name, index) => {
        if (names.indexOf(name) < index)
          context.addIssue({
            code: "custom",
            message: "expected a setting that no other destination has",
            input: name,
            path: [index, "url_setting"],
          });
      });
    })
    .optional(),
};

export function toDestinations(given: z.output<typeof notificationShape.notifications>): Destination[] {
  return (given ?? []).map(({ url_setting: urlSetting, format, kinds }) => ({ urlSetting, format, kinds }));
}
