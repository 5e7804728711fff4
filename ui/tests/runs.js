// Runs and steps: the simulator of every relation, and deployments, simulated and real.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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
  }],

  ['simulator of single instances: a fault is handled, a hard reset', async ({ page, serve }) => {
    const served = await serve('web-services');
    await served.open(page, 'simulator');
    await ready(page);
    const first = page.locator('[data-command^="start "]:enabled').first();
    const command = await first.getAttribute('data-command');
    await first.click();
    await page.locator(test('history')).getByText(command).waitFor();
    await page.locator(test('as-plan')).click();
    await page.locator(test('verdict')).waitFor();
    await page.locator(test('lanes')).waitFor();
  }],

  ['run: cancelled and resumed in the simulated world', async ({ page, serve }) => {
    const served = await serve('thinking');
    await served.open(page, 'run');
    await ready(page);
    await page.locator(test('speed')).selectOption('5');
    await page.locator(test('up')).click();
    await page.locator(`${test('gantt')} .bar`).first().waitFor();
    await page.locator(test('cancel')).click();
    await page.locator(test('paused')).waitFor();
    const before = await page.locator(`${test('journal')} li`).count();
    await page.locator(test('speed')).selectOption('50');
    await page.locator(test('resume')).click();
    await page.waitForSelector(`${test('ending')}[data-ending=reached]`, { timeout: 60000 });
    const lines = await page.locator(`${test('journal')} li`).allInnerTexts();
    assert.ok(lines.length > before);
    assert.equal(lines.filter((line) => line.includes('run begins')).length, 1);
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
    await page.locator(test('journal')).getByText('the process of store died').waitFor();
    await page.locator(test('journal')).getByText('falls back to').first().waitFor();
    await page.waitForSelector(`${test('ending')}[data-ending=reached]`, { timeout: 60000 });
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
