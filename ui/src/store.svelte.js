// What all views share: the session, the open file with its text, its model and its findings.
import { ask, bytes } from './api.js';
import { go, route } from './route.svelte.js';

export const app = $state({
  session: null,
  failure: null,
  file: null,
  saved: null, // the text on disk
  text: null, // the text in the editor
  imported: false, // the text was made from an archive
  model: null,
  messages: '',
  findings: [],
  errors: 0,
  warnings: 0,
  busy: false,
  // The plan and the state that views hand to each other.
  plan: null,
  planName: '',
  start: null,
  startName: '',
});

export const isDirty = () => app.text !== null && app.text !== app.saved;
export const document_ = (name) => app.session?.files.find((file) => file.name === name);
export const filesOf = (kind) => (app.session?.files ?? []).filter((file) => file.kind === kind);

// What a request says about the application: its text only when that is not the saved one.
export function about() {
  return isDirty() || app.imported ? { file: app.file, text: app.text } : { file: app.file };
}

export async function begin() {
  try {
    app.session = await ask('session');
    const wanted = route.params.file;
    const known = document_(wanted)?.kind === 'application' ? wanted : null;
    const first = known ?? filesOf('application')[0]?.name ?? app.session.files[0]?.name;
    await open(first);
  } catch (error) {
    app.failure = error;
  }
}

export async function open(name) {
  const document = document_(name);
  Object.assign(app, { file: name, model: null, findings: [], errors: 0, warnings: 0, plan: null, planName: '', start: null, startName: '', failure: null });
  go(route.view, { ...route.params, file: name });
  app.imported = !document.is_text;
  if (document.is_text) {
    app.text = (await ask('text', { file: name })).text;
  } else {
    app.text = await (await bytes('convert', { file: name, to: 'windlass' })).text();
  }
  app.saved = app.text;
  // What stands beside the file comes first: a view that opens shows everything at once.
  const folder = name.includes('/') ? name.slice(0, name.lastIndexOf('/') + 1) : '';
  const near = (kind) => filesOf(kind).find((file) => file.name.startsWith(folder))?.name;
  const [state, plan] = [near('state'), near('plan')];
  await Promise.all([state && useState(state), plan && usePlan(plan)]);
  await refresh();
}

export async function useState(name) {
  app.start = name ? (await ask('text', { file: name })).text : null;
  app.startName = name ?? '';
}

export async function usePlan(name) {
  app.plan = name ? (await ask('text', { file: name })).text : null;
  app.planName = name ?? '';
}

let asked = 0;

// Asks what is wrong with the text, and what it describes. The last question counts.
export async function refresh() {
  const mine = ++asked;
  app.busy = true;
  try {
    const [check, model] = await Promise.all([ask('check', about()), ask('model', about())]);
    if (mine !== asked) return;
    app.findings = check.answer?.findings ?? [];
    app.errors = check.answer?.errors ?? 0;
    app.warnings = check.answer?.warnings ?? 0;
    app.messages = model.messages;
    // While the text is broken, the last picture stays.
    if (model.answer?.types) app.model = model.answer;
    else if (!app.model) app.messages = model.messages || check.messages;
  } catch (error) {
    if (mine === asked) app.failure = error;
  } finally {
    if (mine === asked) app.busy = false;
  }
}

let timer;

export function edit(text) {
  if (text === app.text) return;
  app.text = text;
  clearTimeout(timer);
  timer = setTimeout(refresh, 250);
}

export async function save() {
  const { text } = await ask('save', { file: app.file, was: app.saved, text: app.text });
  app.saved = text;
}
