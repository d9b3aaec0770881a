import { kindOf, messageOf } from "../../../shared/errors.ts";
import type { OpenedArchive } from "../archive/open.ts";
import { CommandFailure } from "../exit-code.ts";
import type { AnswerOf, Call, RouteId, Service } from "./service.ts";
import { refuse, views } from "./views.ts";

/** The same views as the HTTP API's, over what files tell, at the moment when they were written. Nothing can be done there. */
export function serveArchive({ cluster, stores, atSeconds, config }: OpenedArchive): Service {
  const ports = { ...stores, clock: { nowSeconds: () => atSeconds } };
  return {
    cluster,
    printing: () => config,
    ask: async <Id extends RouteId>(id: Id, call: Call = {}): Promise<AnswerOf<Id>> => {
      const answer = views[id];
      if (answer === undefined)
        return refuse("Nothing can be done offline", ["files can only be looked at; leave --offline out"]);
      try {
        return (await answer(ports, cluster, call)) as AnswerOf<Id>;
      } catch (error) {
        if (kindOf(error) === undefined) throw error;
        throw new CommandFailure(messageOf(error), "Mend the files, or name others after --offline.");
      }
    },
  };
}
