import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import rhea, { type Connection, type ConnectionOptions } from "rhea";
import { type Services, serveConnection } from "./connection.ts";
import { acknowledgeReads } from "./flow.ts";
import { maxMessageBytes } from "./link-limits.ts";

export interface AmqpServer {
  readonly port: number;
  /** Tells the clients, closes their sockets and the port. */
  stop(): Promise<void>;
}

/**
 * No idle time-out is announced, so that a paused debugger on the client's side never loses its connection. A
 * link's credit is given only when the link is accepted; settling is done by our own frames.
 */
const linkOptions = {
  reconnect: false,
  sender_options: { autosettle: false, treat_modified_as_released: false },
  receiver_options: { autoaccept: false, credit_window: 0, max_message_size: maxMessageBytes },
};

/** Listens on 127.0.0.1; port 0 takes a free one. Rejects when the port is taken. */
export async function listen(options: Services & { readonly port: number }): Promise<AmqpServer> {
  // Not the default container: in one process the SDK uses that one, and its events would mix with ours.
  const container = rhea.create_container({ id: "service-bus-emulator" });
  const open = new Map<Socket, Connection>();
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    const connection = container.create_connection(linkOptions as unknown as ConnectionOptions);
    const end = serveConnection(connection, options);
    open.set(socket, connection);
    acknowledgeReads(connection, socket);
    connection.accept(socket);
    socket.on("close", () => {
      open.delete(socket);
      stopHeartbeats(connection);
      end();
    });
  });
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : options.port,
    async stop() {
      const closed = once(server, "close");
      server.close();
      for (const [socket, connection] of open) sayGoodbye(socket, connection);
      await closed;
    },
  };
}

function sayGoodbye(socket: Socket, connection: Connection): void {
  connection.close({ condition: "amqp:connection:forced", description: "The emulator is stopping." });
  // rhea writes the close on the next tick.
  setImmediate(() => socket.destroySoon());
}

/** rhea does not listen to a socket's "close": a destroyed one would leave its timers running. */
function stopHeartbeats(connection: Connection): void {
  clearTimeout(connection.heartbeat_in);
  clearTimeout(connection.heartbeat_out);
}
