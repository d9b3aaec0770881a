import { answersFromRecords } from "../../../shared/service/index.ts";
import { lookAhead } from "../../../shared/views/index.ts";
import type { OpenedArchive } from "../archive/open.ts";
import { askHere } from "./ask-here.ts";
import type { Service } from "./service.ts";

/** The same answers as the HTTP API's, from files, as of the moment at which they were written. Nothing can be done there. */
export function serveArchive({ cluster, stores, atSeconds, config }: OpenedArchive): Service {
  const records = { ...stores, clock: { nowSeconds: () => atSeconds } };
  const ports = {
    ...records,
    lookAhead: (name: string) => lookAhead(records, name),
    // An archive was written without secrets.
    knownSecrets: [],
  };
  return {
    cluster,
    printing: () => config,
    ask: (id, call = {}) => askHere(answersFromRecords, id, { ports, cluster, call }),
  };
}
