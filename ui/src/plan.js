// Plans as texts and as values. The text is what is judged; everything here keeps to its form.
import { parse, stringify } from 'yaml';

export function readPlan(text) {
  if (!text) return null;
  let document;
  try { document = parse(text); } catch { return null; }
  const plan = document?.plan ?? document;
  if (!plan?.actions) return null;
  const actions = Array.isArray(plan.actions) ? Object.fromEntries(plan.actions.map((one, index) => [one.label ?? `step ${index + 1}`, one])) : plan.actions;
  return { ...plan, actions, order: plan.order ?? [] };
}

export const writePlan = (plan) => stringify({ plan }, { lineWidth: 0 });

export function words(action) {
  if (!action) return '';
  if (action.do === 'scale_out') return `create ${action.instance}`;
  if (action.do === 'scale_in') return `remove ${action.instance}`;
  return action.operation;
}

// Column of each action: behind everything that comes before it.
export function columns(plan) {
  const labels = Object.keys(plan.actions);
  const column = Object.fromEntries(labels.map((label) => [label, 0]));
  for (let round = 0; round < labels.length; round += 1) {
    let changed = false;
    for (const edge of plan.order) {
      if (column[edge.after] !== undefined && column[edge.before] !== undefined && column[edge.after] <= column[edge.before] && column[edge.before] < labels.length) {
        column[edge.after] = column[edge.before] + 1;
        changed = true;
      }
    }
    if (!changed) break;
  }
  return column;
}

// A sequence of lines of `step` as a plan: an operation is one action, from its start to its end.
export function fromSteps(lines) {
  const actions = {};
  let number = 0;
  const add = (label, action) => { number += 1; actions[`${number} ${label}`] = action; };
  for (const line of lines) {
    const [word, ...rest] = line.split(/\s+/);
    if (word === 'start') add(`${rest[1]} ${rest[0]}`, { do: 'op', instance: rest[0], operation: rest[1] });
    else if (word === 'scale-out') add(`create ${rest[1]}`, { do: 'scale_out', node: rest[0], instance: rest[1], ...(rest[3] ? { container: rest[3] } : {}) });
    else if (word === 'scale-in') add(`remove ${rest[0]}`, { do: 'scale_in', instance: rest[0] });
  }
  const labels = Object.keys(actions);
  return { actions, order: labels.slice(1).map((after, index) => ({ before: labels[index], after })) };
}

// Which node an instance is of: by the state, by the plan, or by its name.
export function nodeOf(id, model, instances, plan) {
  if (instances[id]) return instances[id].node;
  const made = Object.values(plan?.actions ?? {}).find((one) => one.do === 'scale_out' && one.instance === id);
  if (made) return made.node;
  return Object.keys(model?.nodes ?? {}).filter((name) => id === name || id.startsWith(`${name}-`) || (id.startsWith(name) && /^\d+$/.test(id.slice(name.length)))).sort((a, b) => b.length - a.length)[0];
}
