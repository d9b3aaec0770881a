import { app } from "@azure/functions";

app.http("echo", {
  methods: ["GET", "POST", "HEAD"],
  route: "echo/{name}/{id}",
  handler: async (request, context) => {
    context.log(`echo ${request.params.name}`);
    return {
      status: 201,
      headers: { "x-method": request.method },
      jsonBody: {
        url: request.url,
        params: request.params,
        query: Object.fromEntries(request.query),
        header: request.headers.get("x-custom"),
        body: await request.text(),
        triggerMetadata: context.triggerMetadata ?? null,
      },
    };
  },
});
app.get("echoAll", { route: "echo/{name}/all", handler: () => ({ body: "literal" }) });
app.http("bytes", {
  methods: ["PUT"],
  handler: async (request) => ({ body: new Uint8Array(await request.arrayBuffer()).reverse() }),
});
app.get("files", { route: "files/{*path}", handler: () => undefined });
app.get("nothing", () => undefined);
app.get("broken", () => {
  throw new Error("broken on purpose");
});
app.get("slow", () => new Promise((resolve) => setTimeout(() => resolve({ body: "late" }), 700)));
app.get("stuck", () => new Promise(() => undefined));
