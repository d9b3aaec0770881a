import { createHash, timingSafeEqual } from "node:crypto";

/**
 * How nodes show who they are. `function-key`: the platform asks for a key, as on every other route. `basic`: they log in
 * with the name and password of their cluster, as they do with CycleCloud.
 */
export type NodeLogin = "function-key" | "basic";

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Whether an `Authorization` header is a Basic login with these. Takes as long whatever is wrong with it. */
export function isLogin(header: string | null, { username, password }: Credentials): boolean {
  const [, shown = ""] = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? "") ?? [];
  return isSame(Buffer.from(shown, "base64"), Buffer.from(`${username}:${password}`));
}

/** Of digests, so that not even the length tells anything. */
function isSame(shown: Buffer, wanted: Buffer): boolean {
  const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
  return timingSafeEqual(digest(shown), digest(wanted));
}
