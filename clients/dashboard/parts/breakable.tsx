import type { ComponentChildren } from "preact";

/** A name of parts, such as that of a bucket, which may go on in the next line after each of them. */
export function Breakable({ name }: { readonly name: string }): ComponentChildren {
  return name.split("/").map((part, index) => (index === 0 ? part : ["/", <wbr key={index} />, part]));
}
