// What the scripts for the browser share: the program with a screen, a browser, a network that can
// be cut.
import { createRequire } from "node:module";
import { spawn } from "node:child_process";
import net from "node:net";

const { TANDEM_PLAYWRIGHT, TANDEM_BROWSER, TANDEM_PROGRAM } = process.env;
const { chromium } = createRequire(import.meta.url)(TANDEM_PLAYWRIGHT);

export const browser = () =>
  chromium.launch({
    executablePath: TANDEM_BROWSER,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });

// Runs the program; resolves once it has printed the address of its screen.
export function program(args, options = {}) {
  const child = spawn(TANDEM_PROGRAM, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const out = { child, stdout: "", stderr: "" };
  out.exit = new Promise(resolve => child.on("close", code => resolve(code)));
  child.stdout.on("data", data => { out.stdout += data; });
  process.on("exit", () => child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    child.stderr.on("data", data => {
      out.stderr += data;
      const found = /(http:\/\/[\d.:]+\/)#token=([\w-]+)/.exec(out.stderr);
      if (found && !out.url) {
        out.url = found[0];
        out.base = found[1];
        out.token = found[2];
        resolve(out);
      }
    });
    out.exit.then(code =>
      reject(new Error(`the program ended with ${code} before it showed a screen: ${out.stderr}`)),
    );
  });
}

// A wire to the server that can be cut and mended.
export async function wire(port) {
  const sockets = new Set();
  let cut = false;
  const server = net.createServer(near => {
    if (cut) { near.destroy(); return; }
    const far = net.connect(port, "127.0.0.1");
    for (const [a, b] of [[near, far], [far, near]]) {
      sockets.add(a);
      a.on("error", () => {});
      a.on("close", () => { sockets.delete(a); b.destroy(); });
      a.pipe(b);
    }
  });
  await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
  return {
    base: `http://127.0.0.1:${server.address().port}/`,
    cut() { cut = true; for (const s of sockets) s.destroy(); },
    mend() { cut = false; },
    close() { this.cut(); server.close(); },
  };
}

export const state = (page, name, timeout = 8000) =>
  page.waitForFunction(n => document.getElementById("state-name").textContent === n, name, {
    timeout,
  });
export const text = (page, selector) => page.locator(selector).innerText();
export const time = page => page.evaluate(() => Number(document.body.dataset.time || 0));
export async function moves(page, by = 0.2) {
  const from = await time(page);
  await page.waitForFunction(t => Number(document.body.dataset.time) > t, from + by, {
    timeout: 8000,
  });
}
// Pixels of a plot that are not its ground: drawn is more than a grid.
export const ink = (page, plot) =>
  page.evaluate(id => {
    const canvas = document.querySelector(`[data-plot="${id}"] canvas`);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4)
      if (
        data[i + 3] > 40 &&
        Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) >
          60
      )
        coloured++;
    return coloured;
  }, plot);
