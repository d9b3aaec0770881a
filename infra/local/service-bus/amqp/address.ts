/** What a link's address means. */
export type Address =
  | { readonly kind: "cbs" }
  | { readonly kind: "management"; readonly queue: string }
  | { readonly kind: "queue"; readonly queue: string };

const managementSuffix = /\/\$management$/i;

/**
 * Reads an address as clients write it: the name of a queue or of its dead-letter queue, perhaps with a scheme and
 * host before it or "/$management" behind it. Case is left as it is; names are compared without it.
 */
export function parseAddress(address: string): Address {
  const path = address.replace(/^(amqps?|sb):\/\/[^/]*/i, "").replace(/^\//, "");
  if (path.toLowerCase() === "$cbs") return { kind: "cbs" };
  const queue = path.replace(managementSuffix, "");
  return { kind: queue === path ? "queue" : "management", queue };
}
