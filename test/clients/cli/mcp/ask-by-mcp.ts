import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createMcpServer, type Served } from "../../../../clients/cli/mcp/server.ts";

/** A client of the SDK at a server of ours, both in this process. */
export async function connected(served: Served): Promise<Client> {
  const client = new Client({ name: "a test", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await createMcpServer(served).connect(there);
  await client.connect(here);
  return client;
}

/** What a tool answered: as text, which every client shows, and as data. */
export async function ask(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  const [only] = content as readonly { readonly type: string; readonly text: string }[];
  return {
    text: only?.text ?? "",
    data: structuredContent as
      | {
          readonly answer: Readonly<Record<string, unknown>>;
          readonly leftOut: readonly unknown[];
          readonly next: readonly string[];
        }
      | undefined,
    isError: isError === true,
  };
}
