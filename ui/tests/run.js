// The pages in a real browser: every view opened, edited, saved and reloaded, by clicks.
//
// Needs Chromium (Debian: apt-get install chromium) and a built program; without a browser it says
// so loudly and skips. WINDLASS_PICTURES=1 writes docs/pictures/serve.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { cases as views } from './cases.js';
import { cases as languages } from './languages.js';
import { cases as quality } from './quality.js';
import { cases as runs } from './runs.js';
import { Served } from './served.js';
import { still } from './still.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const browserPath = [process.env.WINDLASS_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((one) => one && fs.existsSync(one));
if (!browserPath) {
  console.log('SKIPPED: no Chromium was found, so NO PAGE WAS TRIED. Install it (Debian: apt-get install chromium) or name it in WINDLASS_CHROMIUM.');
  process.exit(0);
}
const program = process.env.WINDLASS_PROGRAM ?? path.join(root, 'target/debug/windlass');
const pictures = process.env.WINDLASS_PICTURES ? path.join(root, 'docs/pictures/serve') : null;
const only = process.argv[2];
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-ui-'));
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const context = await chromium.launchPersistentContext(path.join(scratch, 'profile'), { executablePath: browserPath, args: flags, viewport: { width: 1280, height: 800 }, acceptDownloads: true });

const cases = [...views, ...runs, ...languages, ...quality];
let [passed, failed] = [0, 0];
for (const [name, run] of cases) {
  if (only && !name.includes(only)) continue;
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => { if (message.type() === 'error' && !/status of 4\d\d|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_EMPTY_RESPONSE/.test(message.text())) wrong.push(message.text()); });
  const servers = [];
  const serve = async (example, ...options) => {
    const served = await Served.start(program, root, scratch, example, options);
    servers.push(served);
    return served;
  };
  const shoot = async (file) => {
    if (!pictures) return;
    fs.mkdirSync(pictures, { recursive: true });
    await still(page);
    await page.screenshot({ path: path.join(pictures, `${file}.png`) });
  };
  try {
    await run({ page, serve, shoot, scratch });
    if (wrong.length) throw new Error(`the page complained: ${wrong.join('; ')}`);
    passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n        ${String(error?.message ?? error).split('\n').join('\n        ')}${wrong.length ? `\n        page: ${wrong.join('; ')}` : ''}`);
    await page.screenshot({ path: path.join(os.tmpdir(), 'windlass-ui-failed.png') }).catch(() => {});
  }
  await page.close();
  servers.forEach((served) => served.stop());
}
await context.close();
fs.rmSync(scratch, { recursive: true, force: true });
console.log(`browser: ${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
