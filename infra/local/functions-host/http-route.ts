// Node 22 has no URLPattern of its own.
import "urlpattern-polyfill";

/** A function's route, ready to match. */
export interface Route {
  /** Upper-case methods; empty means all. */
  readonly methods: readonly string[];
  /** Absolute path template, for the log: `/api/clusters/{name}`. */
  readonly template: string;
  /** Path parameters when the path matches; those left out are absent. */
  match(pathname: string): Readonly<Record<string, string>> | undefined;
  /** Sorts before a route with a larger one: literal segments first, then parameters, optional ones and catch-alls. */
  readonly precedence: string;
}

interface RouteOptions {
  readonly prefix: string;
  /** ASP.NET template below the prefix: `nodes/{name}`, `jobs/{id?}`, `files/{*path}`. */
  readonly template: string;
  readonly methods: readonly string[];
}

const parameter = /^\{(?<star>\*{0,2})(?<name>\w+)(?<optional>\?)?\}$/;

/** Compiles a route. Like ASP.NET it looks at neither case nor a slash at the end. @throws Error for a bad template. */
export function compileRoute({ prefix, template, methods }: RouteOptions): Route {
  const segments = `${prefix}/${template}`.split("/").filter((segment) => segment !== "");
  const parts = segments.map((segment) => compileSegment(segment, template));
  const pathname = `${parts.map(({ pattern }) => pattern).join("")}{/}?`;
  const pattern = new URLPattern({ pathname }, { ignoreCase: true });
  return {
    methods: methods.map((method) => method.toUpperCase()),
    template: `/${segments.join("/")}`,
    precedence: parts.map(({ rank }) => rank).join(""),
    match: (pathname) => {
      const groups = pattern.exec({ pathname })?.pathname.groups;
      return groups === undefined ? undefined : decodeGroups(groups);
    },
  };
}

function compileSegment(segment: string, template: string): { pattern: string; rank: string } {
  if (!segment.includes("{")) return { pattern: `/${escapeLiteral(segment)}`, rank: "1" };
  const groups = parameter.exec(segment)?.groups;
  if (groups === undefined) {
    throw new Error(
      `Cannot read route "${template}": segment "${segment}", expected text or one {parameter}`,
    );
  }
  const { star, name, optional } = groups;
  if (star !== "") return { pattern: `{/:${name}(.*)}?`, rank: "5" };
  return optional === undefined
    ? { pattern: `/:${name}`, rank: "3" }
    : { pattern: `{/:${name}}?`, rank: "4" };
}

function escapeLiteral(text: string): string {
  return text.replaceAll(/[.+*?^${}()[\]|\\:]/g, String.raw`\$&`);
}

function decodeGroups(
  groups: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(groups).filter(
    (entry): entry is [string, string] => (entry[1] ?? "") !== "",
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, decode(value)]));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
