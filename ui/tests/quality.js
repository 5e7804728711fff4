// How the pages behave everywhere: contrast, widths, jumps, sizes, keyboard, empty and broken files, deep links.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { contrast } from './contrast.js';

const test = (name) => `[data-test=${name}]`;
const VIEWS = ['topology', 'lifecycle', 'simulator', 'plan', 'run', 'proof'];
const origin = (page) => page.url().split('#')[0];

// Waits until a view shows what it has to show.
async function settled(page, view) {
  const sign = { topology: test('graph'), lifecycle: test('editor'), simulator: test('graph'), plan: test('verdict'), run: test('graph'), proof: test('proof') }[view];
  await page.locator(sign).first().waitFor();
  if (view !== 'proof') await page.locator('.svelte-flow__node').first().waitFor();
  await page.waitForTimeout(250);
}

export const cases = [
  ['contrast: every text and every field passes WCAG AA, light and dark', async ({ page, serve }) => {
    const served = await serve('thinking', '--edit');
    await served.open(page, 'topology');
    for (const theme of ['light', 'dark']) {
      const turn = page.getByRole('button', { name: `Use ${theme} colours` });
      if (await turn.count()) await turn.click();
      let count = 0;
      for (const view of VIEWS) {
        await page.goto(`${origin(page)}#/${view}`);
        await settled(page, view);
        if (view === 'topology') await page.locator(test('node')).selectOption('gui');
        if (view === 'run') { await page.locator(test('speed')).selectOption('0'); await page.locator(test('up')).click(); await page.locator(test('ending')).waitFor(); }
        if (view === 'lifecycle') { await page.locator(`${test('cycle')} [data-state]`).first().click(); }
        if (view === 'plan') { while (await page.locator(test('next')).isEnabled()) await page.locator(test('next')).click(); }
        await page.waitForTimeout(150);
        const { count: here, found } = await page.evaluate(contrast);
        assert.deepEqual(found, [], `${view}, ${theme}`);
        count += here;
      }
      console.log(`        ${count} texts measured, ${theme}`);
      assert.ok(count > 300);
    }
    await page.getByRole('button', { name: 'Use light colours' }).click();
  }],

  ['widths: at 390 and 1280 pixels nothing is cut off, and everything can be touched', async ({ page, serve }) => {
    const served = await serve('thinking');
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await served.open(page, 'topology');
      for (const view of VIEWS) {
        await page.goto(`${origin(page)}#/${view}`);
        await settled(page, view);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${view} is ${wide} pixels wide`);
        // Controls lie within the page, or in something that scrolls.
        const outside = await page.evaluate((most) => [...document.querySelectorAll('button, select, input, nav a')].filter((one) => { const box = one.getBoundingClientRect(); return box.width && (box.right > most + 1 || box.left < -1) && !one.closest('nav, .svelte-flow, .lanes, .gantt, .cm-editor, .skip'); }).map((one) => one.outerHTML.slice(0, 100)), width);
        assert.deepEqual(outside.filter((one) => !one.includes('skip')), [], `${view} at ${width}`);
        const small = await page.evaluate(() => [...document.querySelectorAll('main button, main select')].filter((one) => { const box = one.getBoundingClientRect(); return box.height && box.height < 24 && !one.closest('.svelte-flow, .cm-editor'); }).map((one) => one.outerHTML.slice(0, 100)));
        assert.deepEqual(small, [], `${view}: smaller than 24 pixels`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }],

  ['no layout jump: what is shown stays where it is', async ({ page, serve }) => {
    const served = await serve('thinking');
    await page.addInitScript(() => {
      window.jumps = [];
      new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) window.jumps.push([one.value, one.sources?.[0]?.node?.className ?? '']); }).observe({ type: 'layout-shift', buffered: true });
    });
    for (const view of VIEWS) {
      await served.open(page, 'topology');
      await page.goto(`${origin(page)}#/${view}`);
      await page.reload();
      await settled(page, view);
      await page.waitForTimeout(400);
      const jumps = await page.evaluate(() => window.jumps);
      const sum = jumps.reduce((all, [value]) => all + value, 0);
      console.log(`        ${view}: ${sum.toFixed(3)}`);
      assert.ok(sum < 0.1, `${view} jumps by ${sum.toFixed(3)}: ${JSON.stringify(jumps)}`);
    }
  }],

  ['size: less than 1 MB compressed is loaded before the editor', async ({ page, serve }) => {
    const served = await serve('thinking');
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    // The worker of the layout loads outside of the page; its answer is counted by its length.
    let bytes = 0;
    const names = [];
    const seen = (reply) => { const url = new URL(reply.url()); if (!url.pathname.startsWith('/api/')) { const length = Number(reply.headers()['content-length'] ?? 0); bytes += length; names.push(`${url.pathname} ${length}`); } };
    page.context().on('response', seen);
    await served.open(page, 'topology');
    await page.waitForSelector(`${test('graph')}[data-ready=yes] .svelte-flow__node`);
    page.context().off('response', seen);
    console.log(`        ${Math.round(bytes / 1000)} kB in ${names.length} files`);
    assert.ok(names.some((name) => name.includes('index-')) && names.some((name) => name.includes('elk-worker')), names.join(', '));
    assert.ok(!names.some((name) => name.includes('Lifecycle')), 'the editor is not among them');
    assert.ok(bytes > 100_000 && bytes < 1_000_000, `${bytes} bytes: ${names.join(', ')}`);
  }],

  ['keyboard: nodes, views, the player, the plan and the simulator without a mouse', async ({ page, serve }) => {
    const served = await serve('thinking');
    await served.open(page, 'topology');
    await settled(page, 'topology');
    // A node of the picture is reached and opened.
    await page.locator('.svelte-flow__node').first().focus();
    await page.keyboard.press('Enter');
    await page.locator(test('details')).waitFor();
    await page.getByRole('link', { name: 'Plan' }).focus();
    await page.keyboard.press('Enter');
    await settled(page, 'plan');
    await page.locator(test('scrub')).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('step 1 of').waitFor();
    await page.locator(`${test('lanes')} .action`).first().focus();
    await page.keyboard.press('Enter');
    await page.locator(test('drop-action')).waitFor();
    await page.locator(test('repair')).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector(`${test('verdict')}[data-verdict=valid]`);
    await page.goto(`${origin(page)}#/simulator`);
    await settled(page, 'simulator');
    await page.locator('[data-command="start g1 stop"]').focus();
    await page.keyboard.press('Space');
    await page.locator(`${test('history')} li`).first().waitFor();
    await page.locator(test('undo')).focus();
    await page.keyboard.press('Enter');
    await page.locator(`${test('history')} li`).first().waitFor({ state: 'detached' });
    // What has the focus is seen.
    const outline = await page.evaluate(() => { const one = document.querySelector('[data-test=as-plan], nav a'); document.querySelector('nav a').focus(); return getComputedStyle(document.activeElement).outlineStyle; });
    assert.equal(outline, 'solid');
  }],

  ['empty and broken: a file without nodes, one that cannot be read, a server that is gone', async ({ page, serve, scratch }) => {
    const folder = path.join(scratch, 'empty');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'empty.windlass.yaml'), 'windlass: 1\nname: nothing\ntypes: {}\nnodes: {}\n');
    fs.writeFileSync(path.join(folder, 'broken.windlass.yaml'), 'windlass: 1\nname: broken\ntypes: [\n');
    const served = await serve(folder, '--edit');
    await served.open(page, 'topology', { file: 'empty.windlass.yaml' });
    await page.getByText('describes no nodes yet').waitFor();
    for (const view of ['simulator', 'plan', 'run', 'proof', 'lifecycle']) {
      await page.goto(`${origin(page)}#/${view}?file=empty.windlass.yaml`);
      await page.waitForTimeout(500);
      assert.ok((await page.locator('main').innerText()).trim().length > 20, `${view} says something`);
    }
    await page.goto(`${origin(page)}#/topology?file=broken.windlass.yaml`);
    await page.getByText('There is no picture of this file yet').waitFor();
    await page.locator(test('findings')).getByText('error').first().waitFor();
    await page.goto(`${origin(page)}#/lifecycle?file=broken.windlass.yaml`);
    await page.locator('.cm-line', { hasText: 'types: [' }).waitFor();
    await page.goto(`${origin(page)}#/topology?file=empty.windlass.yaml`);
    await page.getByText('describes no nodes yet').waitFor();
    served.stop();
    await page.waitForTimeout(300);
    await page.getByRole('button', { name: 'Explore' }).click();
    await page.getByText('does not answer').waitFor();
  }],

  ['deep links: a view, a file, a node, a type, a line and a goal', async ({ page, serve }) => {
    const served = await serve('thinking');
    await served.open(page, 'lifecycle', { type: 'service', line: '12' });
    await page.locator(test('editor')).waitFor();
    await page.locator('.cm-activeLine').first().waitFor();
    await served.open(page, 'plan', { goal: 'api=running*3' });
    await settled(page, 'plan');
    assert.equal(await page.locator(test('goal')).inputValue(), 'api=running*3');
    await served.open(page, 'topology', { node: 'api' });
    await page.locator(test('details')).getByText('api').first().waitFor();
    await served.open(page, 'nonsense', { file: 'nothing.yaml' });
    await page.locator(test('graph')).waitFor();
  }],
];
