import { isIP } from "node:net";

/** The host name without its domain, as schedulers and CycleCloud's own calls use it. An address is kept whole. */
export function shortHostname(hostname: string): string {
  return isIP(hostname) === 0 ? (hostname.split(".", 1)[0] ?? hostname) : hostname;
}

/** The name with its domain; null when CycleCloud reports only the short one. */
export function fullyQualified(hostname: string): string | null {
  return isIP(hostname) === 0 && hostname.includes(".") ? hostname : null;
}
