import { scryptSync } from "node:crypto";
import type { CycleCloudConnection } from "../ports/index.ts";

/**
 * Tells credentials apart without giving them away. It is stored where more people read than know the password, so
 * trying passwords against it has to be slow: scrypt, about 50 ms a try.
 */
export function fingerprintOf({ url, username }: CycleCloudConnection, password: string): string {
  return scryptSync(password, JSON.stringify([url, username]), 16).toString("base64url");
}
