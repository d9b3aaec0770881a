const address = /^[\d.]+$|:/;

/**
 * What host names are compared by: without domain, in lower case, since DNS does not tell cases apart. An IP address
 * stays whole: its first number names no host.
 */
export function shortHostname(hostname: string): string {
  const lower = hostname.toLowerCase();
  const dot = lower.indexOf(".");
  return dot < 0 || address.test(lower) ? lower : lower.slice(0, dot);
}
