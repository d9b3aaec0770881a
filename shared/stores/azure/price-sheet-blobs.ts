import type { BlobServiceClient } from "@azure/storage-blob";
import { isWritten } from "../../errors/errors.ts";
import type { PriceSheet, PriceSheetStore } from "../../ports/index.ts";
import { Container, jsonContent } from "./container.ts";
import { escapeName } from "./keys.ts";
import { RememberedBlobs } from "./remembered-blobs.ts";

/** Container `prices`, one blob per location: `westeurope.json`. */
export class BlobPriceSheetStore implements PriceSheetStore {
  readonly #container: Container;
  readonly #blobs: RememberedBlobs<PriceSheet>;

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "prices");
    this.#blobs = new RememberedBlobs(this.#container);
  }

  async load(location: string): Promise<PriceSheet | undefined> {
    return (await this.#blobs.read(blobName(location)))?.value;
  }

  /** On a conflict the other writer's sheet stays: it was read at about the same time. */
  async save(sheet: PriceSheet): Promise<void> {
    const storedSheet = await this.#blobs.read(blobName(sheet.location));
    if ((storedSheet?.value.readAtSeconds ?? 0) > sheet.readAtSeconds) return;
    const guard = { ifMatch: storedSheet?.etag, record: `price sheet of "${sheet.location}"` };
    await isWritten(() => this.#container.save(blobName(sheet.location), jsonContent(sheet), guard));
  }
}

function blobName(location: string): string {
  return `${escapeName(location.toLowerCase())}.json`;
}
