import { isWritten, LoginRefusedError, messageOf } from "../errors/errors.ts";
import type { ClusterControl, CycleCloud, Ports, RefusedLogin, Stored } from "../ports/index.ts";
import { type ControlPorts, changeControl } from "./control.ts";

type LoginPorts = ControlPorts;

/** One cluster's server, and the decisions about the cluster. */
interface Server {
  readonly control: ClusterControl;
  readonly cycleCloud: CycleCloud;
}

export type LoggedIn<T> =
  | { readonly outcome: "done"; readonly value: T }
  /** CycleCloud was not called, or answered with a 401. No more calls are made then. */
  | { readonly outcome: "stopped"; readonly why: string };

/** CycleCloud counts failed logins over a minute, so the next one comes a minute after the last. */
const countedSeconds = 60;

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
  return refused === undefined ? untilRefused(ports, server, work) : stopped(ports, server, refused.value);
}

/**
 * The same, but a refused login that an operator resumed is tried once more: one cluster makes this one call, and all
 * others that share the login wait for its answer. If that run dies, another one tries a minute later.
 */
export async function tryingLogin<T>(
  ports: LoginPorts,
  server: Server,
  call: () => Promise<T>,
): Promise<LoggedIn<T>> {
  const refused = await refusedLogin(ports, server);
  if (refused === undefined) return untilRefused(ports, server, call);
  if (!(await takesTry(ports, refused))) return stopped(ports, server, refused.value);
  const tried = await untilRefused(ports, server, call);
  if (tried.outcome === "stopped") return tried;
  await ports.controls.forgetRefusedLogin(refused.value.fingerprint);
  await showNone(ports, server);
  return tried;
}

/** Does work with a login that was accepted before: a 401 stops all later calls. */
export async function untilRefused<T>(
  ports: LoginPorts,
  server: Server,
  work: () => Promise<T>,
): Promise<LoggedIn<T>> {
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

/** Allows one more try of a refused login, by the next cluster with these credentials that is read. */
export async function resumeLogin(
  ports: Pick<Ports, "clock" | "controls">,
  fingerprint: string,
): Promise<void> {
  const refused = await ports.controls.refusedLogin(fingerprint);
  if (refused === undefined) return;
  const resumed = { ...refused.value, resumedAtSeconds: ports.clock.nowSeconds() };
  if (!(await isWritten(() => ports.controls.changeRefusedLogin(resumed, refused.etag))))
    await resumeLogin(ports, fingerprint);
}

/** The refusal that stands for this cluster, if any; the cluster's own record shows it from now on. */
async function refusedLogin(ports: LoginPorts, server: Server): Promise<Stored<RefusedLogin> | undefined> {
  const { refusedLogin: shown } = server.control;
  const fingerprint = server.cycleCloud.credentialsFingerprint();
  const refused = await ports.controls.refusedLogin(fingerprint);
  if (refused !== undefined) {
    if (!isSame(shown, refused.value)) await show(ports, server, refused.value);
    return refused;
  }
  if (shown === null) return undefined;
  // The earlier credentials may become right again, and other clusters may still use them. If they are unchanged,
  // another cluster tried them and they were accepted.
  if (shown.fingerprint !== fingerprint) await resumeLogin(ports, shown.fingerprint);
  await showNone(ports, server);
  return undefined;
}

function isSame(shown: RefusedLogin | null, refused: RefusedLogin): boolean {
  return (
    shown?.fingerprint === refused.fingerprint &&
    shown.atSeconds === refused.atSeconds &&
    shown.resumedAtSeconds === refused.resumedAtSeconds
  );
}

/** Whether this run is the one that tries the login again. */
async function takesTry(ports: LoginPorts, { value, etag }: Stored<RefusedLogin>): Promise<boolean> {
  const { atSeconds, resumedAtSeconds, triedAtSeconds = 0 } = value;
  const nowSeconds = ports.clock.nowSeconds();
  if (resumedAtSeconds === undefined) return false;
  const waitSeconds = Math.max(atSeconds, triedAtSeconds) + countedSeconds - nowSeconds;
  // A machine whose clock was far ahead must not block the login until that time comes.
  if (waitSeconds > 0 && waitSeconds <= 2 * countedSeconds) return false;
  const tried = { ...value, triedAtSeconds: nowSeconds };
  return isWritten(() => ports.controls.changeRefusedLogin(tried, etag));
}

async function showNone(ports: LoginPorts, server: Server): Promise<void> {
  await show(ports, server, null);
  ports.log.info("login-changed", { cluster: server.control.cluster });
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
