import type { DefaultAzureCredential, TokenCredential } from "@azure/identity";
import { messageOf } from "../../../shared/errors/errors.ts";
import { printable } from "../../../shared/text/text.ts";
import { CommandFailure } from "../exit-code.ts";

/** Errors of the identity library that mean that there is no token. */
const names: readonly unknown[] = [
  "AggregateAuthenticationError",
  "AuthenticationError",
  "AuthenticationRequiredError",
  "CredentialUnavailableError",
];

const guide = '"Sign in with Entra" in docs/deploy-settings.md';

/** What to do about Entra's reasons, by code. */
const nextByCode: Readonly<Record<string, string>> = {
  AADSTS50105: `You have no role of the app: ask for one (${guide}).`,
  AADSTS500011: "Entra knows no such app: check CCSCALE_AUDIENCE, and the tenant that you are signed in to.",
  AADSTS65001: `The app registration has to let the Azure CLI ask for tokens (${guide}).`,
};

/** Why there is no token, in short: the library lists every way that it tried. Undefined for other errors. */
export function signInFailure(error: unknown, audience: string): CommandFailure | undefined {
  if (!(error instanceof Error) || !names.includes(error.name)) return undefined;
  const [reason, code = ""] = /(AADSTS\d+):[^\n]*/.exec(messageOf(error)) ?? [];
  const why = reason === undefined ? "you are not signed in on this machine" : printable(reason.trim());
  return new CommandFailure(
    `Cannot sign in for "${audience}": ${why}`,
    nextByCode[code] ?? 'Run "az login", then try again. A machine in Azure can have a managed identity.',
  );
}

/** DefaultAzureCredential, loaded with the first token: callers with a key or a connection string do not wait for it. */
export function defaultCredential(): TokenCredential {
  let loading: Promise<DefaultAzureCredential> | undefined;
  const load = async () => new (await import("@azure/identity")).DefaultAzureCredential();
  return {
    getToken: async (scopes, options) => {
      loading ??= load();
      return (await loading).getToken(scopes, options);
    },
  };
}
