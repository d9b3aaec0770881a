import type { Clock } from "./clock.ts";

const FAILURES_ALLOWED = 5;
const FAILURE_WINDOW_SECONDS = 60;
const LOCK_SECONDS = 300;

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
      failures = [...failures.filter((at) => at > now - FAILURE_WINDOW_SECONDS), now];
      if (failures.length >= FAILURES_ALLOWED) {
        lockedUntil = now + LOCK_SECONDS;
        failures = [];
      }
      return false;
    },
  };
}
