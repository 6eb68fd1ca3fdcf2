// The pictures of the README. Usage: node screenshots.mjs FOLDER
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browser, moves, program, state } from "./stage.mjs";

const [folder] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "tandem-pictures-"));
const size = { width: 1600, height: 1000 };
// The quick start with an adaptive compensator and the monitors that a laboratory would have on.
const plan = join(scratch, "plan.toml");
const quick = readFileSync("examples/quick-start/plan.toml", "utf8");
const adaptive = '[compensator]\nmethod = "ats"\na1 = "11 ms"\nthreshold = "0.3 mm"\n\n';
writeFileSync(
  plan,
  quick.replace(/\[compensator\][^[]*/, adaptive) +
    "\n[monitor.tracking_indicator]\n\n[monitor.energy]\n",
);
const run = await program([
  "run",
  plan,
  "--screen",
  "0",
  "--pace",
  "1",
  "--start-now",
  "--out",
  join(scratch, "run"),
  "--json",
]);
const chrome = await browser();
const pages = [];
for (const colorScheme of ["light", "dark"]) {
  const page = await (await chrome.newContext({ viewport: size, colorScheme })).newPage();
  await page.goto(colorScheme === "light" ? run.url : run.base);
  pages.push([page, colorScheme]);
}
await state(pages[0][0], "Running", 20000);
await pages[0][0].waitForFunction(() => Number(document.body.dataset.time) > 9.2, null, {
  timeout: 60000,
});
await moves(pages[1][0]);
const written = [];
const shoot = async (page, name, more = {}) => {
  const path = join(folder, name);
  await page.screenshot({ path, ...more });
  written.push(path);
};
for (const [page, scheme] of pages) await shoot(page, `screen-${scheme}.png`);
await pages[0][0].click('[data-action="stop"]');
await run.exit;
// The report of the whole test.
spawnSync(process.env.TANDEM_PROGRAM, ["run", plan, "--out", join(scratch, "whole")]);
for (const colorScheme of ["light", "dark"]) {
  const page = await (
    await chrome.newContext({ viewport: { width: 1200, height: 1500 }, colorScheme })
  ).newPage();
  await page.goto("file://" + join(scratch, "whole", "report.html"));
  await page.waitForTimeout(500);
  await shoot(page, `report-${colorScheme}.png`);
}
await chrome.close();
rmSync(scratch, { recursive: true });
for (const path of written)
  console.log(`${path} written, ${Math.round(statSync(path).size / 1000)} kB`);
