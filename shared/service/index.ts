/** The answers to every route of the API, over ports: HTTP and the command line are two ways to the same. */
export { answerCall, type RawBody, type RawCall, routeOf } from "./answer-call.ts";
export { type Answered, badRequest, problem, type Refused, refused } from "./answered.ts";
export { answers, answersFromRecords, answersOnStorage } from "./answers.ts";
export type { RecordPorts, ServicePorts, StopTurns, StoragePorts } from "./ports.ts";
export { problemOf } from "./problem-of.ts";
export type { AnswerOf, AnswersFrom, CallDetails, RouteCall, Seen } from "./route-call.ts";
