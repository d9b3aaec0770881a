import { HttpRequest, HttpResponse, type HttpResponseInit, InvocationContext } from "@azure/functions";
import { type Route, routes } from "../../../shared/api/index.ts";

export type RouteId = Exclude<(typeof routes)[number]["id"], "autoscale" | "autostop" | "leaving" | "stop">;
type Handler = (request: HttpRequest, context: InvocationContext) => Promise<HttpResponseInit>;

/** Calls a route's function as the host would. */
export interface Api {
  call(id: RouteId, fields?: Fields): Promise<HttpResponseInit>;
  /** The same of an answer that has to be a success, checked against the route's schema. */
  read<T = Record<string, unknown>>(id: RouteId, fields?: Fields): Promise<T>;
}

export interface Fields {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export function routeOf(id: RouteId): Route {
  const route = routes.find((each) => each.id === id);
  if (route === undefined) throw new Error(`no route ${id}`);
  return route;
}

export function apiOf(handlers: Readonly<Record<RouteId, Handler>>, cluster: string): Api {
  const api: Api = {
    async call(id, { params = {}, query = {}, headers = {}, body } = {}) {
      const { method } = routeOf(id);
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const request = new HttpRequest({
        method,
        url: `http://127.0.0.1/api/${id}`,
        params: { cluster, ...params },
        query,
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: { string: text } }),
      });
      const context = new InvocationContext({ invocationId: "i-1", logHandler: () => {} });
      return handlers[id](request, context);
    },
    async read<T>(id: RouteId, fields: Fields = {}) {
      const response = await api.call(id, fields);
      if ((response.status ?? 200) >= 300) throw new Error(JSON.stringify(response));
      // As the caller gets it.
      const body: unknown = await new HttpResponse(response).json();
      routeOf(id).answer.parse(body);
      return body as T;
    },
  };
  return api;
}
