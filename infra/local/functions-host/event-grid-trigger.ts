import { z } from "zod";
import type { HostedFunction } from "./hosted-function.ts";
import type { Invoke } from "./invoke.ts";
import { toMetadata, toTypedData } from "./typed-data.ts";

/** Where Event Grid posts to in Azure as well. */
export const eventGridPath = "/runtime/webhooks/EventGrid";

const eventSchema = z.looseObject({ id: z.string(), eventType: z.string() });
const eventsSchema = z.union([z.array(eventSchema), eventSchema.transform((event) => [event])]);
const validationSchema = z
  .array(z.looseObject({ data: z.looseObject({ validationCode: z.string() }) }))
  .min(1);

interface EventGridOptions {
  readonly functions: readonly HostedFunction[];
  readonly invoke: Invoke;
}

/**
 * Answers what Event Grid posts for the function of `?functionName=`: the handshake of a new subscription, a list of
 * events, which run one by one, or its end. 202 when all events were handled, 500 when one was not: Event Grid then
 * offers the list again.
 */
export function createEventGridWebhook({ functions, invoke }: EventGridOptions) {
  return async (request: Request): Promise<Response> => {
    const name = new URL(request.url).searchParams.get("functionName");
    const target = functions.find((each) => each.name.toLowerCase() === name?.toLowerCase());
    if (target?.triggerType !== "eventgridtrigger")
      return new Response(`cannot find function: '${name ?? ""}'`, { status: 404 });
    const body: unknown = await request.json().catch(() => undefined);
    switch (request.headers.get("aeg-event-type")?.toLowerCase()) {
      case "subscriptionvalidation":
        return validated(body);
      case "notification":
        return notified(target, body, invoke);
      case "unsubscribe":
        return new Response(null, { status: 202 });
      default:
        return new Response(null, { status: 400 });
    }
  };
}

/** Returning the validation code proves the ownership of the endpoint. */
function validated(body: unknown): Response {
  const parsed = validationSchema.safeParse(body);
  const [event] = parsed.success ? parsed.data : [];
  if (event === undefined) return new Response(null, { status: 400 });
  return Response.json({ validationResponse: event.data.validationCode });
}

async function notified(target: HostedFunction, body: unknown, invoke: Invoke): Promise<Response> {
  const parsed = eventsSchema.safeParse(body);
  if (!parsed.success) return new Response(null, { status: 400 });
  const outcomes = await Promise.all(
    parsed.data.map((event) =>
      invoke(target, {
        data: toTypedData(event) ?? {},
        metadata: toMetadata({ data: event.data }),
        reason: `event ${event.id} (${event.eventType})`,
      }),
    ),
  );
  const isDone = outcomes.every(({ status }) => status === "succeeded");
  return new Response(null, { status: isDone ? 202 : 500 });
}
