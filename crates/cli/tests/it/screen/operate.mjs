// An operator's hour in some seconds: start, watch, hold, resume, reload, hand over, lose the wire,
// stop. Usage: node operate.mjs FOLDER PLAN; every step prints a line, a failed one ends with its
// reason.
import assert from "node:assert/strict";
import { browser, ink, moves, program, state, text, time, wire } from "./stage.mjs";

const [folder, plan] = process.argv.slice(2);
const step = name => console.log(`ok: ${name}`);
const run = await program([
  "run",
  plan,
  "--screen",
  "0",
  "--pace",
  "0.5",
  "--out",
  `${folder}/run`,
  "--json",
]);
const chrome = await browser();
const errors = [];
const cable = await wire(new URL(run.base).port);
async function open(url, viewport = { width: 1500, height: 950 }) {
  const context = await chrome.newContext({ viewport });
  const page = await context.newPage();
  page.on("pageerror", e => errors.push(String(e)));
  page.on("console", m => {
    if (m.type() === "error" && !/WebSocket|ERR_/.test(m.text())) errors.push(m.text());
  });
  page.on("request", r => {
    if (!r.url().startsWith("http://127.0.0.1") && !r.url().startsWith("data:"))
      errors.push("left the machine: " + r.url());
  });
  await page.goto(url);
  return page;
}

// A wrong token is refused, and says so.
const stranger = await open(run.base + "#token=not-the-right-one");
await stranger.waitForSelector("#banner:not([hidden])");
assert.match(await text(stranger, "#banner"), /Refused: wrong token/);
await stranger.close();
step("a wrong token is refused");

const page = await open(`${cable.base}#token=${run.token}`);
await state(page, "Init");
assert.ok(!page.url().includes("token"), "the token does not stay in the address bar");
assert.match(await text(page, "#holder"), /You hold the controls/);
const enabled = () =>
  page.evaluate(() =>
    [...document.querySelectorAll("[data-action]")]
      .filter(b => !b.disabled)
      .map(b => b.dataset.action)
      .sort(),
  );
assert.deepEqual(await enabled(), ["emergency-stop", "start", "stop"], "what is allowed in Init");
await page.click('[data-action="start"]');
await page.waitForFunction(() => !document.querySelector('[data-action="next"]').disabled);
assert.equal(await text(page, "#state-name"), "Centering");
await page.click('[data-action="next"]');
await state(page, "Running");
step("start, centering, next: the test runs");

await moves(page, 1.5);
for (const plot of ["displacement", "hysteresis", "ssp", "error", "ti", "sw", "energies"])
  assert.ok((await ink(page, plot)) > 30, `${plot} shows a curve`);
const bars = await page.evaluate(() =>
  [...document.querySelectorAll(".limit b")].map(b => b.textContent),
);
assert.equal(bars.length, 4);
assert.ok(bars.every(b => /^\d+ % left$/.test(b)), bars.join());
assert.match(await text(page, "#progress-facts"), /Step\s+\d+ of \d+/);
step("curves, bars and progress move");

await page.keyboard.press("Space");
await state(page, "Held");
const held = await time(page);
await page.waitForTimeout(400);
assert.ok(Math.abs(await time(page) - held) < 0.05, "structural time stands still");
assert.deepEqual(await enabled(), ["centering", "emergency-stop", "resume", "stop"].sort());
await page.click('[data-action="resume"]');
await state(page, "Running");
await moves(page);
step("space holds, resume goes on");

await page.reload();
await state(page, "Running");
await moves(page);
assert.match(await text(page, "#holder"), /You hold the controls/);
const first = await page.evaluate(() => window.tandem.store.first());
assert.ok(first < 0.5, `history from ${first} s on is there after a reload`);
assert.ok(await page.locator("#events li").count() > 2, "and the events");
step("a reload keeps controls, curves and events");

const second = await open(run.url);
await state(second, "Running");
assert.match(await text(second, "#holder"), /holds the controls/);
assert.equal(await second.locator('[data-action="pause"]').isDisabled(), true);
assert.equal(
  await second.locator("#emergency-stop").isDisabled(),
  false,
  "an emergency stop is everybody's",
);
await second.click("#controls-take");
await page.click("#controls-grant");
await second.waitForFunction(() => /You hold/.test(document.getElementById("holder").textContent));
await second.waitForFunction(() => !document.querySelector('[data-action="pause"]').disabled);
await page.waitForFunction(() => document.querySelector('[data-action="pause"]').disabled);
step("the controls go over only when they are handed over");

const watcher = await open(run.base);
await watcher.waitForFunction(() =>
  /You watch/.test(document.getElementById("holder").textContent),
);
await moves(watcher);
assert.equal(await watcher.locator("#emergency-stop").isDisabled(), true);
await watcher.close();
step("without the token one watches");

