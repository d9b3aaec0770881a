import { smallestLimits } from "../../../shared/json/json-limits.ts";
import { createMemoryStores, MemoryDemandUploads } from "../../../shared/stores/in-memory/index.ts";
import { benchLimitBytes } from "./contract/demand-uploads.ts";
import { runContractSuites } from "./contract/run.ts";
import { configOf } from "./contract/values.ts";

const stores = createMemoryStores();
const uploads = new MemoryDemandUploads({ ...smallestLimits, bytes: benchLimitBytes });

runContractSuites("in memory", () => ({
  stores,
  configs: {
    store: stores.configs,
    put: async (cluster, url) => stores.configs.put(configOf(cluster, url)),
    putBroken: async (cluster) => stores.configs.putBroken(cluster, ["broken"]),
    remove: async (cluster) => stores.configs.delete(cluster),
  },
  uploads: { store: uploads, put: async (blob, text) => uploads.put(blob, text) },
}));
