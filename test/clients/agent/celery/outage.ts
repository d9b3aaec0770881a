import { createServer, connect as dial, type Server, type Socket } from "node:net";

/** A connection that can be cut: what goes in at its port comes out at another one, or nothing goes through at all. */
export class Outage {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #isOut = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(port: number, ownPort: number): Promise<Outage> {
    const server = createServer();
    const outage = new Outage(server);
    server.on("connection", (near) => {
      if (outage.#isOut) {
        near.destroy();
        return;
      }
      const far = dial(port, "127.0.0.1");
      for (const socket of [near, far]) {
        outage.#sockets.add(socket);
        socket.on("error", () => socket.destroy());
        socket.on("close", () => outage.#sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => server.listen(ownPort, "127.0.0.1", resolve));
    return outage;
  }

  begin(): void {
    this.#isOut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  end(): void {
    this.#isOut = false;
  }

  async close(): Promise<void> {
    this.begin();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
