/** How the service asks callers to show who they are; the page is told in its own head. */
export type Login =
  | { readonly by: "function-key" }
  | {
      readonly by: "entra";
      readonly authority: string;
      readonly tenantId: string;
      readonly clientId: string;
    };

/** What a caller shows with every call. */
export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "token"; readonly token: string; readonly name: string; readonly mayOperate: boolean };

const keptKey = "autoscale-key";
let credentials: Credentials = restored();
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
    if (keep && next.kind === "key") sessionStorage.setItem(keptKey, next.key);
    for (const listener of listeners) listener();
  },

  signOut(): void {
    sessionStorage.removeItem(keptKey);
    credentials = { kind: "none" };
    for (const listener of listeners) listener();
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

  /** With a key nobody can tell: the service refuses what it does not allow. */
  get mayOperate(): boolean {
    return credentials.kind !== "token" || credentials.mayOperate;
  },

  /** What goes into records as who asked. */
  get name(): string {
    return credentials.kind === "token" ? credentials.name : "dashboard";
  },
};

function restored(): Credentials {
  const key = typeof sessionStorage === "undefined" ? null : sessionStorage.getItem(keptKey);
  return key === null ? { kind: "none" } : { kind: "key", key };
}
