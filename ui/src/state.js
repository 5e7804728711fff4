// States as texts, and as what pictures show.
import { parse } from 'yaml';

// Instances of a state file: `{ id: { node, state, in } }`.
export function instancesOf(text) {
  if (!text) return {};
  let document;
  try { document = parse(text); } catch { return {}; }
  const given = document?.state?.instances ?? document?.instances ?? {};
  return Object.fromEntries(Object.entries(given).map(([id, one]) => [id, { node: one.node, state: one.state ?? doing(one), in: one.in }]));
}

function doing(one) {
  const operation = one.operation ?? one.doing ?? one.transition;
  return operation ? `-${typeof operation === 'string' ? operation : operation.operation}->` : '';
}
