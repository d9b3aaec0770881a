import type { Answer, Request } from "./management-requests.ts";

/**
 * Claims-based security: the client puts a token for every entity before it uses it, and again every 45 minutes.
 * Any token is good here; whoever reaches the port may do anything.
 */
export function answerCbs({ operation }: Request): Answer {
  if (operation === "put-token") return { status: 202, description: "Accepted" };
  return { status: 400, description: `Unknown operation ${operation}` };
}
