import type { Ports } from "../../shared/ports/index.ts";

/** A call of a port at which a run dies: `nth` counts the calls of that name from 1. */
export interface CrashPoint {
  readonly port: keyof Ports;
  readonly method: string;
  readonly nth?: number;
  /** `after`: the call had its effect, and whoever made it never knew. */
  readonly when: "before" | "after";
}

/** What a run dies of. No kind of error of ours, so nothing may take it for one. */
export class Crash extends Error {
  constructor(point: CrashPoint) {
    super(`crash ${point.when} ${point.port}.${point.method}`);
    this.name = "Crash";
  }
}

/** The same ports, except that one call throws, once. */
export function crashingAt<P extends Ports>(ports: P, point: CrashPoint): P {
  let calls = 0;
  return interposed(ports, point, async (call) => {
    calls += 1;
    if (calls !== (point.nth ?? 1)) return call();
    if (point.when === "after") await call();
    throw new Crash(point);
  });
}

/** The same ports, with something done around each call of one method: what happens at the same moment elsewhere. */
export function interposed<P extends Ports>(
  ports: P,
  { port, method }: Pick<CrashPoint, "port" | "method">,
  around: (call: () => Promise<unknown>) => Promise<unknown>,
): P {
  const get = (object: object, name: string | symbol): unknown => {
    const value: unknown = Reflect.get(object, name, object);
    if (typeof value !== "function") return value;
    const call = (args: unknown[]): unknown => Reflect.apply(value, object, args);
    return (...args: unknown[]) => (name === method ? around(async () => call(args)) : call(args));
  };
  return { ...ports, [port]: new Proxy<object>(ports[port], { get }) };
}
