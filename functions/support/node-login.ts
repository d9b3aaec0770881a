import { createHash, timingSafeEqual } from "node:crypto";
import type { HttpRequest, HttpResponseInit } from "@azure/functions";
import { kindOf, messageOf } from "../../shared/errors/errors.ts";
import type { AutostopSettings, Ports } from "../../shared/ports/index.ts";
import { problem } from "../../shared/service/index.ts";
import { refusedWith, withHeaders } from "./http-response.ts";

/** `function-key`: as on every other route. `basic`: nodes log in with the name and password of their cluster, as in CycleCloud. */
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

/** Compares digests, so that not even the length leaks. */
function isSame(shown: Buffer, wanted: Buffer): boolean {
  const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
  return timingSafeEqual(digest(shown), digest(wanted));
}

/**
 * The answer to a node whose login is wrong; undefined: it is right. Says the same of a wrong login and of a cluster that
 * does not exist: a caller that cannot log in must not learn which clusters exist.
 */
export async function refusedNodeLogin(
  request: HttpRequest,
  asked: {
    readonly ports: Pick<Ports, "configs" | "log">;
    readonly cluster: string;
    readonly stops: { passwordOf(setting: string): string | undefined };
  },
): Promise<HttpResponseInit | undefined> {
  const { ports, cluster, stops } = asked;
  const login = await loginOf(ports, cluster);
  const password = login === null ? undefined : stops.passwordOf(login.passwordSetting);
  if (login !== null && password === undefined)
    ports.log.error("autostop-login", {
      cluster,
      missingSetting: shownSetting(login.passwordSetting),
    });
  const header = request.headers.get("authorization");
  const isRight = login !== null && password !== undefined && isLogin(header, { ...login, password });
  if (isRight) return undefined;
  ports.log.warn("autostop-login", { cluster, isSetUp: password !== undefined });
  const refused = problem("unauthorized", 401, { title: "Log in with the name and password of nodes" });
  return withHeaders(refusedWith(refused.problem), { "WWW-Authenticate": 'Basic realm="autostop"' });
}

/** A name that is not the usual one is not shown: people write the password itself in its place. */
function shownSetting(name: string): string {
  return name === "AUTOSTOP_PASSWORD" ? name : "the one that autostop.password_setting names";
}

/** The problems of an unusable configuration are not shown to a caller that is not logged in. */
async function loginOf(
  { configs, log }: Pick<Ports, "configs" | "log">,
  cluster: string,
): Promise<AutostopSettings["login"]> {
  try {
    return (await configs.load(cluster))?.autostop.login ?? null;
  } catch (error) {
    if (kindOf(error) !== "configuration") throw error;
    log.error("autostop-login", { cluster, message: messageOf(error) });
    return null;
  }
}
