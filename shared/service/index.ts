import type { ServicePorts } from "./ports.ts";
import { recordAnswers } from "./record-answers.ts";
import type { AnswersFrom } from "./route-call.ts";
import { serviceAnswers } from "./service-answers.ts";
import { pauseOrResume, storageAnswers } from "./storage-answers.ts";

/** The answers to every route of the API, over ports: HTTP and the command line are two ways to the same. */
export { answerCall, type RawBody, type RawCall } from "./answer-call.ts";
export { type Answered, badRequest, problem, type Refused } from "./answered.ts";
export type { ServicePorts, StoragePorts } from "./ports.ts";
export { problemOf } from "./problem-of.ts";
export type { AnswerOf, AnswersFrom, Seen } from "./route-call.ts";

/** Every route has its answer here, once. HTTP, `--storage` and `--offline` take theirs from these tables. */
export const answers: AnswersFrom<ServicePorts> = { ...recordAnswers, ...storageAnswers, ...serviceAnswers };

/** With a storage account and without the service: what its executor would have to do is refused. */
export const answersOnStorage = { ...recordAnswers, ...storageAnswers, actions: pauseOrResume };

/** From files alone, which can only be read. */
export const answersFromRecords = recordAnswers;
