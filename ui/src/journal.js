// What a journal says, as bars, places and sentences.
import { nodeOf, readPlan } from './plan.js';
import { instancesOf } from './state.js';
import { typeOfNode } from './model.js';

// Every order from its start to its end.
export function barsOf(entries) {
  const found = new Map();
  for (const { at_ms, event } of entries) {
    if (event.kind === 'intent') found.set(event.order, { id: event.order, label: event.label, instance: event.instance, task: event.task, start: at_ms, end: null, how: null });
    else if (event.kind === 'outcome' && found.has(event.order)) Object.assign(found.get(event.order), { end: at_ms, how: event.end.how, why: event.end.reason });
  }
  return [...found.values()];
}

export const planOf = (entries) => readPlan(entries.findLast((one) => one.event.kind === 'planned')?.event.plan);

const protocol = (model, name) => typeOfNode(model, name)?.protocol;

// Where everything is in a run without faults: what the plan did so far, from where the run began.
export function instancesDuring(model, entries, bars, plan) {
  const began = instancesOf(entries.find((one) => one.event.kind === 'begun')?.event.start);
  const initial = (name) => protocol(model, name)?.initial ?? '';
  const all = Object.fromEntries(Object.entries(began).map(([id, one]) => [id, { ...one }]));
  const actions = plan ? Object.entries(plan.actions) : [];
  for (const bar of bars) {
    const action = (actions.find(([name]) => name === bar.label) ?? actions[bar.task])?.[1];
    if (!action) continue;
    const id = action.instance;
    if (action.do === 'scale_out') { all[id] = { node: action.node, state: initial(action.node) }; continue; }
    if (action.do === 'scale_in') { if (bar.end !== null) delete all[id]; continue; }
    all[id] ??= { node: nodeOf(id, model, began, plan), state: initial(nodeOf(id, model, began, plan)) };
    const from = all[id].state;
    const to = protocol(model, all[id].node)?.transitions?.find((one) => one.from === from && one.operation === action.operation)?.to ?? from;
    all[id].state = bar.end === null ? `${from} -${action.operation}-> ${to}` : bar.how === 'done' ? to : from;
  }
  // Creating takes no order of its own: what exists by now is what orders work on.
  for (const [, action] of actions) {
    if (action.do === 'scale_out' && !all[action.instance] && bars.length) all[action.instance] = { node: action.node, state: initial(action.node) };
  }
  return all;
}

// How far each component of an assembly has come.
export function netInstancesDuring(model, bars) {
  const all = {};
  for (const name of Object.keys(model.nodes ?? {})) {
    const mine = bars.filter((bar) => bar.label.startsWith(`${name}.`) || bar.label.startsWith(`${name} `) || bar.instance === name);
    const open = mine.filter((bar) => bar.end === null).map((bar) => bar.label.split('.').at(-1));
    const total = Object.keys(typeOfNode(model, name)?.net?.transitions ?? {}).length;
    const done = mine.filter((bar) => bar.end !== null).length;
    if (mine.length) all[name] = { node: name, state: open.length ? `-${open.join(', ')}->` : `${done} of ${total} done` };
  }
  return all;
}

// One entry as a sentence.
export function lineOf({ event }, bars) {
  switch (event.kind) {
    case 'begun': return event.world === 'simulated' ? 'run begins in the simulated world' : `run begins (${event.purpose}, world: ${event.world})`;
    case 'planned': return `plan made: ${event.why}`;
    case 'intent': return `start ${event.label}${event.attempt ? `, try ${event.attempt + 1}` : ''}`;
    case 'outcome': { const bar = bars.find((one) => one.id === event.order); return `end ${bar?.label ?? event.order}: ${event.end.how.replace('_', ' ')}${event.end.reason ? `, ${event.end.reason}` : ''}`; }
    case 'gave_up': return `gave up ${event.label}: ${event.reason}`;
    case 'observed': return `the process of ${event.instance} died: ${event.detail}`;
    case 'followed': return event.what;
    case 'ended': return `run ended: ${event.ending.replace('_', ' ')}`;
    default: return event.kind.replace('_', ' ');
  }
}
