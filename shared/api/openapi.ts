import { z } from "zod";
import { problemSchema } from "./problem.ts";
import { apiVersion, appRoles, type Role, type Route } from "./route.ts";
import { routes } from "./routes.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

/** The OpenAPI 3.1 document of the HTTP API, made of the schemas that the functions check against. */
export function openApiDocument(): JsonObject {
  const components = new Components();
  const schema = components.refTo(problemSchema, "Problem");
  const parameters = sharedParameters();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = paths[`/${route.path}`] ?? {};
    paths[`/${route.path}`] = {
      ...path,
      [route.method.toLowerCase()]: operationOf(route, components, parameters),
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
    // Every operation has it that names no other.
    security: securityOf("reader"),
    paths,
    components: {
      schemas: components.schemas(),
      parameters: Object.fromEntries(parameters),
      responses: Object.fromEntries(
        Object.values(problems).map(({ name, description }) => [
          name,
          { description, content: { "application/problem+json": { schema } } },
        ]),
      ),
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

/** What may be answered in place of a success, by status. */
const problems = {
  400: { name: "BadRequest", description: "The query, the body or the version is not what the call takes" },
  401: {
    name: "Unauthorized",
    description: "Nobody is known to call: no key, no token, or one that is not good",
  },
  403: { name: "Forbidden", description: "Whoever calls lacks the role" },
  404: { name: "NotFound", description: "No such cluster is configured, or no such record is kept" },
  412: {
    name: "PreconditionFailed",
    description: "What is stored is not what `If-Match` or `If-None-Match` says",
  },
  415: {
    name: "UnsupportedMediaType",
    description: "It changes something, and any web page could have sent it: expected `application/json`",
  },
  422: {
    name: "UnprocessableContent",
    description: "The `Idempotency-Key` was given before, for another request",
  },
  428: { name: "PreconditionRequired", description: "Neither of them is there" },
  default: { name: "OtherProblem", description: "Any other problem; `type` says which" },
} as const;

function problemsOf({ id, method, role, guarded }: Route): JsonObject {
  const statuses: readonly (keyof typeof problems)[] = [
    ...([400, 401, 403, 404] as const),
    ...(guarded === true ? ([412, 428] as const) : []),
    ...(method !== "GET" && role !== "reader" ? ([415] as const) : []),
    ...(id === "actions" ? ([422] as const) : []),
    "default",
  ];
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${problems[status].name}` }]),
  );
}

function operationOf(
  route: Route,
  components: Components,
  shared: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const { id, role, summary, body, answer, polled } = route;
  const etag = { ETag: { description: "Send it as If-None-Match", schema: { type: "string" } } };
  return {
    operationId: id,
    summary,
    ...(role === "reader" ? {} : { security: securityOf(role) }),
    parameters: parametersOf(route).map((each) =>
      JSON.stringify(shared.get(each.name)) === JSON.stringify(each)
        ? { $ref: `#/components/parameters/${each.name}` }
        : each,
    ),
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
      ...problemsOf(route),
    },
  };
}

/** Any one of these, as the app is set up. */
function securityOf(role: Role): readonly Json[] {
  const keys = [{ functionKey: [] }, { functionKeyInQuery: [] }];
  return role === "node" ? [...keys, { nodeLogin: [] }] : [...keys, { entraToken: [appRoles[role][0]] }];
}

type Parameter = JsonObject & { readonly name: string };

function parametersOf(route: Route): readonly Parameter[] {
  return [...pathParameters(route.path), ...queryParameters(route.query), ...headerParameters(route)];
}

/** What several routes take alike, by its name. Another parameter of that name is written out where it is. */
function sharedParameters(): ReadonlyMap<string, Parameter> {
  const alike = Map.groupBy(routes.flatMap(parametersOf), (each) => JSON.stringify(each));
  const repeated = [...alike.values()]
    .filter(({ length }) => length > 1)
    .toSorted((a, b) => a.length - b.length);
  // Where two have one name: the one that is there more often.
  return new Map(repeated.flatMap(([first]) => (first === undefined ? [] : [[first.name, first]])));
}

function pathParameters(path: string): readonly Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodObject | undefined): readonly Parameter[] {
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

function headerParameters({ polled, guarded }: Route): readonly Parameter[] {
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
