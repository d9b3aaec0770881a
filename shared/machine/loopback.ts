/**
 * Whether plain http to this address stays on this machine: everywhere else it would give passwords and keys away, so that
 * https is asked for there. An address in 127.0.0.0/8, `::1` or the name `localhost` does. `URL` has already written every
 * spelling of an IPv4 address (`127.1`, `0x7f.1`, a decimal, a dot at the end) as four decimals.
 *
 * What the system may send elsewhere does not count: names below `localhost` and `localhost.`, which resolvers may ask DNS
 * for; `0.0.0.0` and `[::]`, which mean another thing on each system; and IPv4 inside IPv6, which a socket may refuse or
 * route by rules of its own.
 */
export function isHttpToLoopback({ protocol, hostname }: URL): boolean {
  return (
    protocol === "http:" &&
    (hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname))
  );
}
