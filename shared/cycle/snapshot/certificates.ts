import type { ClusterConfig } from "../../ports/index.ts";

/** Whether nothing says who the server is: whoever gets between us and it can read the password. */
export function isUnverified({ connection }: Pick<ClusterConfig, "connection">): boolean {
  const { url, verifyCertificates, certificateFingerprint } = connection;
  return url.startsWith("https:") && !verifyCertificates && certificateFingerprint === undefined;
}
