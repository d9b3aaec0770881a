import { z } from "zod";
import { problemSchema } from "./problem.ts";
import { apiVersion, appRoles, type Role, type Route } from "./route.ts";
import { routes } from "./routes.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

/** The OpenAPI 3.1 document of the HTTP API, made of the schemas that the functions check against. */
export function openApiDocument(): JsonObject {
  const components = new Components();
  const problem = components.refTo(problemSchema, "Problem");
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = paths[`/${route.path}`] ?? {};
    paths[`/${route.path}`] = {
      ...path,
      [route.method.toLowerCase()]: operationOf(route, components, problem),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "cyclecloud-autoscale",
      version: apiVersion,
      summary: "What an autoscaled CycleCloud cluster does and why, and what operators ask of it",
      description:
        "Times are Unix seconds. Within a version fields, kinds and routes are only added: pass over what you do not know. Errors are problem details (RFC 9457).",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/api" }],
    paths,
    components: {
      schemas: components.schemas(),
      securitySchemes: {
        functionKey: { type: "apiKey", in: "header", name: "x-functions-key" },
        functionKeyInQuery: { type: "apiKey", in: "query", name: "code" },
        entraToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description:
            "Where the app asks for tokens of Microsoft Entra ID in place of keys: one with the app role that the operation names, or one that includes it",
        },
        nodeLogin: {
          type: "http",
          scheme: "basic",
          description: "Where nodes log in with the name and password of their cluster",
        },
      },
    },
  };
}

function operationOf(route: Route, components: Components, problem: Json): JsonObject {
  const { id, role, summary, query, body, answer, polled, guarded } = route;
  const problemAnswer = (description: string) => ({
    description,
    content: { "application/problem+json": { schema: problem } },
  });
  const etag = { ETag: { description: "Send it as If-None-Match", schema: { type: "string" } } };
  return {
    operationId: id,
    summary,
    security: securityOf(role),
    parameters: [...pathParameters(route.path), ...queryParameters(query), ...headerParameters(route)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: components.refTo(body, `${id}-request`) } },
          },
        }),
    responses: {
      "200": {
        description: summary,
        ...(polled === true ? { headers: etag } : {}),
        content: { "application/json": { schema: components.refTo(answer, `${id}-answer`) } },
      },
      ...(polled === true ? { "304": { description: "Nothing has changed" } } : {}),
      "400": problemAnswer("The query, the body or the version is not what the call takes"),
      "401": problemAnswer("Nobody is known to call: no key, no token, or one that is not good"),
      "403": problemAnswer("Whoever calls lacks the role"),
      ...(guarded === true
        ? {
            "412": problemAnswer("What is stored is not what `If-Match` or `If-None-Match` says"),
            "428": problemAnswer("Neither of them is there"),
          }
        : {}),
      ...(route.method !== "GET" && route.role !== "reader"
        ? {
            "415": problemAnswer(
              "It changes something, and any web page could have sent it: expected `application/json`",
            ),
          }
        : {}),
      ...(id === "actions"
        ? { "422": problemAnswer("The `Idempotency-Key` was given before, for another request") }
        : {}),
      "404": problemAnswer("No such cluster is configured, or no such record is kept"),
      default: problemAnswer("Any other problem; `type` says which"),
    },
  };
}

/** Any one of these, as the app is set up. */
function securityOf(role: Role): readonly Json[] {
  const keys = [{ functionKey: [] }, { functionKeyInQuery: [] }];
  return role === "node" ? [...keys, { nodeLogin: [] }] : [...keys, { entraToken: [appRoles[role][0]] }];
}

function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodObject | undefined): readonly Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(query) as {
    readonly properties?: Record<string, JsonObject>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function headerParameters({ polled, guarded }: Route): readonly Json[] {
  const header = (name: string, schema: JsonObject = { type: "string" }) => ({
    name,
    in: "header",
    required: false,
    schema,
  });
  return [
    header("api-version", { const: apiVersion }),
    ...(polled === true || guarded === true ? [header("If-None-Match")] : []),
    ...(guarded === true ? [header("If-Match")] : []),
  ];
}

/** Schemas with a name of their own go to the components, and others point there. */
class Components {
  readonly #schemas = new Map<string, Json>();

  refTo(schema: z.ZodType, name: string): JsonObject {
    const {
      $defs = {},
      id = name,
      ...own
    } = jsonSchemaOf(schema) as {
      readonly $defs?: JsonObject;
      readonly id?: string;
    } & JsonObject;
    for (const [key, value] of Object.entries($defs)) this.#add(key, value);
    this.#add(id, own);
    return { $ref: `#/components/schemas/${id}` };
  }

  schemas(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #add(name: string, schema: Json): void {
    const { id: _, ...rest } = schema as JsonObject;
    this.#schemas.set(name, rest);
  }
}

/** As a caller writes it: without what defaults and transforms make of it. */
function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: "input" }) as JsonObject;
  return JSON.parse(JSON.stringify(made).replaceAll("#/$defs/", "#/components/schemas/"));
}
