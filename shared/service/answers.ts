import type { RouteId } from "../api/index.ts";
import type { Answered } from "./answered.ts";
import type { RecordPorts, ServicePorts, StoragePorts } from "./ports.ts";
import { recordAnswers } from "./record-answers.ts";
import type { AnswerOf, RouteCall } from "./route-call.ts";
import { serviceAnswers } from "./service-answers.ts";
import { pauseOrResume, storageAnswers } from "./storage-answers.ts";

/** Answers one route. Throws what a store throws, and StaleSnapshotError; `answerCall` makes problems of those. */
export type Handler<P, Id extends RouteId> = (
  ports: P,
  call: RouteCall<Id>,
) => Promise<Answered<AnswerOf<Id>>>;

export type AnswersFrom<P, Ids extends RouteId = RouteId> = { readonly [Id in Ids]: Handler<P, Id> };

/** Every route has its answer here, once. HTTP, `--storage` and `--offline` take theirs from these tables. */
export const answers: AnswersFrom<ServicePorts> = { ...recordAnswers, ...storageAnswers, ...serviceAnswers };

/** With a storage account and without the service: what its executor would have to do is refused. */
export const answersOnStorage = { ...recordAnswers, ...storageAnswers, actions: pauseOrResume };

/** From files alone, which can only be read. */
export const answersFromRecords = recordAnswers;

export type { RecordPorts, ServicePorts, StoragePorts };
