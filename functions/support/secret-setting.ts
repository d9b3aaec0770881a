import type { Environment } from "./settings.ts";

/** What the platform leaves in place of a secret that it could not read. */
const unreadReference = /^\s*@Microsoft\.(KeyVault|AppConfiguration)\(/i;

/** Whether a value is a Key Vault reference that the platform did not replace by the secret. */
export const isUnreadReference = (value: string): boolean => unreadReference.test(value);

/**
 * The secret in an app setting; undefined when the setting is missing, empty, or still a Key Vault reference. A reference that
 * was sent as a password would be refused, and a refused login stops every cluster that shares it.
 */
export function secretIn(environment: Environment, setting: string): string | undefined {
  const value = environment[setting];
  return value === undefined || value === "" || isUnreadReference(value) ? undefined : value;
}
