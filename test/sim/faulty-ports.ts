import { ConflictError, UpstreamError } from "../../shared/errors/errors.ts";
import type { Ports } from "../../shared/ports/index.ts";
import type { Chance } from "./chance.ts";
import type { Fault, FaultKind, FaultSource } from "./faults.ts";
import type { Fleet, Run } from "./fleet.ts";

export interface Weather {
  readonly fleet: Fleet;
  readonly faults: FaultSource;
  readonly chance: Chance;
}

/** A call that took effect, as `port.method`. */
export interface PortCall {
  readonly place: string;
  readonly args: readonly unknown[];
}

/** Ports that are only told things or asked for pure values: no call of theirs crosses a network. */
const local: readonly (keyof Ports)[] = ["clock", "log", "ids", "random", "cycleCloudFor", "telemetry"];

const readFaults = ["crash-before", "crash-after", "error-before", "slow-answer"] as const;
const writeFaults = [
  "crash-before",
  "crash-after",
  "crash-before",
  "crash-after",
  "error-before",
  "error-after",
  "conflict-after",
  "slow-request",
  "slow-answer",
] as const;
const sendFaults = [
  "crash-before",
  "crash-after",
  "error-before",
  "error-after",
  "slow-request",
  "slow-answer",
] as const;

/** The same ports for one run: every call takes its time, may fail, and may be the last thing that its machine does. */
export function faultyPorts(
  ports: Ports,
  weather: Weather,
  run: Run,
  onCall: (call: PortCall) => void,
): Ports {
  const names = (Object.keys(ports) as (keyof Ports)[]).filter((name) => !local.includes(name));
  const wrapped = names.map((name) => [name, faultyPort(name, ports[name])]);
  return { ...ports, ...Object.fromEntries(wrapped) };

  function faultyPort(port: string, target: object): object {
    return new Proxy(target, {
      get: (object, method) => {
        const value: unknown = Reflect.get(object, method, object);
        if (typeof value !== "function" || typeof method !== "string") return value;
        const place = `${port}.${method}`;
        return (...args: unknown[]) =>
          passThrough(place, async () => {
            const result: unknown = await Reflect.apply(value, object, args);
            run.saw.set(place, result);
            onCall({ place, args });
            return result;
          });
      },
    });
  }

  async function passThrough(place: string, call: () => Promise<unknown>): Promise<unknown> {
    const fault = weather.faults.at(place, faultsOf(place));
    const latencySeconds = weather.chance.between(0.002, 0.05);
    await weather.fleet.wait(run, latencySeconds + (fault?.kind === "slow-request" ? fault.seconds : 0));
    return fault === undefined ? call() : spoilt(place, fault, call);
  }

  async function spoilt(place: string, fault: Fault, call: () => Promise<unknown>): Promise<unknown> {
    const { kind, seconds } = fault;
    if (kind === "crash-before") return weather.fleet.kill(run.machine);
    if (kind === "error-before") throw failure(place, "no answer");
    const result = await call();
    if (kind === "crash-after") return weather.fleet.kill(run.machine);
    if (kind === "error-after") throw failure(place, "the connection was reset");
    if (kind === "conflict-after") throw new ConflictError(`${place}, by its own earlier attempt`);
    if (kind === "slow-answer") await weather.fleet.wait(run, seconds);
    return result;
  }
}

type Faults = readonly [FaultKind, ...FaultKind[]];

const faultsByPlace = new Map<string, Faults>();

/** The same few places are asked for a million times in a long simulation. */
function faultsOf(place: string): Faults {
  const known = faultsByPlace.get(place);
  if (known !== undefined) return known;
  const faults = faultsFor(place);
  faultsByPlace.set(place, faults);
  return faults;
}

function faultsFor(place: string): Faults {
  if (/\.send/.test(place)) return sendFaults;
  if (/^(controls|operations|plans|demand|targets)\.save/.test(place) && !place.endsWith("Part"))
    return writeFaults;
  return /\.(load|list|open|recent|read|clusters|count|shows)/.test(place) ? readFaults : sendFaults;
}

/** Queues answer in our terms; a store's SDK throws its own errors. */
function failure(place: string, why: string): Error {
  return place.includes(".send") || place.startsWith("unreadDemand.")
    ? new UpstreamError(`Cannot call ${place}: ${why}`, { retryable: true })
    : new Error(`${place}: RestError, ${why}`);
}
