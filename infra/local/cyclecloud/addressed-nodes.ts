import { parseFilter } from "./filter.ts";
import type { NodeRecord } from "./node-record.ts";
import type { ManagementRequest } from "./request-log.ts";

/**
 * The nodes that a management request means: the union of everything it names. Names and hostnames compare exactly.
 * Throws a FilterError for a filter that does not parse.
 */
export function selectNodes(
  records: readonly NodeRecord[],
  request: ManagementRequest,
): readonly NodeRecord[] {
  const names = new Set(request.names);
  const ids = new Set(request.ids);
  const hostnames = new Set<unknown>(request.hostnames);
  const addresses = new Set<unknown>(request.ip_addresses);
  const passes = request.filter === undefined ? () => false : parseFilter(request.filter);
  return records.filter(
    (record) =>
      names.has(record.Name) ||
      ids.has(record.NodeId) ||
      hostnames.has(record.Hostname) ||
      addresses.has(record.PrivateIp) ||
      passes(record),
  );
}
