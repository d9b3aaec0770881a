import type { ContainerClient } from "@azure/storage-blob";
import { beforeAll } from "vitest";
import { ConfigurationError } from "../../../shared/errors/errors.ts";
import { smallestLimits } from "../../../shared/json/json-limits.ts";
import { connectStorage, createAzureStores, escapeName } from "../../../shared/stores/azure/index.ts";
import { type Account, emptyAccount } from "../../support/azurite.ts";
import { benchLimitBytes } from "./contract/demand-uploads.ts";
import { type Bench, runContractSuites } from "./contract/run.ts";
import { configOf } from "./contract/values.ts";

let account: Account;
let bench: Bench;

beforeAll(async () => {
  account = await emptyAccount();
  bench = benchOn(account);
});

runContractSuites("Azurite", () => bench);

function benchOn({ connectionString }: Account): Bench {
  const { blob, table } = connectStorage({ connectionString });
  const stores = createAzureStores({
    blob,
    table,
    parseConfig,
    jsonLimits: { ...smallestLimits, bytes: benchLimitBytes },
  });
  const put = writer(blob.getContainerClient("config"));
  return {
    stores,
    configs: {
      store: stores.configs,
      put: (cluster, url) => put(`${escapeName(cluster)}.json`, url),
      putBroken: (cluster) => put(`${escapeName(cluster)}.json`, "{"),
      remove: async (cluster) => {
        await blob.getContainerClient("config").deleteBlob(`${escapeName(cluster)}.json`);
      },
    },
    uploads: { store: stores.uploads, put: writer(blob.getContainerClient("demand-uploads")) },
  };
}

/** The operator's hand: writes a blob, and its container when there is none. */
function writer(container: ContainerClient): (name: string, text: string) => Promise<void> {
  return async (name, text) => {
    await container.createIfNotExists();
    await container.getBlockBlobClient(name).upload(text, Buffer.byteLength(text));
  };
}

/** Stands for the real parser: the text is the server's URL, "{" is a broken file. */
async function parseConfig(cluster: string, text: string) {
  if (text === "{") throw new ConfigurationError(`configuration of "${cluster}"`, ["broken"]);
  return configOf(cluster, text);
}
