import { Agent, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";

/** Code of the error when a server shows another certificate than the pinned one. */
export const pinMismatch = "CERTIFICATE_PIN_MISMATCH";

const handshakeTimeoutMs = 30_000;

type Connected = (error: Error | null, socket: Duplex) => void;

/**
 * An agent for one server that is known by its certificate. The fingerprint takes the place of chain, name and expiry, so
 * that a self-signed server needs no authority. It is checked on each connection before anything is sent, so only
 * the holder of the certificate's key can receive a password.
 */
export class PinnedAgent extends Agent {
  readonly #fingerprint: string;

  /** SHA-256 of the certificate (DER), in hex. */
  constructor(fingerprint: string) {
    // No TLS session resumption: a resumed handshake shows no certificate.
    super({ keepAlive: true, maxCachedSessions: 0, rejectUnauthorized: false });
    this.#fingerprint = normalised(fingerprint);
  }

  /** Returns the socket only after its certificate was checked. */
  override createConnection(options: RequestOptions, callback?: Connected): Duplex | null | undefined {
    const socket = super.createConnection({ ...options, rejectUnauthorized: false });
    if (!(socket instanceof TLSSocket)) throw new TypeError("Cannot pin a connection without TLS");
    const fail = (error: Error) => callback?.(error, socket);
    socket.once("error", fail);
    // No request owns the socket yet, so no request's time-out would end a stalled handshake.
    socket.setTimeout(handshakeTimeoutMs, () => socket.destroy(new Error("no TLS handshake in time")));
    socket.once("secureConnect", () => {
      socket.off("error", fail);
      socket.setTimeout(0);
      socket.removeAllListeners("timeout");
      const shown = socket.getPeerCertificate().fingerprint256 ?? "";
      if (normalised(shown) === this.#fingerprint) {
        callback?.(null, socket);
        return;
      }
      socket.destroy();
      fail(new PinMismatch(shown));
    });
    return undefined;
  }
}

class PinMismatch extends Error {
  readonly code = pinMismatch;

  constructor(shown: string) {
    super(`the server shows a certificate with fingerprint "${shown}", expected certificate_fingerprint`);
    this.name = "PinMismatch";
  }
}

function normalised(fingerprint: string): string {
  return fingerprint.replaceAll(":", "").toLowerCase();
}
