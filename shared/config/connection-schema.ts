import { z } from "zod";
import { isHttpToLoopback } from "../loopback.ts";
import { withoutSlashesAtEnd } from "../text.ts";
import { flag, passwordSetting, secretText, text, username } from "./setting-value.ts";

export const defaultPasswordSetting = "CYCLECLOUD_PASSWORD";

const wantedUrl = 'an address such as "https://cyclecloud.example.com" (http is for this machine only)';

/** What may be followed, or come before, a login or a key: such an address is not quoted, for problems go to logs. */
const mayHoldSecret = /[@?#]/;

/** A server's address. */
const url = text.transform((value, context) => {
  const parsed = URL.parse(value);
  const usable = parsed !== null && (parsed.protocol === "https:" || isHttpToLoopback(parsed));
  if (parsed !== null && (parsed.username !== "" || parsed.password !== ""))
    context.addIssue({
      code: "custom",
      message: "holds a login, expected an address without one",
      params: { secret: true },
    });
  else if (mayHoldSecret.test(value))
    context.addIssue({ code: "custom", message: `expected ${wantedUrl}`, params: { secret: true } });
  else if (!usable) context.addIssue({ code: "custom", message: `expected ${wantedUrl}`, input: value });
  return withoutSlashesAtEnd(value);
});

/** Where the CycleCloud server is and how to log in. */
export const connectionShape = {
  url,
  username,
  /** Read only to say where it belongs. */
  password: z.unknown().optional(),
  // Held to one prefix: whoever may write a configuration must not be able to send any other secret to any address.
  password_setting: passwordSetting(defaultPasswordSetting),
  verify_certificates: flag.optional(),
  /** Never quoted: what is given in its place is most likely the private key. */
  certificate_authority: secretText("expected the PEM text of a certificate", (value) =>
    value.includes("-----BEGIN CERTIFICATE-----"),
  ).optional(),
  certificate_fingerprint: text
    .regex(
      /^[0-9a-f]{2}(:?[0-9a-f]{2}){31}$/i,
      "expected the SHA-256 fingerprint of a certificate: 64 hex digits, with or without colons",
    )
    .transform((digits) => digits.replaceAll(":", "").toLowerCase())
    .optional(),
};
