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
 * Does work that calls CycleCloud, unless these credentials were refused before, to this cluster or to another one: five
 * failed logins in a minute lock the account. Other credentials (address, user or password) are tried at once.
 *
 * The record of the credentials decides; a cluster's own shows it, and holds its plans. It is written second and taken
 * away second, so that a run that dies in between leaves what the next one puts right.
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
    const message = messageOf(error);
    const fingerprint = server.cycleCloud.credentialsFingerprint();
    const met: RefusedLogin = { fingerprint, message, atSeconds: ports.clock.nowSeconds() };
    await ports.controls.saveRefusedLogin(met);
    await show(ports, server, met);
    return stopped(ports, server, met);
  }
}

async function refusedLogin(ports: LoginPorts, server: Server): Promise<RefusedLogin | undefined> {
  const { refusedLogin: shown, cluster } = server.control;
  const fingerprint = server.cycleCloud.credentialsFingerprint();
  const refused = await ports.controls.refusedLogin(fingerprint);
  if (refused !== undefined) {
    if (shown?.fingerprint !== fingerprint) await show(ports, server, refused);
    return refused;
  }
  if (shown === null) return undefined;
  // Those of before may be right again some day. Resumed, when they are the same: for this cluster or for another.
  if (shown.fingerprint !== fingerprint) await ports.controls.forgetRefusedLogin(shown.fingerprint);
  await show(ports, server, null);
  ports.log.info("login-changed", { cluster });
  return undefined;
}

async function show(
  ports: LoginPorts,
  { control: { cluster } }: Server,
  refused: RefusedLogin | null,
): Promise<void> {
  await changeControl(ports, cluster, (control) => ({ ...control, refusedLogin: refused }));
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
