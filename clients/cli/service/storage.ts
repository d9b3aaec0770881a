import { jobDemandPoisonQueue, jobDemandQueue } from "../../../shared/app/names.ts";
import { checkConfig } from "../../../shared/config/index.ts";
import { StorageDemandQueue, StorageUnreadDemand } from "../../../shared/queues/storage-queue/index.ts";
import { answersOnStorage, type StoragePorts } from "../../../shared/service/index.ts";
import { BlobConfigFiles } from "../../../shared/stores/azure/index.ts";
import { lookAhead } from "../../../shared/views/index.ts";
import { clock, planRequestsAt, secretsAround, storageOf, storesOf } from "../connect-storage.ts";
import type { Place } from "../local-environment.ts";
import { version } from "../version.ts";
import { askHere } from "./ask-here.ts";
import type { Service } from "./service.ts";

/** The service without its function app: the same answers, on the storage account, with your own rights. It has no executor. */
export async function serveStorage(place: Place, cluster: string): Promise<Service> {
  const ports = await portsAt(place);
  // A configuration that cannot be used is reported by the answer that needs it.
  const loading = ports.configs.load(cluster).then(
    (config) => config?.printing,
    () => undefined,
  );
  let printing: unknown;
  return {
    cluster,
    isHere: true,
    printing: () => printing,
    ask: async (id, call = {}) => {
      const answer = await askHere(answersOnStorage, id, { ports, cluster, call });
      printing = await loading;
      return answer;
    },
  };
}

async function portsAt(place: Place) {
  const storage = await storageOf(place);
  const stores = { ...storesOf(storage), clock };
  const queue = storage.queue.getQueueClient(jobDemandQueue);
  const ports = {
    ...stores,
    lookAhead: (cluster) => lookAhead(stores, cluster),
    configFiles: new BlobConfigFiles(storage.blob, checkConfig),
    configChanges: "all",
    demandQueue: new StorageDemandQueue({ queue, uploads: storage.blob }),
    unreadDemand: new StorageUnreadDemand({
      queue,
      poison: storage.queue.getQueueClient(jobDemandPoisonQueue),
    }),
    planRequests: planRequestsAt(place),
    log: { info: silent, warn: silent, error: silent },
    knownSecrets: await secretsAround(place),
    about: { storage: "read without the function app", ccscale: version },
  } satisfies StoragePorts & { readonly controls: unknown };
  return ports;
}

/** No log: problems reach the user in the answer. */
function silent(): void {}