cable.cut();
await page.waitForSelector('body[data-link="lost"]');
assert.match(await text(page, "#banner"), /Connection lost.*no button reaches the test/s);
cable.mend();
await page.waitForSelector('body[data-link="open"]');
await moves(page);
assert.equal(await page.locator("#banner").isHidden(), true);
step("a lost connection is told, and comes back by itself");

// Freeze and zoom keep the picture while the test goes on.
await page.keyboard.press("f");
const frozen = await page.evaluate(() => window.tandem.plots[0].plot.scales.x.max);
await moves(page);
assert.equal(await page.evaluate(() => window.tandem.plots[0].plot.scales.x.max), frozen);
await page.keyboard.press("f");
const chart = await page.locator('[data-plot="displacement"] .u-over').boundingBox();
await page.mouse.move(chart.x + chart.width * 0.3, chart.y + 40);
await page.mouse.down();
await page.mouse.move(chart.x + chart.width * 0.5, chart.y + 60, { steps: 4 });
await page.mouse.up();
await page.waitForSelector("#unzoom:not([hidden])");
// Drawn with the next frame: on a fifth of ten seconds.
await page.waitForFunction(() => {
  const { min, max } = window.tandem.plots[0].plot.scales.x;
  return max - min > 1 && max - min < 3;
});
await page.click("#unzoom");
await page.selectOption("#add", "ground_acceleration");
await page.waitForSelector('[data-plot="added"]');
await page.locator('[data-plot="added"]').scrollIntoViewIfNeeded();
await moves(page);
assert.ok(await ink(page, "added") > 20);
await page.click("#theme");
await page.click("#theme");
assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
await page.screenshot({ path: `${folder}/running.png` });
step("freeze, zoom, a channel of one's choice, dark");

// A duplicated tab copies what the browser remembers; the controls stay with one of them.
const [twin] = await Promise.all([
  second.context().waitForEvent("page"),
  second.evaluate(() => {
    window.open(location.href);
  }),
]);
await twin.waitForFunction(() => document.getElementById("holder").textContent.length > 3);
await twin.waitForFunction(
  () =>
    /holds the controls/.test(document.getElementById("holder").textContent) &&
    !/You hold/.test(document.getElementById("holder").textContent),
);
assert.match(await text(second, "#holder"), /You hold the controls/);
await twin.close();
step("a duplicated tab does not share the controls");

// On a phone, wherever the page is scrolled to, the emergency stop is under the thumb.
for (const [w, h] of [[390, 800], [900, 700]]) {
  await page.setViewportSize({ width: w, height: h });
  await page.evaluate(() => scrollTo(0, 1500));
  const box = await page.locator("#emergency-stop").boundingBox();
  assert.ok(
    box && box.y >= 0 && box.y + box.height <= h && box.width > 150,
    `the emergency stop is in sight at ${w} px: ${JSON.stringify(box)}`,
  );
  await page.screenshot({ path: `${folder}/narrow-${w}.png` });
}
await page.setViewportSize({ width: 1500, height: 950 });
await page.evaluate(() => scrollTo(0, 0));
step("the emergency stop stays in sight");

await page.click('#spans [data-span="0"]');
await page.click("#emergency-stop");
const code = await Promise.race([
  run.exit,
  new Promise(r => setTimeout(() => r("still running"), 15000)),
]);
assert.equal(code, 4, run.stderr);
await page.waitForFunction(
  () => /Ended|Stopped/.test(document.getElementById("state-name").textContent),
  null,
  { timeout: 5000 },
);
const summary = JSON.parse(run.stdout);
assert.equal(summary.stopped_by, "emergency-stop");
step("the emergency stop ends the test, exit code 4");

// Whatever the length that is shown, the plots have the peaks of the record.
await page.waitForFunction(() => window.tandem.plots[0].plot.data[0].length > 10);
const reached = await page.evaluate(() =>
  window.tandem.plots[0].plot.data.slice(1).map(list => Math.max(...Array.from(list, Math.abs))),
);
["target", "command", "measured_displacement"].forEach((name, i) => {
  const peak = 1e3 * summary.response[`${name}/1`]?.peak;
  if (Number.isFinite(peak))
    assert.ok(
      Math.abs(reached[i] / peak - 1) < 2e-3,
      `${name}: ${reached[i]} mm drawn, ${peak} mm recorded`,
    );
});
assert.ok(Number.isFinite(summary.response["measured_displacement/1"].peak));
step("no peak is lost in the plots");

assert.deepEqual(errors, [], "no error in any page");
await chrome.close();
cable.close();
console.log("all done");
