// What people do, by clicks.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { still } from './still.js';

const test = (name) => `[data-test=${name}]`;
const ready = (page, what = 'graph') => page.waitForSelector(`${test(what)}[data-ready=yes] .svelte-flow__node`);
const state = async (page, id, wanted) => { await page.waitForSelector(`${test('graph')} [data-instance="${id}"][data-state="${wanted}"]`); };

// The whole text of the editor, also what is not drawn.
const textOf = (page) => page.evaluate(() => document.querySelector('.cm-content').cmTile?.view.state.doc.toString() ?? [...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));

export const cases = [
  ['topology: boxes within boxes, a node picked, a deep link', async ({ page, serve, shoot }) => {
    const served = await serve('thinking');
    await served.open(page, 'topology');
    await ready(page);
    assert.equal(await page.locator('.svelte-flow__node').count(), 5);
    await state(page, 'g1', 'working');
    await page.locator('.svelte-flow__node', { hasText: 'gui' }).last().click();
    await page.waitForSelector(test('details'));
    assert.match(await page.locator(test('details')).innerText(), /api\.endpoint/);
    assert.match(page.url(), /node=gui/);
    await shoot('topology');
    await page.reload();
    await page.waitForSelector(test('details'));
    assert.match(await page.locator(test('details')).innerText(), /gui/);
    await page.getByRole('button', { name: 'Explore' }).click();
    await page.getByText('reachable', { exact: false }).first().waitFor({ timeout: 60000 });
  }],

  ['plan: is it valid, why not, what does it change, the repair', async ({ page, serve, shoot }) => {
    const served = await serve('thinking');
    await served.open(page, 'plan');
    await ready(page);
    const verdict = page.locator(test('verdict'));
    await verdict.waitFor();
    assert.equal(await verdict.getAttribute('data-verdict'), 'weakly_valid');
    for (let step = 0; step < 4; step += 1) await page.locator(test('next')).click();
    await state(page, 'a1', 'running -config-> running');
    await shoot('plan');
    while (await page.locator(test('next')).isEnabled()) await page.locator(test('next')).click();
    assert.match(await page.locator(test('reason')).innerText(), /installed/);
    await state(page, 'g1', 'installed');
    await page.locator(test('repair')).click();
    await page.waitForSelector(`${test('verdict')}[data-verdict=valid]`);
    assert.match(await page.locator('details').innerText(), /What it changes/);
    await shoot('plan-repaired');
  }],

  ['plan: three replicas, the goal picked in the picture', async ({ page, serve, shoot }) => {
    const served = await serve('thinking');
    await served.open(page, 'plan');
    await ready(page);
    await page.locator('.svelte-flow__node', { hasText: 'api' }).last().click();
    assert.equal(await page.locator(test('goal-node')).inputValue(), 'api');
    await page.locator(test('goal-count')).fill('3');
    await page.locator(test('goal-add')).click();
    assert.equal(await page.locator(test('goal')).inputValue(), 'api=running*3');
    await page.locator(test('search')).click();
    await page.locator(test('found')).waitFor();
    await page.waitForSelector(`${test('verdict')}[data-verdict=valid]`);
    await shoot('planner');
  }],

  ['plan: actions dragged onto lanes, before others, along their lane, removed, taken back', async ({ page, serve, shoot }) => {
    const served = await serve('thinking');
    await served.open(page, 'plan');
    await ready(page);
    await page.locator(test('plan-file')).selectOption('');
    await page.locator(test('palette')).selectOption('a1');
    await page.locator('[data-action=stop]').click();
    await page.locator('[data-action=start]').dragTo(page.locator(test('lanes')), { targetPosition: { x: 400, y: 20 } });
    assert.equal(await page.locator(`${test('lanes')} .action`).count(), 2);
    await page.locator(test('palette')).selectOption('g1');
    await page.locator('[data-action=stop]').click();
    await page.waitForSelector(`${test('verdict')}`);
    const at = (label) => page.locator(`${test('lanes')} .action[aria-label^="${label}:"]`);
    const edges = () => page.locator(`${test('lanes')} path.edge:not(.new)`).count();
    const was = await edges();
    const drag = async (from, to) => {
      const [a, b] = [await from.boundingBox(), to.x === undefined ? await to.boundingBox() : to];
      await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
      await page.mouse.down();
      await page.mouse.move(b.x + (b.width ?? 0) / 2, b.y + (b.height ?? 0) / 2, { steps: 6 });
      await page.mouse.up();
    };
    // Onto an action of another lane: an edge of the order.
    await at('stop a1').scrollIntoViewIfNeeded();
    await drag(at('stop g1'), at('stop a1'));
    assert.equal(await edges(), was + 1);
    await shoot('plan-dragged');
    // Along its lane: the two change places.
    const first = await at('stop a1').boundingBox();
    await drag(at('start a1'), { x: first.x + 8, y: first.y + first.height / 2 });
    const [stop, start] = [await at('stop a1').boundingBox(), await at('start a1').boundingBox()];
    assert.ok(start.x < stop.x, 'start comes first now');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForFunction(() => { const x = (label) => document.querySelector(`.action[aria-label^="${label}:"]`).getBoundingClientRect().x; return x('stop a1') < x('start a1'); });
    await at('stop g1').focus();
    await page.keyboard.press('Enter');
    await page.locator(test('drop-action')).click();
    assert.equal(await page.locator(`${test('lanes')} .action`).count(), 2);
  }],

  ['simulator: what if this stops, and how do I get back', async ({ page, serve, shoot }) => {
    const served = await serve('thinking');
    await served.open(page, 'simulator');
    await ready(page);
    await page.locator('[data-command="start a1 stop"]').click();
    await page.locator(test('history')).getByText('switches to a2').waitFor();
    await page.locator('[data-command="start a2 stop"]').click();
    await page.locator(test('history')).getByText('falls back to configured').waitFor();
    await state(page, 'g1', 'configured');
    assert.ok(await page.locator('[data-command="start g1 stop"]').isDisabled());
    await page.locator(test('instance-g1')).getByText('does not exist').first().waitFor();
    await shoot('simulator');
    await page.locator(test('undo')).click();
    await state(page, 'g1', 'working');
    await page.locator('[data-command="start a2 stop"]').click();
    await page.locator('[data-command="end a1"]').click();
    await page.locator('[data-command="end a2"]').click();
    await state(page, 'a2', 'available');
    await page.locator(test('way-back')).click();
    await page.locator(test('search')).click();
    await page.locator(test('found')).waitFor();
    await page.waitForSelector(`${test('verdict')}[data-verdict=valid]`);
  }],

  ['simulator: what was done becomes a plan', async ({ page, serve }) => {
    const served = await serve('thinking');
    await served.open(page, 'simulator');
    await ready(page);
    for (const command of ['start g1 stop', 'end g1', 'start g1 start', 'end g1']) await page.locator(`[data-command="${command}"]`).click();
    await state(page, 'g1', 'working');
    await page.locator(test('as-plan')).click();
    await page.waitForSelector(`${test('verdict')}[data-verdict=valid]`);
    assert.equal(await page.locator(`${test('lanes')} .action`).count(), 2);
  }],

  ['life cycle: broken in the text, seen, undone; changed in the picture, saved, reloaded', async ({ page, serve, shoot }) => {
    const served = await serve('thinking', '--edit');
    await served.open(page, 'lifecycle', { type: 'database' });
    await ready(page, 'cycle');
    const before = served.read('windlass.yaml');
    // Break the protocol.
    await page.locator('.cm-line', { hasText: 'initial: stopped' }).last().click();
    await page.keyboard.press('End');
    await page.keyboard.type('x');
    await page.keyboard.press('Home');
    await page.keyboard.press('Home');
    await page.locator(test('findings')).getByText('error').first().waitFor();
    await page.locator('.cm-lint-marker-error').first().waitFor();
    await page.locator(test('findings')).click();
    await shoot('lifecycle-broken');
    await page.locator(test('findings')).click();
    await page.locator(test('undo-edit')).click();
    await page.locator(test('findings')).getByText('No findings').waitFor();
    // Change the picture: the text follows, comments and all.
    await page.locator(test('new-state')).fill('paused');
    await page.locator(test('add-state')).click();
    await page.locator(`${test('cycle')} [data-state=paused]`).waitFor();
    await page.locator(test('rename')).fill('resting');
    await page.keyboard.press('Tab');
    await page.locator(`${test('cycle')} [data-state=resting]`).waitFor();
    await shoot('lifecycle');
    await page.locator(test('save')).click();
    await page.locator(test('save')).waitFor({ state: 'detached' });
    const after = served.read('windlass.yaml');
    assert.match(after, /resting: \{\s*\}/);
    // One line is new, and all others are as they were.
    assert.deepEqual(after.split('\n').filter((line) => !line.includes('resting')), before.split('\n'));
    await page.reload();
    await page.locator(`${test('cycle')} [data-state=resting]`).waitFor();
    await page.locator(`${test('cycle')} [data-state=resting]`).click();
    await page.locator(test('remove')).click();
    await page.locator(`${test('cycle')} [data-state=resting]`).waitFor({ state: 'detached' });
  }],

  ['life cycle: needs, offers, handlers and operations of a protocol, in the picture', async ({ page, serve }) => {
    const served = await serve('thinking', '--edit');
    await served.open(page, 'lifecycle', { type: 'database' });
    await ready(page, 'cycle');
    await page.locator(test('new-role')).fill('disk');
    await page.locator(test('add-role')).click();
    await page.getByRole('button', { name: 'Remove disk' }).waitFor();
    assert.match(await textOf(page), /disk: replica_unaware/);
    await page.locator(`${test('cycle')} [data-state=running]`).click();
    await page.getByRole('group', { name: 'needs', exact: true }).getByLabel('disk').check();
    await page.locator(`${test('cycle')} .note`, { hasText: 'disk' }).first().waitFor();
    await page.getByRole('group', { name: 'on a fault goes to' }).getByRole('checkbox').first().check();
    await page.locator(test('undo-edit')).click();
    await page.locator(test('undo-edit')).click();
    await page.locator(test('undo-edit')).click();
    await page.locator(`${test('cycle')} .note`, { hasText: 'disk' }).first().waitFor({ state: 'detached' });
    assert.equal(await page.locator(test('save')).count(), 0);
  }],

  ['life cycle of a net: places, ports and groups, in the picture and the text', async ({ page, serve, shoot, scratch }) => {
    const folder = path.join(scratch, 'net-editor');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'windlass.yaml'), CROSSED);
    const served = await serve(folder, '--edit');
    await served.open(page, 'lifecycle', { type: 'half' });
    await ready(page, 'cycle');
    await page.locator(test('new-state')).fill('ready');
    await page.locator(test('add-state')).click();
    await page.locator(`${test('cycle')} [data-state=ready]`).waitFor();
    await page.locator(test('rename')).fill('serving');
    await page.keyboard.press('Tab');
    await page.locator(`${test('cycle')} [data-state=serving]`).waitFor();
    await page.locator(test('way-from')).selectOption('on');
    await page.locator(test('way-name')).fill('warm-up');
    await page.locator(test('way-to')).selectOption('serving');
    await page.locator(test('add-way')).click();
    await page.locator('[data-group=up]').getByLabel('serving').check();
    await page.locator(test('new-port')).fill('web');
    await page.locator(test('new-port-kind')).selectOption('provide');
    await page.locator(test('add-port')).click();
    await page.locator('[data-port=web]').getByLabel('up').check();
    await page.locator('[data-port=mine] input[type=text]').fill('own');
    await page.keyboard.press('Tab');
    await page.locator('[data-port=own]').waitFor();
    await page.locator('.editing > .left').evaluate((one) => { one.scrollTop = 0; });
    await shoot('lifecycle-net');
    await page.locator(test('save')).click();
    await page.locator(test('save')).waitFor({ state: 'detached' });
    const { types, nodes } = parse(served.read('windlass.yaml'));
    assert.deepEqual(types.half.net, {
      places: ['off', 'on', 'serving'], initial: ['off'],
      transitions: { start: { from: 'off', to: 'on' }, 'warm-up': { from: 'on', to: 'serving' } },
      groups: { up: ['on', 'serving'] },
      ports: { own: { kind: 'provide', groups: ['up'] }, other: { kind: 'use', transitions: ['start'] }, web: { kind: 'provide', groups: ['up'] } },
    });
    assert.deepEqual(nodes.left.bind, { other: 'right.own' });
    await page.locator('[data-port=web]').getByRole('button', { name: 'Remove the port web' }).click();
    await page.locator('[data-port=web]').waitFor({ state: 'detached' });
    await page.locator(test('undo-edit')).click();
    await page.locator('[data-port=web]').waitFor();
  }],

  ['run: up in the simulated world, watched to its end', async ({ page, serve, shoot }) => {
    const served = await serve('thinking');
    await served.open(page, 'run');
    await ready(page);
    await page.locator(test('speed')).selectOption('50');
    await page.locator(test('up')).click();
    await page.waitForSelector(`${test('ending')}[data-ending=reached]`, { timeout: 60000 });
    assert.ok((await page.locator(`${test('gantt')} .bar.done`).count()) >= 7);
    assert.match(await page.locator(test('journal')).innerText(), /run ended: reached/);
    await page.locator(`${test('graph')} [data-state=working]`).waitFor();
    await shoot('run');
  }],

  ['run: an assembly of nets beside its prediction', async ({ page, serve, shoot }) => {
    const served = await serve('openstack');
    await served.open(page, 'run', { file: 'windlass.yaml' });
    await ready(page);
    await page.locator(test('speed')).selectOption('0');
    await page.locator(test('up')).click();
    await page.waitForSelector(`${test('ending')}[data-ending=reached]`, { timeout: 60000 });
    const said = await page.locator(`${test('gantt')} .said`).evaluateAll((lines) => lines.filter((line) => line.getBoundingClientRect().width > 1).length);
    assert.ok(said >= 10, `${said} predictions are drawn`);
    await shoot('run-nets');
  }],

  ['proof: a certificate, and a story of how it gets stuck', async ({ page, serve, shoot, scratch }) => {
    const served = await serve('thinking');
    await served.open(page, 'proof');
    await page.waitForSelector(`${test('proof')}[data-verdict=always_completes]`);
    await page.locator(test('certificate')).waitFor();
    await shoot('proof');
    const folder = path.join(scratch, 'crossed');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'windlass.yaml'), CROSSED);
    const stuck = await serve(folder);
    await stuck.open(page, 'proof');
    await page.waitForSelector(`${test('proof')}[data-verdict=can_get_stuck]`);
    assert.match(await page.locator(test('stuck')).innerText(), /waits for/);
    await shoot('proof-stuck');
  }],

  ['Docker Compose: topology, proof and run', async ({ page, serve, shoot }) => {
    const served = await serve('compose/shop', '--edit');
    await served.open(page, 'topology');
    await ready(page);
    await shoot('compose');
    await page.getByRole('link', { name: 'Proof' }).click();
    await page.locator(test('proof')).waitFor();
    await page.getByRole('link', { name: 'Life cycles' }).click();
    await page.locator('.cm-line', { hasText: 'services:' }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.type('x');
    await page.locator(test('findings')).getByText('error').first().waitFor();
    await page.locator(test('undo-edit')).click();
    await page.locator(test('findings')).getByText('error').first().waitFor({ state: 'detached' });
  }],

  ['a BARREL archive: imported, edited, exported, imported again', async ({ page, serve, scratch }) => {
    const served = await serve('web-services');
    await served.open(page, 'lifecycle');
    await ready(page, 'cycle');
    const save = async () => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator(test('export')).selectOption('barrel')]);
      const folder = fs.mkdtempSync(path.join(scratch, 'csar-'));
      await download.saveAs(path.join(folder, 'app.csar'));
      return folder;
    };
    const text = () => textOf(page);
    const first = await serve(await save());
    await first.open(page, 'lifecycle');
    await ready(page, 'cycle');
    await page.locator(test('new-state')).fill('resting');
    await page.locator(test('add-state')).click();
    await page.locator(`${test('cycle')} [data-state=resting]`).waitFor();
    const edited = await text();
    const second = await serve(await save());
    await second.open(page, 'lifecycle');
    await ready(page, 'cycle');
    await page.locator(`${test('cycle')} [data-state=resting]`).waitFor();
    assert.deepEqual(parse(await text()), parse(edited));
  }],

  ['narrow and dark: nothing is cut off', async ({ page, serve, shoot }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const served = await serve('thinking');
    await served.open(page, 'topology');
    await ready(page);
    await page.getByRole('button', { name: 'Use dark colours' }).click();
    for (const view of ['topology', 'lifecycle', 'simulator', 'plan', 'run', 'proof']) {
      await page.goto(`${page.url().split('#')[0]}#/${view}`);
      await page.locator(`nav a[href^="#/${view}"][aria-current]`).waitFor();
      await still(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `${view} is ${wide} pixels wide`);
      if (view === 'simulator' || view === 'plan') await shoot(`narrow-${view}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${page.url().split('#')[0]}#/plan`);
    await ready(page);
    await page.locator(test('verdict')).waitFor();
    await shoot('dark');
    await page.getByRole('button', { name: 'Use light colours' }).click();
  }],

  ['200 nodes are drawn, and a script in a name stays a text', async ({ page, serve, scratch }) => {
    const folder = path.join(scratch, 'many');
    fs.mkdirSync(folder, { recursive: true });
    const nodes = Array.from({ length: 199 }, (_, index) => `  n${index}: { type: t${index ? `, bind: { r: n${index - 1}.c }` : ', bind: { r: n198.c }'} }`);
    const evil = '<b>evil</b><script>evil()</script>';
    fs.writeFileSync(path.join(folder, 'windlass.yaml'), `windlass: 1\nname: many\ntypes:\n  t:\n    requirements: { r: replica_unaware }\n    capabilities: [c]\n    protocol:\n      initial: off\n      states: { off: {}, on: { requires: [r], offers: [c], on_fault: [off] } }\n      transitions:\n        - { from: off, operation: start, to: on }\n        - { from: on, operation: stop, to: off }\nnodes:\n${nodes.join('\n')}\n  '${evil}': { type: t, bind: { r: n0.c } }\n`);
    const served = await serve(folder);
    const started = Date.now();
    await served.open(page, 'topology');
    await ready(page);
    console.log(`        200 nodes after ${Date.now() - started} ms`);
    assert.equal(await page.locator('b', { hasText: /^evil$/ }).count(), 0);
    assert.equal(await page.locator('main script').count(), 0);
    assert.ok((await page.locator(`${test('node')} option`).count()) >= 200);
  }],

  ['without a token there is an explanation, by keyboard everything is reached', async ({ page, serve }) => {
    const served = await serve('thinking');
    await page.goto(served.address.split('#')[0]);
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    await page.getByText('This address has no token').waitFor();
    await served.open(page, 'topology');
    await ready(page);
    await page.evaluate(() => { document.activeElement?.blur(); });
    const names = new Set();
    for (let press = 0; press < 30; press += 1) {
      await page.keyboard.press('Tab');
      names.add(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim().slice(0, 30)));
    }
    for (const wanted of ['To the view', 'Topology', 'Plan', 'Proof', 'Explore']) assert.ok(names.has(wanted), `${wanted} is not reached: ${[...names]}`);
    const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, select, input')].filter((one) => !one.textContent.trim() && !one.getAttribute('aria-label') && !one.labels?.length && !one.title).map((one) => one.outerHTML.slice(0, 120)));
    assert.deepEqual(unnamed, []);
  }],
];

const CROSSED = `windlass: 1
types:
  half:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on } }
      groups: { up: [on] }
      ports:
        mine: { kind: provide, groups: [up] }
        other: { kind: use, transitions: [start] }
nodes:
  left: { type: half, bind: { other: right.mine } }
  right: { type: half, bind: { other: left.mine } }
`;
