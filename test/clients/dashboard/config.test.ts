import { describe, expect, test } from "vitest";
import { operatorsOf, served } from "../../fuzz/served-world.ts";
import { noBrowser } from "../../support/browser.ts";
import { cluster } from "../../support/world.ts";
import { hostileNames } from "./hostile-names.ts";
import { expectNoScriptRan, expectSound, page, problems } from "./pages.ts";
import { api, server, useDashboard } from "./served-dashboard.ts";
import { tabStops } from "./tab-stops.ts";

const usable = { url: "https://cyclecloud.example", username: "autoscale", idle_timeout: 300 };

const open = (path = "config") => page.goto(`${server.url}#/clusters/${cluster}/${path}`);
const files = () => operatorsOf(served.world).configFiles;
const stored = async () => JSON.parse((await files().read(cluster))?.text ?? "null");
const put = (config: unknown) => files().put(cluster, JSON.stringify(config, null, 2));
const editor = () => page.getByLabel("Configuration, as JSON");
const check = () => page.getByRole("button", { name: "Show what would be done" }).click();
const store = () => page.getByRole("button", { name: "Store the configuration" }).click();
const reason = (words: string) => page.getByLabel("Reason, for the record").fill(words);

/** Somebody else stores one, as `ccscale config push` does. */
async function pushed(config: unknown, why: string): Promise<void> {
  const response = await fetch(`${api.url}/api/clusters/${cluster}/config`, {
    method: "PUT",
    headers: { "content-type": "application/json", "if-match": "*" },
    body: JSON.stringify({ config, by: "bob", reason: why }),
  });
  expect(response.status).toBe(200);
}

