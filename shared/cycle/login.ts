import { LoginRefusedError, messageOf } from "../errors.ts";
import type { ClusterControl, CycleCloud, Ports, RefusedLogin } from "../ports.ts";
import { changeControl } from "./control.ts";

type LoginPorts = Pick<Ports, "clock" | "controls" | "log">;

/** One cluster's server, and what was decided about the cluster. */
interface Server {
  readonly control: ClusterControl;
  readonly cycleCloud: CycleCloud;
}

export type LoggedIn<T> =
  | { readonly outcome: "done"; readonly value: T }
  /** CycleCloud was not called, or answered the work with a 401: then it is not called any more. */
  | { readonly outcome: "stopped"; readonly why: string };

/**
 * Does work that calls CycleCloud, unless these credentials were refused before: five failed logins in a minute lock
 * the account. Other credentials (address, user or password) are tried at once.
 */
export async function whileLoggedIn<T>(
  ports: LoginPorts,
  server: Server,
  work: () => Promise<T>,
): Promise<LoggedIn<T>> {
  const refused = await refusedLogin(ports, server);
  if (refused !== undefined) return stopped(ports, server, refused);
  try {
    return { outcome: "done", value: await work() };
  } catch (error) {
    if (!isRefusedLogin(error)) throw error;
    return stopped(ports, server, await remember(ports, server, messageOf(error)));
  }
}

async function refusedLogin(
  ports: LoginPorts,
  { control: { cluster, refusedLogin: refused }, cycleCloud }: Server,
): Promise<RefusedLogin | undefined> {
  if (refused === null) return undefined;
  if (refused.fingerprint === cycleCloud.credentialsFingerprint()) return refused;
  await changeControl(ports, cluster, (control) =>
    control.refusedLogin?.fingerprint === refused.fingerprint ? { ...control, refusedLogin: null } : control,
  );
  ports.log.info("login-changed", { cluster });
  return undefined;
}

async function remember(
  ports: LoginPorts,
  { control: { cluster }, cycleCloud }: Server,
  message: string,
): Promise<RefusedLogin> {
  const fingerprint = cycleCloud.credentialsFingerprint();
  const refused: RefusedLogin = { fingerprint, message, atSeconds: ports.clock.nowSeconds() };
  await changeControl(ports, cluster, (control) => ({ ...control, refusedLogin: refused }));
  return refused;
}

function stopped(
  ports: LoginPorts,
  { control: { cluster } }: Server,
  { message, atSeconds }: RefusedLogin,
): { readonly outcome: "stopped"; readonly why: string } {
  ports.log.error("login-stopped", { cluster, sinceSeconds: atSeconds, message });
  return { outcome: "stopped", why: `CycleCloud is not called since it refused the login: ${message}` };
}

/** CycleCloud's 401; one from storage or a queue says nothing about the cluster's login. */
export function isRefusedLogin(error: unknown): boolean {
  return error instanceof LoginRefusedError;
}
