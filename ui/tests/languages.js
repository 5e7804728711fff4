// Other languages in every view: a Compose file, a TOSCA file and a BARREL archive; edited, exported, read again, equal.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const test = (name) => `[data-test=${name}]`;
const origin = (page) => page.url().split('#')[0];
const textOf = (page) => page.evaluate(() => document.querySelector('.cm-content').cmTile?.view.state.doc.toString() ?? [...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));
// What a file means, in our own language, as JSON.
const meaning = (served, file) => JSON.parse(execFileSync(served.program, ['convert', file, '--to', 'json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));

async function exported(page, scratch, to, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator(test('export')).selectOption(to)]);
  const folder = fs.mkdtempSync(path.join(scratch, 'exported-'));
  await download.saveAs(path.join(folder, name));
  return folder;
}

// Every view, with something done in each.
async function everyView(page, { up, goal = [] }) {
  const show = async (view) => { await page.goto(`${origin(page)}#/${view}`); };
  // What should hold, where the file does not say it.
  const want = async () => {
    for (const [node, state] of goal) {
      await page.locator(test('goal-node')).selectOption(node);
      await page.locator(test('goal-state')).selectOption(state);
      await page.locator(test('goal-add')).click();
    }
  };
  await show('topology');
  await page.waitForSelector(`${test('graph')}[data-ready=yes] .svelte-flow__node`);
  await show('simulator');
  await page.locator('[data-command]:enabled').first().click();
  await page.locator(`${test('history')} li:not(.failed)`).first().waitFor();
  await page.locator(test('undo')).click();
  await page.locator(`${test('history')} li`).first().waitFor({ state: 'detached' });
  await show('plan');
  if (goal.length) {
    await page.locator(test('search')).click();
    await page.getByText('Say under “Goal” what should hold').waitFor();
  }
  await want();
  await page.locator(test('search')).click();
  await page.locator(test('found')).waitFor({ timeout: 60000 });
  await page.waitForSelector(`${test('verdict')}[data-verdict=valid]`, { timeout: 60000 });
  await page.locator(`${test('lanes')} .action`).first().waitFor();
  await brokenAndRepaired(page);
  await show('run');
  await want();
  await page.locator(test('speed')).selectOption('0');
  await page.locator(test('up')).click();
  await page.waitForSelector(`${test('ending')}[data-ending=reached]`, { timeout: 60000 });
  if (up) assert.ok((await page.locator(`${test('gantt')} .bar.done`).count()) >= up);
  await show('proof');
  await page.locator(test('proof')).waitFor({ timeout: 60000 });
}

// An order that is left out is missed: the plan fails, the failing run is played to its end, and repaired.
async function brokenAndRepaired(page) {
  const wrong = `${test('verdict')}:not([data-verdict=valid])`;
  const orders = page.getByRole('button', { name: /^Drop: / });
  for (let left = await orders.count(); left > 0 && !(await page.locator(wrong).count()); left -= 1) {
    const judged = page.waitForResponse((reply) => reply.url().endsWith('/api/verify'));
    await orders.first().click();
    await (await judged).finished();
    await page.locator(`${wrong}, ${test('verdict')}[data-verdict=valid]`).waitFor();
  }
  await page.locator(wrong).waitFor();
  await page.locator(test('next')).waitFor();
  while (await page.locator(test('next')).isEnabled()) await page.locator(test('next')).click();
  await page.locator(test('reason')).getByText('fails:').waitFor();
  await page.locator(test('repair')).click();
  await page.waitForSelector(`${test('verdict')}[data-verdict=valid]`);
}

// Breaks the text and takes it back, then adds a comment, saves and reads again.
async function edited(page, served, file, { breakAt, by }) {
  await page.goto(`${origin(page)}#/lifecycle`);
  await page.locator(test('editor')).waitFor();
  const before = await textOf(page);
  const quiet = await page.locator(test('findings')).innerText();
  await page.locator('.cm-line', { hasText: breakAt }).first().click();
  await page.keyboard.press('End');
  await page.keyboard.type(by);
  await page.locator(test('findings')).getByText('error').first().waitFor();
  await page.locator(test('undo-edit')).click();
  await page.waitForFunction((wanted) => document.querySelector('[data-test=findings]').innerText === wanted, quiet);
  assert.equal(await textOf(page), before);
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# seen in the browser');
  await page.locator(test('save')).click();
  await page.locator(test('save')).waitFor({ state: 'detached' });
  assert.equal(served.read(file), `${before}# seen in the browser`);
  await page.reload();
  await page.locator(test('editor')).waitFor();
  assert.match(await textOf(page), /# seen in the browser$/);
}

// Exported to our language, opened there, its life cycle changed, exported again, read again: equal.
async function carriedOver(page, serve, scratch, first) {
  const folder = await exported(page, scratch, 'windlass', 'app.windlass.yaml');
  const own = await serve(folder, '--edit');
  assert.deepEqual(meaning(own, path.join(own.folder, 'app.windlass.yaml')), first);
  await own.open(page, 'lifecycle');
  await page.waitForSelector(`${test('cycle')}[data-ready=yes] .svelte-flow__node`);
  await page.locator(test('new-state')).fill('resting');
  await page.locator(test('add-state')).click();
  await page.locator(`${test('cycle')} [data-state=resting]`).waitFor();
  await page.locator(test('save')).click();
  await page.locator(test('save')).waitFor({ state: 'detached' });
  const changed = meaning(own, path.join(own.folder, 'app.windlass.yaml'));
  assert.notDeepEqual(changed, first);
  const again = await exported(page, scratch, 'json', 'app.json');
  assert.deepEqual(meaning(own, path.join(again, 'app.json')), changed);
}

export const cases = [
  ['a Compose file in every view: edited, saved, exported, read again equal', async ({ page, serve, scratch }) => {
    const served = await serve('compose/shop', '--edit');
    await served.open(page, 'topology');
    await everyView(page, { up: 4 });
    await edited(page, served, 'compose.yaml', { breakAt: 'services:', by: 'x' });
    await carriedOver(page, serve, scratch, meaning(served, path.join(served.folder, 'compose.yaml')));
  }],

  ['a TOSCA file in every view: edited, saved, exported, read again equal', async ({ page, serve, shoot, scratch }) => {
    const served = await serve('tosca/notes', '--edit');
    await served.open(page, 'topology');
    await page.waitForSelector(`${test('graph')}[data-ready=yes] .svelte-flow__node`);
    await shoot('tosca');
    await everyView(page, { up: 3 });
    await edited(page, served, 'service.yaml', { breakAt: 'tosca_definitions_version', by: 'x' });
    await carriedOver(page, serve, scratch, meaning(served, path.join(served.folder, 'service.yaml')));
  }],

  ['a BARREL archive in every view: imported, edited, exported, imported again equal', async ({ page, serve, shoot, scratch }) => {
    const own = await serve('web-services');
    await own.open(page, 'lifecycle');
    await page.waitForSelector(`${test('cycle')}[data-ready=yes] .svelte-flow__node`);
    const folder = await exported(page, scratch, 'barrel', 'app.csar');
    const served = await serve(folder);
    await served.open(page, 'topology');
    await everyView(page, { up: 2, goal: [['Translator', 'Deployed'], ['Convertor', 'Deployed']] });
    await page.goto(`${origin(page)}#/lifecycle`);
    await page.waitForSelector(`${test('cycle')}[data-ready=yes] .svelte-flow__node`);
    await page.locator(test('new-state')).fill('resting');
    await page.locator(test('add-state')).click();
    await page.locator(`${test('cycle')} [data-state=resting]`).waitFor();
    await page.locator(test('way-from')).selectOption({ index: 1 });
    await page.locator(test('way-name')).fill('rest');
    await page.locator(test('way-to')).selectOption('resting');
    await page.locator(test('add-way')).click();
    await page.getByText('imported, changed').waitFor();
    await page.locator('.editing > .left').evaluate((one) => { one.scrollTop = 0; });
    await shoot('barrel');
    const again = await exported(page, scratch, 'barrel', 'app.csar');
    const ours = await exported(page, scratch, 'windlass', 'app.windlass.yaml');
    const changed = meaning(served, path.join(ours, 'app.windlass.yaml'));
    const back = meaning(served, path.join(again, 'app.csar'));
    assert.ok(JSON.stringify(changed).includes('resting'));
    assert.deepEqual(back, changed);
    assert.notDeepEqual(back, meaning(served, path.join(folder, 'app.csar')));
  }],
];
