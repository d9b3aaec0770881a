import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { Command, InvalidArgumentError, Option } from "commander";
import { CommandFailure } from "../exit-code.ts";
import { Confirmations } from "../mcp/confirmations.ts";
import { serveHttp } from "../mcp/serve-http.ts";
import { createMcpServer } from "../mcp/server.ts";
import { note } from "../output/note.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrFilesOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends ServiceFlags {
  readonly allowActions?: true;
  readonly http?: number;
}

export function mcpCommand(terminal: Terminal): Command {
  const command = new Command("mcp")
    .description(
      "Serves the Model Context Protocol, so that an assistant in an editor or a chat can answer questions about clusters. It only reads. With --allow-actions it also acts on nodes: it shows what would be done, and does it after a confirmation.",
    )
    .option("--allow-actions", "also offers actions: first shown, then carried out")
    .addOption(
      new Option(
        "--http <port>",
        "serves by HTTP on 127.0.0.1 instead of stdin and stdout; callers show CCSCALE_MCP_KEY, or the key that is printed",
      ).argParser(portOption),
    )
    .action((flags: Flags) => serve(terminal, flags));
  return serviceOrFilesOptions(command);
}

async function serve(terminal: Terminal, flags: Flags): Promise<void> {
  const served = {
    reaching: async (cluster: string | undefined) =>
      (await reach(cluster === undefined ? flags : { ...flags, cluster })).service,
    nowSeconds: () => Date.now() / 1000,
    ...(flags.allowActions === true && { confirmations: new Confirmations(Date.now) }),
  };
  const createMcp = () => createMcpServer(served);
  if (flags.http === undefined) {
    const transport = new StdioServerTransport(terminal.stdin, terminal.stdout);
    const ended = once(terminal.stdin, "end");
    serveStdio(createMcp, { transport });
    await ended;
    return;
  }
  const given = process.env.CCSCALE_MCP_KEY;
  const key = given ? given : randomUUID();
  const { url, stop } = await serveHttp(createMcp, { port: flags.http, key }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") throw error;
      throw new CommandFailure(`Port ${flags.http} is in use`, "Name another one, or 0 for any.");
    },
  );
  note(terminal, given ? url : `${url}, with the header "Authorization: Bearer ${key}"`);
  await Promise.race((["SIGINT", "SIGTERM"] as const).map((signal) => once(process, signal)));
  await stop();
}

function portOption(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError(`"${text}", expected a port from 0 to 65535.`);
}
