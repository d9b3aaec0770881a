import { answerOverHttp, type HttpHandler } from "../../functions/support/answer-http.ts";
import type { RouteId } from "../../shared/api/index.ts";
import { routes } from "../../shared/api/index.ts";

/** The HTTP function of a route without the guard before it. The composition root is replaced by whoever calls it. */
export function handlerOf(id: RouteId): HttpHandler {
  const route = routes.find((each) => each.id === id);
  if (route === undefined) throw new Error(`There is no route "${id}"`);
  return answerOverHttp(route);
}
