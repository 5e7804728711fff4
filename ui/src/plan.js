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

// Changes of a plan. The order is a set of pairs; what the change does not concern stays.
const has = (order, before, after) => order.some((edge) => edge.before === before && edge.after === after);
const link = (order, before, after) => (!before || !after || has(order, before, after) ? order : [...order, { before, after }]);

// `before` comes before `after`; the other way round is taken back.
export const connect = (plan, before, after) => ({ ...plan, order: link(plan.order.filter((edge) => !(edge.before === after && edge.after === before)), before, after) });

// An action changes its place among the others of its lane.
export function moveTo(plan, label, { before, after }) {
  const lane = new Set([...before, ...after]);
  const mine = (edge) => (edge.before === label && lane.has(edge.after)) || (edge.after === label && lane.has(edge.before));
  const [was, will] = [plan.order.filter((edge) => edge.after === label && mine(edge)).map((edge) => edge.before), plan.order.filter((edge) => edge.before === label && mine(edge)).map((edge) => edge.after)];
  let order = plan.order.filter((edge) => !mine(edge));
  for (const first of was) for (const last of will) order = link(order, first, last);
  order = link(link(order, before.at(-1), label), label, after[0]);
  return { ...plan, order };
}

// A new action at a place of its lane, with a label of its own.
export function addAction(plan, action, { before, after }) {
  const base = action.do === 'scale_out' ? `create ${action.instance}` : action.do === 'scale_in' ? `remove ${action.instance}` : `${action.operation} ${action.instance}`;
  let label = base;
  for (let number = 2; plan.actions[label]; number += 1) label = `${base} ${number}`;
  const actions = { ...plan.actions, [label]: action };
  return { ...plan, actions, order: link(link(plan.order, before.at(-1), label), label, after[0]) };
}

// Without an action; what came before it still comes before what came after it.
export function dropAction(plan, label) {
  const { [label]: gone, ...actions } = plan.actions;
  const [was, will] = [plan.order.filter((edge) => edge.after === label), plan.order.filter((edge) => edge.before === label)];
  let order = plan.order.filter((edge) => edge.before !== label && edge.after !== label);
  for (const first of was) for (const last of will) order = link(order, first.before, last.after);
  return gone ? { ...plan, actions, order } : plan;
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