describe.skipIf(noBrowser !== undefined)("the configuration", () => {
  useDashboard(async () => {
    served.renew();
    await served.world.snapshot();
    put(usable);
  });

  test("all of it is shown, without secrets, and where the service finds it wrong", async () => {
    put({ ...usable, api_token: "hunter2hunter2", boot_timeout: "soon" });
    await open();
    const text = page.getByRole("region", { name: "Stored configuration" });
    await text.getByText('"username": "autoscale"').waitFor();
    // Numbers of lines stand beside their lines.
    const [numbers, lines] = await text.locator("pre").all();
    expect((await numbers?.boundingBox())?.height).toBe((await lines?.boundingBox())?.height);
    expect(await text.innerText()).toContain('"api_token": "***"');
    expect(await page.content()).not.toContain("hunter2");
    expect(await text.locator("mark").innerText()).toContain('"boot_timeout": "soon"');
    await page.getByText('boot_timeout: "soon"').first().waitFor();
    expect(problems).toEqual([]);
  });

  test("one value is set: what would change is shown, then it is stored, and followed until it counts", async () => {
    await open("config/edit");
    await page.getByLabel("Key").fill("idle_timeout.htc");
    await page.getByLabel("Value, as JSON or text").fill("600");
    // By keyboard, and without sending the form.
    await page.getByLabel("Value, as JSON or text").press("Enter");
    expect(JSON.parse(await editor().inputValue()).idle_timeout).toEqual({ default: 300, htc: 600 });
    await reason("longer nights");
    await check();
    const diff = page.getByRole("region", { name: "What would change" });
    await diff.waitFor();
    expect(await diff.locator("del").allInnerTexts()).toEqual(['-   "idle_timeout": 300']);
    expect((await diff.locator("ins").allInnerTexts()).join("")).toContain('"htc": 600');
    expect(await stored()).toEqual(usable);
    expect(await editor().isEditable()).toBe(false);
    expect(await page.locator("code").innerText()).toBe(
      `ccscale config set idle_timeout '{"default":300,"htc":600}' --cluster hpc --reason 'longer nights'`,
    );
    await store();
    await page.getByText("Waiting for the next snapshot…").waitFor();
    expect((await stored()).idle_timeout).toEqual({ default: 300, htc: 600 });
    served.world.advance(60);
    await served.world.snapshot();
    await page.getByText("In effect since the snapshot of").waitFor();
    await page.getByRole("link", { name: "Configuration and its versions" }).first().click();
    const row = page.getByRole("row").filter({ hasText: "longer nights" });
    await row.getByText("dashboard").waitFor();
    await row.getByRole("link", { name: "What it changed" }).click();
    await page.getByRole("region", { name: "What differs" }).locator("ins").first().waitFor();
    expect(page.url()).toContain("from=1&to=2");
    expect(problems).toEqual([]);
  });

  test("the command line's equivalent of one value, one removed, and an earlier version", async () => {
    await pushed({ ...usable, boot_timeout: 900 }, "slow image");
    const commandOf = async () => {
      await reason("why");
      await check();
      const command = await page.locator("code").filter({ hasText: "ccscale" }).innerText();
      await page.getByRole("button", { name: "Back" }).click();
      return command;
    };
    await open("config/edit");
    await page.getByLabel("Key").fill("boot_timeout");
    await page.getByLabel("Value, as JSON or text").fill("1200");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    expect(await commandOf()).toBe("ccscale config set boot_timeout 1200 --cluster hpc --reason why");
    await page.getByRole("button", { name: "Remove" }).click();
    expect(await commandOf()).toBe("ccscale config unset boot_timeout --cluster hpc --reason why");
    await open("config/edit?version=1");
    expect(await commandOf()).toBe("ccscale config rollback 1 --cluster hpc --reason why");
  });

  test("what is no JSON is refused with its line, and the line is one key away", async () => {
    await open("config/edit");
    await editor().fill('{\n  "url": "https://cyclecloud.example",\n  "username" "autoscale"\n}');
    await reason("a slip");
    await check();
    const toLine = page.getByRole("button", { name: "Line 3" });
    await toLine.press("Enter");
    const chosen = await editor().evaluate((box: { value: string } & Record<string, number>) =>
      box.value.slice(box.selectionStart, box.selectionEnd),
    );
    expect(chosen).toBe('  "username" "autoscale"');
    expect(await stored()).toEqual(usable);
  });

  test("a field that the service refuses is named with its line", async () => {
    await open("config/edit");
    await editor().fill(JSON.stringify({ ...usable, idle_timeout: { htc: "soon" } }, null, 2));
    await reason("a slip");
    await check();
    await page.getByRole("alert").getByText('idle_timeout.htc: "soon"').waitFor();
    await page.getByRole("button", { name: "Line 5" }).waitFor();
  });

  test("what stands for a secret is never stored", async () => {
    put({ ...usable, api_token: "hunter2hunter2" });
    await open("config/edit");
    await reason("any");
    await check();
    await page.getByRole("alert").getByText("stands for a secret").waitFor();
    await page.getByRole("button", { name: "Line 5" }).waitFor();
    expect((await stored()).api_token).toBe("hunter2hunter2");
  });

  test("somebody else was faster: it is said, both changes are put together, and shown again", async () => {
    await open("config/edit");
    await editor().fill(JSON.stringify({ ...usable, idle_timeout: 600, boot_timeout: 900 }, null, 2));
    await reason("mine");
    await check();
    await page.getByRole("region", { name: "What would change" }).waitFor();
    served.world.advance(5);
    await pushed({ ...usable, idle_timeout: 450, failed_nodes: "retry" }, "theirs");
    await store();
    const alert = page.getByRole("alert").filter({ hasText: "Somebody else stored another" });
    await alert.getByText("by bob: theirs").waitFor();
    await page.getByRole("button", { name: "Take their change in, and keep mine" }).click();
    await page.getByText("Changed by both, and yours is kept: idle_timeout.").waitFor();
    expect(JSON.parse(await editor().inputValue())).toEqual({
      ...usable,
      idle_timeout: 600,
      boot_timeout: 900,
      failed_nodes: "retry",
    });
    await check();
    const diff = page.getByRole("region", { name: "What would change" });
    expect((await diff.locator("ins").allInnerTexts()).join()).not.toContain("failed_nodes");
    await store();
    await page.getByText("Waiting for the next snapshot…").waitFor();
    expect(await stored()).toMatchObject({ idle_timeout: 600, boot_timeout: 900, failed_nodes: "retry" });
  });

  test("somebody else was faster than the dry run: the text can be changed meanwhile, and no key is lost", async () => {
    await open("config/edit");
    await editor().fill(JSON.stringify({ ...usable, boot_timeout: 900 }));
    await pushed({ ...usable, idle_timeout: 450 }, "theirs");
    await reason("mine");
    await check();
    const take = page.getByRole("button", { name: "Take their change in, and keep mine" });
    await take.waitFor();
    await expect.poll(() => take.isEnabled()).toBe(true);
    await editor().fill('{"boot_timeout": ');
    await expect.poll(() => take.isEnabled()).toBe(false);
    await editor().fill(JSON.stringify({ ...usable, boot_timeout: 1_200 }));
    await take.click();
    await expect
      .poll(async () => JSON.parse(await editor().inputValue()))
      .toEqual({ ...usable, idle_timeout: 450, boot_timeout: 1_200 });
    expect(problems.filter((each) => !each.includes("status of 412"))).toEqual([]);
  });

  test("an answer that is lost after all is stored is no change by somebody else", async () => {
    await open("config/edit");
    await editor().fill(JSON.stringify({ ...usable, idle_timeout: 600 }));
    await reason("mine");
    await check();
    await page.getByRole("region", { name: "What would change" }).waitFor();
    let isLost = false;
    await page.route("**/config", async (route, request) => {
      if (request.method() === "GET" || isLost) return route.fallback();
      isLost = true;
      await route.fetch();
      return route.abort();
    });
    await store();
    await page.getByRole("alert").getByText("The service does not answer").waitFor();
    expect((await stored()).idle_timeout).toBe(600);
    await store();
    await page.getByText("What is stored now is what you wanted.").waitFor();
  });

  test("an earlier version is compared with what is stored, and stored again", async () => {
    await pushed({ ...usable, idle_timeout: 60 }, "too short");
    await open("config?from=1&to=now");
    const diff = page.getByRole("region", { name: "What differs" });
    await diff.waitFor();
    expect(await diff.locator("ins").allInnerTexts()).toEqual(['+   "idle_timeout": 60']);
    await page.getByRole("row").nth(2).getByRole("link", { name: "Store it again" }).click();
    await page.getByRole("heading", { name: "Store version 1 again" }).waitFor();
    await reason("back");
    await check();
    await store();
    await page.getByText("Waiting for the next snapshot…").waitFor();
    expect(await stored()).toEqual(usable);
  });

  test("what is stored and no JSON object can be replaced", async () => {
    // Where the server is would change too.
    operatorsOf(served.world).configChanges = "all";
    files().put(cluster, "nonsense");
    await open();
    await page.getByText("it is no JSON object").waitFor();
    await page.getByRole("link", { name: "Change", exact: true }).click();
    await editor().fill(JSON.stringify(usable));
    await reason("whole again");
    await check();
    await store();
    await page.getByText("Stored the configuration").waitFor();
    expect(await stored()).toEqual(usable);
  });

  test("a version that is compared with itself, and one that is not kept", async () => {
    await pushed({ ...usable, idle_timeout: 60 }, "too short");
    await open("config?from=2&to=now");
    await page.getByText("Nothing differs.").waitFor();
    await open("config?from=99&to=now");
    await page.getByText("One of these versions is not kept.").waitFor();
  });

  test("a change in the storage account itself is not taken for the newest version", async () => {
    await pushed({ ...usable, idle_timeout: 60 }, "known");
    put({ ...usable, idle_timeout: 1 });
    await open();
    await page.getByText("it was changed in the storage account").waitFor();
    await page.getByRole("link", { name: "What differs" }).click();
    await page.getByRole("region", { name: "What differs" }).waitFor();
  });

  test("what is not stored yet outlives a look at another view", async () => {
    await open("config/edit");
    await page.getByLabel("Key").fill("boot_timeout");
    await page.getByLabel("Value, as JSON or text").fill("900");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await page.getByRole("link", { name: "Nodes", exact: true }).click();
    await page.getByRole("heading", { name: "Nodes" }).waitFor();
    await page.goBack();
    await editor().waitFor();
    expect(JSON.parse(await editor().inputValue()).boot_timeout).toBe(900);
    await page.getByRole("button", { name: "Start over" }).click();
    await expect.poll(async () => JSON.parse(await editor().inputValue()).boot_timeout).toBeUndefined();
  });

  test("a change that is not allowed here is refused with words", async () => {
    await open("config/edit");
    await editor().fill(JSON.stringify({ ...usable, url: "https://elsewhere.example" }));
    await reason("move");
    await check();
    await page.getByRole("alert").getByText("says where the password is sent to").waitFor();
  });

  test("the keyboard alone reaches all of it", async () => {
    await pushed({ ...usable, idle_timeout: 60 }, "too short");
    await open("config?from=1&to=now");
    await page.getByRole("region", { name: "What differs" }).waitFor();
    const seen = ["Stored configuration", "Change", "Compare", "with", "What differs", "What it changed"];
    expect(await tabStops(page)).toEqual(expect.arrayContaining([...seen, "Store it again"]));
    await page.getByRole("link", { name: "Change", exact: true }).press("Enter");
    await editor().press("End");
    await page.getByLabel("Key").pressSequentially("boot_timeout");
    await page.keyboard.press("Tab");
    await page.keyboard.type("900");
    await page.keyboard.press("Enter");
    // From there: Set, Remove, the text, the reason.
    for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press("Tab");
    await page.keyboard.type("slow image");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "What would change" }).waitFor();
    const asked = ["What would change", "Store the configuration", "Back", "Start over"];
    expect(await tabStops(page)).toEqual(expect.arrayContaining(asked));
    await page.getByRole("button", { name: "Store the configuration" }).press("Enter");
    await page.getByText("Waiting for the next snapshot…").waitFor();
    expect(await stored()).toMatchObject({ boot_timeout: 900 });
  });

  test("no script runs out of a value, a key, a reason or a name", async () => {
    const values = Object.fromEntries(hostileNames.map((name, index) => [`x${index} ${name}`, name]));
    await pushed({ ...usable, ...values }, hostileNames.join(" ").slice(0, 500));
    put({ ...usable, ...values, extra: hostileNames });
    for (const path of ["config", "config?from=1&to=now"]) {
      await open(path);
      await page.getByText("<script>hit=1").first().waitFor();
    }
    await open("config/edit");
    await expect.poll(() => editor().inputValue()).toContain("<script>hit=1");
    await page.getByLabel("Key").fill("<img src=x onerror=hit=1>");
    await page.getByLabel("Value, as JSON or text").fill("<svg onload=hit=1>");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await reason("<script>hit=1</script>");
    await check();
    await page
      .getByRole("region", { name: "What would change" })
      .or(page.getByRole("alert"))
      .first()
      .waitFor();
    await expectNoScriptRan();
  });

  test("nothing sticks out, no rule of accessibility is broken in any look", {
    timeout: 600_000,
  }, async () => {
    await pushed({ ...usable, boot_timeout: 900, odd_key: true }, "slow image");
    await open("config?from=1&to=2");
    await page.getByRole("region", { name: "What differs" }).waitFor();
    await expectSound("config");
    await open("config/edit");
    await editor().fill(JSON.stringify({ ...usable, idle_timeout: "soon", boot_timeout: 1200 }, null, 2));
    await reason("look");
    await check();
    await page.getByRole("button", { name: "Line 4" }).waitFor();
    await expectSound("config-refused");
    await editor().fill(JSON.stringify({ ...usable, idle_timeout: 600, boot_timeout: 1200 }, null, 2));
    await check();
    await page.getByRole("region", { name: "What would change" }).waitFor();
    await expectSound("config-checked");
    await pushed(usable, "faster");
    await store();
    await page.getByRole("region", { name: "What they changed" }).waitFor();
    await expectSound("config-conflict");
  });
});
