// The loop in real time with a number of browsers at its screen. Usage: node three.mjs BROWSERS
// SECONDS; prints one JSON line.
import { mkdtempSync, rmSync } from "node:fs";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browser, program, time } from "./stage.mjs";

const [count, seconds] = process.argv.slice(2).map(Number);
const scratch = mkdtempSync(join(tmpdir(), "tandem-three-"));
const common = [
  "run",
  "--realtime",
  "--json",
  "--out",
  join(scratch, "run"),
  "--set",
  `integration.duration=${seconds}s`,
];
let stdout,
  frames = [];
if (count === 0) {
  const child = spawn(process.env.TANDEM_PROGRAM, common, { stdio: ["ignore", "pipe", "ignore"] });
  stdout = "";
  child.stdout.on("data", data => { stdout += data; });
  await new Promise(resolve => child.on("close", resolve));
} else {
  // The pages are open before the test begins: what is measured is watching, not the start of a
  // browser.
  const run = await program([...common, "--screen", "0"]);
  const chrome = await browser();
  const pages = [];
  for (let i = 0; i < count; i++) {
    const page = await (
      await chrome.newContext({ viewport: { width: 1400, height: 900 } })
    ).newPage();
    await page.goto(run.url);
    await page.waitForFunction(() => document.getElementById("state-name").textContent === "Init");
    pages.push(page);
  }
  await pages[0].click('[data-action="start"]');
  await pages[0].click('[data-action="next"]');
  await run.exit;
  stdout = run.stdout;
  for (const page of pages)
    frames.push(await page.evaluate(() => Number(document.body.dataset.frames)));
  for (const page of pages)
    if ((await time(page)) < seconds * 0.9)
      throw new Error("a page did not follow the test to its end");
  await chrome.close();
}
const { timing, outcome } = JSON.parse(stdout);
rmSync(scratch, { recursive: true });
console.log(JSON.stringify({ browsers: count, outcome, timing, pictures: frames }));
