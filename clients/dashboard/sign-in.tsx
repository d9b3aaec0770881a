import { useId, useState } from "preact/hooks";
import { signInWithEntra } from "./service/entra.ts";
import { type EntraLogin, type Login, session } from "./service/session.ts";

/** Asks for what the service wants to see. A key stays in memory, or in this tab if the viewer wants that. */
export function SignIn({ login, refusal }: { readonly login: Login; readonly refusal: string | undefined }) {
  return (
    <main id="content" class="page narrow">
      <h1>CycleCloud autoscale</h1>
      {refusal === undefined ? null : (
        <p role="alert" class="problem stopped">
          {refusal}
        </p>
      )}
      {login.by === "function-key" ? <KeyForm /> : <EntraForm login={login} />}
    </main>
  );
}

function KeyForm() {
  const id = useId();
  const [key, setKey] = useState("");
  const [keep, setKeep] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        session.signIn({ kind: "key", key: key.trim() }, keep);
      }}
    >
      <label for={id}>Function key</label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        value={key}
        onInput={({ currentTarget }) => setKey(currentTarget.value)}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={keep}
          onChange={({ currentTarget }) => setKeep(currentTarget.checked)}
        />
        Keep it in this tab until it is closed
      </label>
      <button type="submit" class="main">
        Sign in
      </button>
      <p class="quiet">
        The page sends the key to this service only, in a header. It is never part of an address. To read a
        key: <code>az functionapp keys list</code>.
      </p>
    </form>
  );
}

function EntraForm({ login }: { readonly login: EntraLogin }) {
  return (
    <>
      <button type="button" class="main" onClick={() => void signInWithEntra(login)}>
        Sign in with Microsoft Entra ID
      </button>
      <p class="quiet">
        The page keeps the token in memory only. You need an app role: <code>Autoscale.Read</code> to look,{" "}
        <code>Autoscale.Operate</code> to act.
      </p>
    </>
  );
}
