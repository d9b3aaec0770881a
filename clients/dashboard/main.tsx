import { render } from "preact";
import { App } from "./app.tsx";
import { finishWithEntra, isAnswered } from "./service/entra.ts";
import { readLogin } from "./service/session.ts";

const root = document.getElementById("app");
if (root !== null) {
  const login = readLogin();
  if (login.by === "entra" && isAnswered()) {
    render(<p class="quiet page">Signing in…</p>, root);
    await finishWithEntra(login);
  }
  render(<App />, root);
}
