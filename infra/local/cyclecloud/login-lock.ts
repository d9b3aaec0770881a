import type { Clock } from "./simulated-clock.ts";

const failuresAllowed = 5;
const failureWindowSeconds = 60;
const lockSeconds = 300;

export interface Login {
  /** A locked account is refused even with the right password. */
  allows(username: string, password: string): boolean;
}

/** CycleCloud's rule: five failed logins within 60 seconds lock the account for five minutes. */
export function createLogin(
  account: { readonly username: string; readonly password: string },
  clock: Clock,
): Login {
  let failures: readonly number[] = [];
  let lockedUntil = -Infinity;
  return {
    allows(username, password) {
      const now = clock.nowSeconds();
      if (username !== account.username || now < lockedUntil) return false;
      if (password === account.password) return true;
      failures = [...failures.filter((at) => at > now - failureWindowSeconds), now];
      if (failures.length >= failuresAllowed) {
        lockedUntil = now + lockSeconds;
        failures = [];
      }
      return false;
    },
  };
}
