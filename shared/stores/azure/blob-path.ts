/**
 * Whether a name that came from elsewhere stays in its container. The URL parser would resolve a segment ".." before the
 * request is made, and read another container, such as the one with the configuration.
 */
export function staysInside(blob: string): boolean {
  return !blob.split(/[/\\]/).some((segment) => segment === "" || /^(\.|%2e){1,2}$/i.test(segment));
}
