import { linkTo } from "../place.ts";
import { count } from "../words.ts";

/** Leads to the list of a view. */
export function AllOf({ cluster, view }: { readonly cluster: string; readonly view: string }) {
  return (
    <p>
      <a href={linkTo({ cluster, view })}>All {view}</a>
    </p>
  );
}

export function NodeLink({ cluster, name }: { readonly cluster: string; readonly name: string }) {
  return <a href={linkTo({ cluster, view: "nodes", subject: name })}>{name}</a>;
}

/** The first of some nodes, each with a link to its page, and how many more there are. */
export function NodeLinks(props: {
  readonly cluster: string;
  readonly names: readonly string[];
  readonly nodeCount?: number;
  readonly most?: number;
}) {
  const { cluster, names, nodeCount = names.length, most = names.length } = props;
  return (
    <>
      {names
        .slice(0, most)
        .map((name, index) => [index > 0 ? ", " : "", <NodeLink key={name} cluster={cluster} name={name} />])}
      {nodeCount > most ? ` and ${count(nodeCount - most)} more` : ""}
    </>
  );
}
