// Runs and steps: the simulator of every relation, and deployments, simulated and real.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const test = (name) => `[data-test=${name}]`;
const ready = (page) => page.waitForSelector(`${test('graph')}[data-ready=yes] .svelte-flow__node`);
const state = async (page, id, wanted) => { await page.waitForSelector(`${test('graph')} [data-instance="${id}"][data-state="${wanted}"]`); };

export const cases = [
  ['simulator of nets: started, finished, failed, taken back', async ({ page, serve, shoot }) => {
    const served = await serve('openstack');
    await served.open(page, 'simulator', { file: 'windlass.yaml' });
    await ready(page);
    assert.ok(await page.locator('[data-command="start common ktb-deploy"]').isDisabled());
    await page.locator(test('instance-common')).getByText('is provided while a token is in').first().waitFor();
    await page.locator('[data-command="start facts deploy"]').click();
    await state(page, 'facts', '-deploy->');
    await page.locator('[data-command="fail facts deploy"]').click();
    await state(page, 'facts', '-deploy-> failed');
    await page.locator(test('undo')).click();
    await page.locator('[data-command="end facts deploy"]').click();
    await state(page, 'facts', 'deployed');
    await page.locator(test('history')).getByText('enable common.facts -> facts.deployed').waitFor();
    await page.locator('[data-command="start common ktb-deploy"]').click();
    await state(page, 'common', '-ktb-deploy->');
    await shoot('simulator-nets');
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.locator(test('no-plan')).waitFor();
  }],

  ['simulator of single instances: blocked by a fault, which is handled; a hard reset; what was done as a plan', async ({ page, serve, scratch }) => {
    const folder = path.join(scratch, 'handled');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'windlass.yaml'), HANDLED);
    const served = await serve(folder);
    await served.open(page, 'simulator');
    await ready(page);
    const act = async (command) => page.locator(`[data-command="${command}"]`).click();
    assert.ok(await page.locator('[data-command="start s start"]').isDisabled());
    await page.locator(test('instance-s')).getByText('which is not offered').first().waitFor();
    await act('start m boot');
    await act('start s start');
    await state(page, 's', 'running');
    await act('start m halt');
    await page.locator(test('history')).getByText('s loses host').waitFor();
    await page.locator('[data-command="start m boot"]:disabled').waitFor();
    await act('handle s host');
    await state(page, 's', 'stopped');
    await page.locator(test('undo')).click();
    await state(page, 's', 'running');
    assert.equal(await page.locator('[data-command="reset s"]').count(), 0);
    await page.locator(test('hard-recovery')).check();
    await act('reset s');
    await state(page, 's', 'stopped');
    await page.locator(test('undo')).click();
    await page.locator(test('undo')).click();
    await state(page, 'm', 'on');
    await page.locator(test('as-plan')).click();
    await page.waitForSelector(`${test('verdict')}[data-verdict=valid]`);
    assert.equal(await page.locator(`${test('lanes')} .action`).count(), 2);
  }],

  ['run: cancelled and resumed in the simulated world', async ({ page, serve }) => {
    const served = await serve('thinking');
    await served.open(page, 'run');
    await ready(page);
    await page.locator(test('speed')).selectOption('1');
    await page.locator(test('up')).click();
    await page.locator(`${test('gantt')} .bar`).first().waitFor();
    await page.locator(test('cancel')).click({ force: true });
    await page.locator(test('paused')).waitFor();
    const before = await page.locator(`${test('journal')} li`).count();
    await page.locator(test('speed')).selectOption('50');
    await page.locator(test('resume')).click();
    await page.waitForSelector(`${test('ending')}[data-ending=reached]`, { timeout: 60000 });
    const lines = await page.locator(`${test('journal')} li`).allInnerTexts();
    assert.ok(lines.length > before);
    assert.equal(lines.filter((line) => / s run begins/.test(line)).length, 1);
  }],

  ['run: a real deployment: watched, its log, a fault handled, cancelled, drift, resumed, taken down', async ({ page, serve, shoot }) => {
    const served = await serve('guestbook', '--run');
    await served.open(page, 'run', { world: 'real' });
    await ready(page);
    await page.getByText('There is no deployment of this file').waitFor();
    await page.locator(test('up')).click();
    await page.waitForSelector(`${test('ending')}[data-ending=reached]`, { timeout: 60000 });
    await state(page, 'front', 'running');
    assert.ok((await page.locator(`${test('gantt')} .bar.done`).count()) >= 4);
    assert.ok((await page.locator(`${test('gantt')} .said`).count()) >= 1, 'the prediction is drawn');
    const pids = async () => JSON.parse(execFileSync(served.program, ['status', path.join(served.folder, 'windlass.yaml'), '--format', 'json'], { encoding: 'utf8' }).toString()).instances;
    const store = (await pids()).find((one) => one.instance === 'store').pid;
    process.kill(store, 'SIGKILL');
    await page.locator(test('journal')).getByText(/ s the process of store died/).waitFor();
    await page.locator(test('journal')).getByText('falls back to').first().waitFor();
    await page.waitForSelector(`${test('ending')}[data-ending=reached]`, { timeout: 60000 });
    await state(page, 'front', 'running');
    await page.locator(`${test('gantt')} g[role=button]`, { hasText: 'start store' }).first().click();
    await page.locator(test('action')).getByText('start start store').waitFor();
    await page.locator(test('log')).or(page.locator(test('no-log'))).first().waitFor();
    await shoot('run-real');
    await page.locator(test('cancel')).click();
    await page.locator(test('up')).waitFor();
    await page.getByText('left to itself').waitFor();
    process.kill((await pids()).find((one) => one.instance === 'api').pid, 'SIGKILL');
    await page.reload();
    await page.locator(test('drift')).waitFor();
    await page.locator(test('resume')).click();
    await page.locator(test('drift')).waitFor({ state: 'detached' });
    await page.waitForSelector(`${test('ending')}[data-ending=reached]`, { timeout: 60000 });
    await page.locator(test('cancel')).click();
    await page.locator(test('down')).click();
    await page.locator(test('journal')).getByText('remove store').first().waitFor();
    await page.locator(`${test('graph')} [data-instance=store]`).waitFor({ state: 'detached' });
  }],

  ['run: without --run nothing is started, and watching works', async ({ page, serve }) => {
    const served = await serve('guestbook');
    await served.open(page, 'run', { world: 'real' });
    await ready(page);
    await page.getByText('with --run').waitFor();
    assert.equal(await page.locator(test('up')).count(), 0);
    execFileSync(served.program, ['up', path.join(served.folder, 'windlass.yaml'), '--yes', '--detach']);
    try {
      await page.waitForSelector(`${test('ending')}[data-ending=reached]`, { timeout: 60000 });
      await state(page, 'front', 'running');
    } finally {
      execFileSync(served.program, ['down', path.join(served.folder, 'windlass.yaml'), '--yes']);
    }
  }],
];

const HANDLED = `windlass: 1
name: handled
faults: handled
types:
  machine:
    capabilities: [host]
    protocol:
      initial: off
      states: { off: {}, on: { offers: [host] } }
      transitions:
        - { from: off, operation: boot, to: on }
        - { from: on, operation: halt, to: off }
      up: [boot]
  server:
    requirements: { host: containment }
    protocol:
      initial: stopped
      states: { stopped: {}, running: { requires: [host], on_fault: [stopped] } }
      transitions:
        - { from: stopped, operation: start, to: running, requires: [host], on_fault: [stopped] }
        - { from: running, operation: stop, to: stopped }
      up: [start]
nodes:
  m: { type: machine }
  s: { type: server, bind: { host: m.host } }
`;
