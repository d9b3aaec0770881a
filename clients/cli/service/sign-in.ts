import type { DefaultAzureCredential, TokenCredential } from "@azure/identity";
import { messageOf } from "../../../shared/errors.ts";
import { printable } from "../../../shared/text.ts";
import { CommandFailure } from "../exit-code.ts";

/** Errors of the identity library by which no token came. */
const names: readonly unknown[] = [
  "AggregateAuthenticationError",
  "AuthenticationError",
  "AuthenticationRequiredError",
  "CredentialUnavailableError",
];

const guide = '"Sign in with Entra" in docs/deploy.md';

/** What to do about Entra's own reasons, by their code. */
const nextByCode: Readonly<Record<string, string>> = {
  AADSTS50105: `You have no role of the app: ask for one (${guide}).`,
  AADSTS500011: "Entra knows no such app: check CCSCALE_AUDIENCE, and the tenant that you are signed in to.",
  AADSTS65001: `The app registration has to let the Azure CLI ask for tokens (${guide}).`,
};

/** Why no token could be had, in short: the library names every way that it tried. Undefined for other errors. */
export function signInFailure(error: unknown, audience: string): CommandFailure | undefined {
  if (!(error instanceof Error) || !names.includes(error.name)) return undefined;
  const [said, code = ""] = /(AADSTS\d+):[^\n]*/.exec(messageOf(error)) ?? [];
  const why = said === undefined ? "nobody is signed in on this machine" : printable(said.trim());
  return new CommandFailure(
    `Cannot sign in for "${audience}": ${why}`,
    nextByCode[code] ?? 'Run "az login", then try again; a machine in Azure can have a managed identity.',
  );
}

/** DefaultAzureCredential, loaded with the first token: who has a key or a connection string does not wait for it. */
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
