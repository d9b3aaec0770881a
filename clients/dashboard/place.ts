import { useEffect, useLayoutEffect, useState } from "preact/hooks";

/** What the page shows: kept behind the `#` of its address, so that every view and selection has a link. */
export interface Place {
  /** Undefined: all clusters. */
  readonly cluster: string | undefined;
  readonly view: string;
  /** What the view is about, such as the name of a job; without a cluster: an address that names nothing. */
  readonly subject: string | undefined;
  readonly options: Readonly<Record<string, string>>;
}

/** `#/clusters/<cluster>/<view>/<subject>?<options>` */
function readPlace(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [first, cluster, view, ...rest] = path.split("/").map(decoded);
  const options = Object.fromEntries(new URLSearchParams(query));
  if (first !== "clusters" || !cluster) {
    const isNothing = first !== "" && first !== "clusters";
    return { cluster: undefined, view: "clusters", subject: isNothing ? path : undefined, options };
  }
  return { cluster, view: view || "overview", subject: rest.join("/") || undefined, options };
}

export function linkTo(place: Partial<Place>): string {
  const { cluster, view = "overview", subject, options = {} } = place;
  const parts =
    cluster === undefined ? [] : ["clusters", cluster, view, ...(subject === undefined ? [] : [subject])];
  const query = new URLSearchParams(Object.entries(options).filter(([, value]) => value !== "")).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${query === "" ? "" : `?${query}`}`;
}

export function goTo(place: Partial<Place>): void {
  location.hash = linkTo(place);
}

/** The same place with some options changed; the browser's history keeps one entry for it. */
export function choose(place: Place, options: Readonly<Record<string, string>>): void {
  history.replaceState(history.state, "", linkTo({ ...place, options: { ...place.options, ...options } }));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** The place that the address names, as it changes. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => {
      tops[entry] = scrollY;
      setHash(location.hash);
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  useScrolled(hash);
  return readPlace(hash);
}

/** What the address says, which may change here before. It follows the address before the next event: after the next frame it would undo a key pressed meanwhile. */
export function useAhead<T>(said: T): readonly [T, (value: T) => void] {
  const [value, setValue] = useState(said);
  useLayoutEffect(() => setValue(said), [said]);
  return [value, setValue];
}

/** Scroll positions by entry of the browser's history; the state of an entry is its index here. */
const tops: number[] = [];
let entry = 0;

/** A new view begins at its top; one that is gone back to is where it was left. The browser does that too early. */
function useScrolled(hash: string): void {
  useLayoutEffect(() => {
    history.scrollRestoration = "manual";
    if (history.state === null) history.replaceState(tops.push(0) - 1, "");
    entry = history.state;
    scrollTo(0, tops[entry] ?? 0);
  }, [hash]);
}

/** As it is, if it is not encoded as parts of an address are. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
