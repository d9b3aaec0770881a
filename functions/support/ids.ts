import { createHash, randomUUID } from "node:crypto";
import type { Ids } from "../../shared/ports/index.ts";

/** Plan ids sort by time (`20261121T104512.345Z-1a2b3c`); everything else is a digest of what it names. */
export const ids: Ids = {
  planId: (atSeconds) => {
    const time = new Date(atSeconds * 1000).toISOString().replaceAll(/[-:]/g, "");
    return `${time}-${randomUUID().slice(0, 6)}`;
  },
  requestId: (actionId) => {
    const hex = createHash("sha256").update(actionId).digest("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
      "-",
    );
  },
  digest: (text) => createHash("sha256").update(text).digest("base64url"),
};
