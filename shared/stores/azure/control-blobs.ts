import type { BlobServiceClient } from "@azure/storage-blob";
import type { ClusterControl, ControlStore, IfMatch, RefusedLogin, Stored } from "../../ports/index.ts";
import { Container, jsonContent } from "./container.ts";
import { clusterBlob, escapeName } from "./keys.ts";

/** Container `control`, one blob per cluster; refused logins in `logins/`, which no cluster's blob is in. */
export class BlobControlStore implements ControlStore {
  readonly #container: Container;

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "control");
  }

  async load(cluster: string): Promise<Stored<ClusterControl> | undefined> {
    return this.#container.load(clusterBlob(cluster));
  }

  async save(control: ClusterControl, ifMatch: IfMatch): Promise<void> {
    const record = `control of cluster "${control.cluster}"`;
    await this.#container.save(clusterBlob(control.cluster), jsonContent(control), { ifMatch, record });
  }

  async refusedLogin(fingerprint: string): Promise<Stored<RefusedLogin> | undefined> {
    return this.#container.load(loginName(fingerprint));
  }

  async saveRefusedLogin(refused: RefusedLogin): Promise<void> {
    await this.#container.put(loginName(refused.fingerprint), jsonContent(refused));
  }

  async changeRefusedLogin(refused: RefusedLogin, etag: string): Promise<void> {
    const name = loginName(refused.fingerprint);
    await this.#container.save(name, jsonContent(refused), { ifMatch: etag, record: "refused login" });
  }

  async forgetRefusedLogin(fingerprint: string): Promise<void> {
    await this.#container.delete(loginName(fingerprint));
  }
}

function loginName(fingerprint: string): string {
  return `logins/${escapeName(fingerprint)}.json`;
}
