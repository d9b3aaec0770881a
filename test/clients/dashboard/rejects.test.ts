import { describe, expect, test } from "vitest";
import { operatorsOf, served } from "../../fuzz/served-world.ts";
import { noBrowser } from "../../support/browser.ts";
import { cluster } from "../../support/world.ts";
import { hostileNames } from "./hostile-names.ts";
import { expectNoScriptRan, expectSound, page, problems } from "./pages.ts";
import { server, useDashboard } from "./served-dashboard.ts";
import { tabStops } from "./tab-stops.ts";

const open = (path: string) => page.goto(`${server.url}#/clusters/${cluster}/${path}`);
const posted = () => operatorsOf(served.world).demandQueue.texts;
const message = () => page.getByRole("region", { name: "Message", exact: true });
const editor = () => page.getByLabel("Message to send");
const check = () => page.getByRole("button", { name: "Show what would be done" }).click();

const demand = (fields: object) =>
  JSON.stringify({
    version: 1,
    kind: "snapshot",
    cluster,
    source: "pbs",
    sequence: 7,
    sentAt: new Date(served.world.now() * 1_000).toISOString(),
    jobs: [{ name: "1201", constraints: { ncpus: 2 } }],
    ...fields,
  });

describe.skipIf(noBrowser !== undefined)("rejected messages", () => {
  useDashboard(async () => {
    served.renew();
    await served.world.snapshot();
  });

  test("one is opened from the list: all of it, laid out, with the field in error marked", async () => {
    await served.world.receive(demand({ ttlSeconds: "long" }), "r-1");
    await open("rejects");
    await page.getByRole("row").nth(1).getByRole("link").click();
    await page.getByRole("heading", { name: "Rejected message" }).waitFor();
    expect(page.url()).toContain("/rejects/r-1");
    expect(await message().locator("mark").allInnerTexts()).toEqual(['  "ttlSeconds": "long"']);
    await page.getByText('ttlSeconds: "long"').first().waitFor();
    expect(problems).toEqual([]);
  });

  test("one is fixed, checked, sent, and followed until it has arrived", async () => {
    await served.world.receive(demand({ ttlSeconds: "long" }), "r-1");
    await open("rejects/r-1");
    await page.getByRole("button", { name: "Fix it first" }).press("Enter");
    expect(await editor().evaluate((box) => box === box.ownerDocument.activeElement)).toBe(true);
    const text = await editor().inputValue();
    await editor().fill(text.replace('"long"', '"longer"'));
    await check();
    await page.getByRole("alert").getByText('ttlSeconds: "longer"').waitFor();
    const line = await page.getByRole("alert").getByRole("button").innerText();
    expect(text.split("\n")[Number(line.replace("Line ", "")) - 1]).toContain("ttlSeconds");
    await editor().fill(text.replace('"long"', "600"));
    await check();
    await page.getByText('Would post snapshot 7 of source "pbs"').waitFor();
    expect(posted()).toEqual([]);
    expect(await page.locator("code").last().innerText()).toBe(
      "ccscale rejects replay r-1 --file fixed.json --cluster hpc",
    );
    await page.getByRole("button", { name: "Send the fixed message" }).click();
    await page.getByText("On its way…").waitFor();
    expect(posted().map((each) => JSON.parse(each))).toEqual([JSON.parse(demand({ ttlSeconds: 600 }))]);
    await served.world.receive(posted()[0]);
    await page.getByText("It has arrived: source “pbs” wants 1 job.").waitFor();
    await open("rejects");
    await page.getByRole("row").nth(1).getByText("ago").nth(1).waitFor();
  });

  test("one that is refused once more has a link to what is wrong now", async () => {
    await served.world.receive(demand({ ttlSeconds: "long" }), "r-1");
    await open("rejects/r-1");
    await page.getByRole("button", { name: "Fix it first" }).click();
    await editor().fill(demand({ ttlSeconds: 600 }));
    await check();
    await page.getByRole("button", { name: "Send the fixed message" }).click();
    await page.getByText("On its way…").waitFor();
    await served.world.receive(demand({ ttlSeconds: "again" }), "r-2");
    await page.getByRole("link", { name: "1 problem" }).click();
    await page.getByText('ttlSeconds: "again"').first().waitFor();
  });

  test("one that was right by now is sent again as it came", async () => {
    const text = demand({});
    const rejection = {
      rejectionId: "r-1",
      kind: "poison",
      cluster,
      source: "pbs",
      queue: "job-demand",
      receivedAtSeconds: served.world.now(),
      attempts: 5,
      problems: ["storage did not answer"],
      excerpt: text.slice(0, 100),
    } as const;
    await served.world.ports.rejections.add({ rejection, body: text });
    await open("rejects/r-1");
    await page.getByText("given up after too many tries").waitFor();
    await check();
    await page.getByText("Would post snapshot 7").waitFor();
    await page.getByRole("button", { name: "Send it again", exact: true }).click();
    await page.getByText("On its way…").waitFor();
    expect(posted()).toEqual([text]);
  });

  test("what may not be sent again is refused with words", async () => {
    await served.world.ports.rejections.add({
      rejection: {
        rejectionId: "r-1",
        kind: "dead-letter",
        cluster,
        source: undefined,
        queue: "scale-actions",
        receivedAtSeconds: served.world.now(),
        attempts: undefined,
        problems: ["its time was over"],
        excerpt: "{}",
      },
      body: "{}",
    });
    await open("rejects/r-1");
    await check();
    await page.getByRole("alert").getByText("an action, which is never sent again").waitFor();
    expect(await page.getByRole("button", { name: "Fix it first" }).count()).toBe(0);
  });

  test("no JSON at all is shown as it came", async () => {
    await served.world.receive("{ this is no message", "r-1");
    await open("rejects/r-1");
    await message().locator("mark").getByText("{ this is no message").waitFor();
    await page.getByText(/it is not JSON at position \d+ \(line 1 column \d+\)/).waitFor();
  });

  test("a message that was too large to be kept can be written anew", async () => {
    await served.world.receive(demand({ ttlSeconds: "long", padding: "x".repeat(70_000) }), "r-1");
    await open("rejects/r-1");
    await page.getByRole("button", { name: "Write one in its place" }).click();
    await editor().fill(demand({}));
    await check();
    await page.getByText("Would post snapshot 7").waitFor();
  });

  test("one that is not kept, and a list of several pages", async () => {
    await open("rejects/nobody");
    await page.getByText('No rejected message "nobody" is kept').waitFor();
    for (let index = 0; index < 101; index += 1) {
      served.world.advance(1);
      await served.world.receive(`no message ${index}`, `r-${index}`);
    }
    await open("rejects");
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByRole("link").filter({ hasText: "ago" }).first().waitFor();
    await page.getByText("no message 0", { exact: true }).waitFor();
    expect(await page.getByRole("row").count()).toBe(2);
    await page.goBack();
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByRole("button", { name: "Newest" }).click();
    await page.getByText("no message 100", { exact: true }).waitFor();
  });

  test("the keyboard alone reaches all of it", async () => {
    await served.world.receive(demand({ ttlSeconds: "long" }), "r-1");
    await open("rejects/r-1");
    await message().waitFor();
    const seen = ["All rejects", "Message", "Fix it first", "Show what would be done"];
    expect(await tabStops(page)).toEqual(expect.arrayContaining(seen));
    await page.getByRole("button", { name: "Fix it first" }).press("Enter");
    await page.getByRole("button", { name: /^Line \d+$/ }).press("Enter");
    await page.keyboard.type('"ttlSeconds": 600');
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Would post snapshot 7").waitFor();
    const asked = ["Message to send", "Send the fixed message", "Back"];
    expect(await tabStops(page)).toEqual(expect.arrayContaining(asked));
    await page.getByRole("button", { name: "Send the fixed message" }).press("Enter");
    await page.getByText("On its way…").waitFor();
  });

  test("no script runs out of a message, its problems or an answer", async () => {
    const jobs = hostileNames.map((name) => ({ name, constraints: { [name]: name } }));
    await served.world.receive(
      demand({ jobs, ttlSeconds: hostileNames.join(" "), source: "<img src=x>" }),
      "r-1",
    );
    for (const name of hostileNames) await served.world.receive(name, `r ${name}`);
    await open("rejects/r-1");
    await message().getByText("<script>hit=1").first().waitFor();
    await page.getByRole("button", { name: "Fix it first" }).click();
    await editor().fill(demand({ jobs, source: "<svg onload=hit=1>", sequence: "<script>hit=1</script>" }));
    await check();
    await page.getByRole("alert").getByText("<script>hit=1").waitFor();
    for (const name of hostileNames) {
      await open(`rejects/${encodeURIComponent(`r ${name}`)}`);
      await message().waitFor();
      expect((await message().locator("pre").last().innerText()).trim()).toBe(name.trim());
    }
    await expectNoScriptRan();
  });

  test("nothing sticks out, no rule of accessibility is broken in any look", {
    timeout: 600_000,
  }, async () => {
    const jobs = Array.from({ length: 6 }, (_, index) => ({ name: `${1200 + index}`, constraints: {} }));
    const bad = { name: "1206", constraints: { ncpus: -4 }, iterations: "many" };
    await served.world.receive(demand({ jobs: [...jobs, bad], ttlSeconds: "long" }), "r-1");
    await open("rejects/r-1");
    await message().waitFor();
    await expectSound("reject");
    await page.getByRole("button", { name: "Fix it first" }).click();
    await check();
    await page.getByRole("alert").waitFor();
    await expectSound("reject-refused");
    await editor().fill(demand({ jobs }));
    await check();
    await page.getByText("Would post snapshot 7").waitFor();
    await expectSound("reject-checked");
  });
});
