export interface EntraLogin {
  readonly by: "entra";
  readonly authority: string;
  readonly tenantId: string;
  readonly clientId: string;
}

/** How the service asks callers to show who they are; the page reads it from its own head. */
export type Login = { readonly by: "function-key" } | EntraLogin;

/** What a caller shows with every call. */
export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "key"; readonly key: string }
  | TokenCredentials;

interface TokenCredentials {
  readonly kind: "token";
  readonly token: string;
  readonly name: string;
  readonly mayOperate: boolean;
  readonly endsAtMs: number;
  readonly renewAtMs: number;
  /** Undefined: it cannot be renewed without the viewer. */
  readonly renew: (() => Promise<TokenCredentials>) | undefined;
}

const keptKey = "autoscale-key";
const nameKey = "autoscale-name";
/** After a renewal that failed. */
const retryMs = 30_000;
let credentials: Credentials = restored();
/** Why the viewer is no longer signed in. */
let ended: string | undefined;
let renewing: Promise<void> | undefined;
const listeners = new Set<() => void>();

export function readLogin(): Login {
  const { authority, tenantId, clientId } =
    document.querySelector<HTMLMetaElement>('meta[name="login"]')?.dataset ?? {};
  return authority === undefined || tenantId === undefined || clientId === undefined
    ? { by: "function-key" }
    : { by: "entra", authority, tenantId, clientId };
}

export const session = {
  get credentials(): Credentials {
    return credentials;
  },

  /** `keep`: for this tab, until it is closed. Never in an address, a cookie or the log. */
  signIn(next: Credentials, keep: boolean): void {
    credentials = next;
    ended = undefined;
    if (keep && next.kind === "key") sessionStorage.setItem(keptKey, next.key);
    for (const listener of listeners) listener();
  },

  signOut(): void {
    session.end(undefined);
  },

  /** Signs out for a reason that the viewer is shown. */
  end(why: string | undefined): void {
    sessionStorage.removeItem(keptKey);
    credentials = { kind: "none" };
    ended = why;
    for (const listener of listeners) listener();
  },

  get ended(): string | undefined {
    return ended;
  },

  /** Before each call: a token that ends soon is renewed, once for all calls that wait for it. */
  async freshen(): Promise<void> {
    if (credentials.kind !== "token" || Date.now() < credentials.renewAtMs) return;
    const { renew } = credentials;
    if (renew !== undefined) {
      renewing ??= renewWith(renew, credentials).finally(() => {
        renewing = undefined;
      });
      await renewing;
    }
    if (credentials.kind === "token" && Date.now() >= credentials.endsAtMs)
      session.end("Your sign-in has ended: sign in again");
  },

  listen(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  headers(): Readonly<Record<string, string>> {
    switch (credentials.kind) {
      case "none":
        return {};
      case "key":
        return { "x-functions-key": credentials.key };
      case "token":
        return { authorization: `Bearer ${credentials.token}` };
    }
  },

  /** A key does not show a role: the service refuses what it does not allow. */
  get mayOperate(): boolean {
    return credentials.kind !== "token" || credentials.mayOperate;
  },

  /** What goes into records as who asked. */
  get name(): string {
    if (credentials.kind === "token") return credentials.name;
    const given = session.givenName ?? "";
    return given === "" ? "dashboard" : `dashboard (${given})`;
  },

  /** Who the viewer says to be, which this browser keeps; undefined: the sign-in says it. */
  get givenName(): string | undefined {
    return credentials.kind === "token" ? undefined : (localStorage.getItem(nameKey) ?? "");
  },

  giveName(name: string): void {
    localStorage.setItem(nameKey, name);
  },
};

async function renewWith(renew: () => Promise<TokenCredentials>, before: TokenCredentials): Promise<void> {
  try {
    const next = await renew();
    // The viewer is the same, so no listener is called. A viewer who signed out meanwhile stays signed out.
    if (credentials === before) credentials = next;
  } catch {
    // The old token lasts for some minutes: later calls try again.
    if (credentials === before) credentials = { ...before, renewAtMs: Date.now() + retryMs };
  }
}

function restored(): Credentials {
  const key = typeof sessionStorage === "undefined" ? null : sessionStorage.getItem(keptKey);
  return key === null ? { kind: "none" } : { kind: "key", key };
}
