import type { DefaultAzureCredential, TokenCredential } from "@azure/identity";

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
