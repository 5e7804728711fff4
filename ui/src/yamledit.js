// Changes of a life cycle as changes of the text: comments and everything else stay.
import { isMap, isSeq, LineCounter, parseDocument } from 'yaml';

const OUT = { lineWidth: 0, flowCollectionPadding: true };

function changed(text, change) {
  const document = parseDocument(text);
  if (document.errors.length) throw new Error('The text has to be right before the picture can change it.');
  const before = document.toString(OUT);
  change(document);
  return keepLines(text, before, document.toString(OUT));
}

// Writing a document again changes its spacing. Lines that the change left alone stay as they were
// in the text: `before` is the text written again, line by line the same.
function keepLines(text, before, after) {
  const [old, plain, fresh] = [text, before, after].map((one) => one.split('\n'));
  if (old.length !== plain.length) return after;
  const kept = common(plain, fresh);
  return fresh.map((line, index) => (kept.has(index) ? old[kept.get(index)] : line.replace(/\[ ([^[\]]*) \]/g, '[$1]').replace('{ }', '{}'))).join('\n');
}

// Which lines of `b` are lines of `a`, in order: a longest common subsequence between the first
// and the last difference.
function common(a, b) {
  const found = new Map();
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) { found.set(start, start); start += 1; }
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) { end += 1; found.set(b.length - end, a.length - end); }
  const [rows, columns] = [a.length - end - start, b.length - end - start];
  if (rows * columns > 4e6) return found;
  const length = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  for (let i = rows - 1; i >= 0; i -= 1) for (let j = columns - 1; j >= 0; j -= 1) length[i][j] = a[start + i] === b[start + j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (a[start + i] === b[start + j]) { found.set(start + j, start + i); i += 1; j += 1; } else if (length[i + 1][j] >= length[i][j + 1]) i += 1; else j += 1;
  }
  return found;
}

// The line at which something is said, or the nearest thing around it that is said; none while the text is broken.
export function lineOf(text, path) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length) return null;
  let [at, found] = [document.contents, null];
  for (const step of path) {
    const pair = isMap(at) ? at.items.find((one) => (one.key?.value ?? one.key) === step) : null;
    const item = pair ? pair.key : isSeq(at) ? (at.items[step] ?? at.items.find((one) => one?.value === step)) : null;
    if (!item?.range) break;
    found = item.range[0];
    at = pair ? pair.value : item;
  }
  return found === null ? null : lines.linePos(found).line;
}

const flow = (document, value) => { const node = document.createNode(value); node.flow = true; return node; };

function at(document, type, kind) {
  const path = ['types', type, kind];
  if (!isMap(document.getIn(path))) throw new Error(`The type ${type} has no ${kind} in this file.`);
  return path;
}

function each(sequence, visit) {
  if (isSeq(sequence)) sequence.items.forEach(visit);
  else if (isMap(sequence)) sequence.items.forEach((pair) => visit(pair.value));
}

function renameKey(map, from, to) {
  const pair = map?.items?.find((one) => (one.key?.value ?? one.key) === from);
  if (pair) { if (pair.key?.value !== undefined) pair.key.value = to; else pair.key = to; }
}

function renameIn(node, from, to) {
  if (isSeq(node)) node.items.forEach((item) => { if (item?.value === from) item.value = to; });
  else if (node?.value === from) node.value = to;
}

export function addState(text, type, name) {
  return changed(text, (document) => {
    const path = at(document, type, 'protocol');
    if (document.hasIn([...path, 'states', name])) throw new Error(`There is a state ${name} already.`);
    if (!isMap(document.getIn([...path, 'states']))) document.setIn([...path, 'states'], document.createNode({}));
    document.getIn([...path, 'states']).flow = false;
    document.setIn([...path, 'states', name], flow(document, {}));
  });
}

export function renameState(text, type, from, to) {
  return changed(text, (document) => {
    const path = at(document, type, 'protocol');
    if (document.hasIn([...path, 'states', to])) throw new Error(`There is a state ${to} already.`);
    const protocol = document.getIn(path);
    renameKey(protocol.get('states'), from, to);
    renameIn(protocol.get('initial', true), from, to);
    const places = [...(protocol.get('states')?.items ?? []).map((pair) => pair.value)];
    each(protocol.get('transitions'), (one) => places.push(one));
    for (const place of places) {
      if (!isMap(place)) continue;
      for (const key of ['from', 'to', 'on_fault', 'on_crash']) renameIn(place.get(key, true), from, to);
    }
  });
}

export function removeState(text, type, name) {
  return changed(text, (document) => {
    const path = at(document, type, 'protocol');
    document.deleteIn([...path, 'states', name]);
    const transitions = document.getIn([...path, 'transitions']);
    if (isSeq(transitions)) transitions.items = transitions.items.filter((one) => one.get('from') !== name && one.get('to') !== name);
  });
}

export function addTransition(text, type, { from, operation, to }) {
  return changed(text, (document) => {
    const path = at(document, type, 'protocol');
    if (!isSeq(document.getIn([...path, 'transitions']))) document.setIn([...path, 'transitions'], document.createNode([]));
    const transitions = document.getIn([...path, 'transitions']);
    transitions.flow = false;
    transitions.add(flow(document, { from, operation, to }));
    const operations = document.getIn(['types', type, 'operations']);
    if (isMap(operations) && !operations.has(operation)) operations.set(operation, flow(document, {}));
  });
}

export function removeTransition(text, type, index) {
  return changed(text, (document) => document.deleteIn([...at(document, type, 'protocol'), 'transitions', index]));
}

// Sets `requires`, `offers` or `on_fault` of a state (by name) or of a transition (by number).
export function setRole(text, type, element, role, names) {
  return changed(text, (document) => {
    const path = [...at(document, type, 'protocol'), typeof element === 'number' ? 'transitions' : 'states', element];
    if (!isMap(document.getIn(path))) document.setIn(path, flow(document, {}));
    if (names.length) document.setIn([...path, role], flow(document, names));
    else document.deleteIn([...path, role]);
  });
}

// Renames an operation wherever the type speaks of it.
export function renameOperation(text, type, from, to) {
  return changed(text, (document) => {
    const protocol = document.getIn(at(document, type, 'protocol'));
    each(protocol.get('transitions'), (one) => { if (isMap(one)) renameIn(one.get('operation', true), from, to); });
    for (const key of ['up', 'down']) renameIn(protocol.get(key), from, to);
    const operations = document.getIn(['types', type, 'operations']);
    if (isMap(operations)) { if (operations.has(to)) operations.delete(from); else renameKey(operations, from, to); }
  });
}

// A new requirement or capability of a type.
export function addRole(text, type, kind, name) {
  return changed(text, (document) => {
    const path = ['types', type, kind];
    const known = document.getIn(path);
    if (isMap(known) ? known.has(name) : isSeq(known) && known.items.some((one) => (one?.value ?? one) === name)) throw new Error(`There is a ${kind === 'capabilities' ? 'capability' : 'requirement'} ${name} already.`);
    if (isMap(known)) known.set(name, kind === 'capabilities' ? flow(document, {}) : 'replica_unaware');
    else if (isSeq(known)) known.add(name);
    else document.setIn(path, flow(document, kind === 'capabilities' ? [name] : { [name]: 'replica_unaware' }));
  });
}

// Removes it, and what states and transitions say about it.
export function removeRole(text, type, kind, name) {
  return changed(text, (document) => {
    const known = document.getIn(['types', type, kind]);
    if (isMap(known)) known.delete(name); else without(known, name);
    const protocol = document.getIn(['types', type, 'protocol']);
    const key = kind === 'capabilities' ? 'offers' : 'requires';
    const clean = (one) => { if (isMap(one)) without(one.get(key), name); };
    each(protocol?.get?.('states'), clean);
    each(protocol?.get?.('transitions'), clean);
  });
}

// The same application with instances that come and go, which is what runs.
export const asReplicas = (text) => changed(text, (document) => document.set('faults', 'replicas'));

export function setInitial(text, type, name) {
  return changed(text, (document) => document.setIn([...at(document, type, 'protocol'), 'initial'], name));
}

export function addPlace(text, type, name) {
  return changed(text, (document) => {
    const path = at(document, type, 'net');
    const places = document.getIn([...path, 'places']);
    if (isSeq(places)) places.add(name);
    else document.setIn([...path, 'places', name], flow(document, {}));
  });
}

export function renamePlace(text, type, from, to) {
  return changed(text, (document) => {
    const net = document.getIn(at(document, type, 'net'));
    const places = net.get('places');
    if (isSeq(places)) renameIn(places, from, to); else renameKey(places, from, to);
    renameIn(net.get('initial', true), from, to);
    each(net.get('transitions'), (one) => { for (const key of ['from', 'to']) { const end = one.get(key, true); renameIn(isMap(end) ? end.get('place', true) : end, from, to); } });
    each(net.get('groups'), (one) => renameIn(one, from, to));
    each(net.get('ports'), (one) => renameIn(one.get?.('places'), from, to));
  });
}

export function removePlace(text, type, name) {
  return changed(text, (document) => {
    const path = at(document, type, 'net');
    const places = document.getIn([...path, 'places']);
    if (isSeq(places)) places.items = places.items.filter((one) => one.value !== name); else document.deleteIn([...path, 'places', name]);
    const transitions = document.getIn([...path, 'transitions']);
    if (isMap(transitions)) transitions.items = transitions.items.filter((pair) => ends(pair.value).every((end) => end !== name));
    const net = document.getIn(path);
    each(net.get('groups'), (one) => without(one, name));
    each(net.get('ports'), (one) => without(one.get?.('places'), name));
    without(net.get('initial'), name);
  });
}

// The places that a transition of a net leads from and to; a dock may be named beside them.
const ends = (transition) => ['from', 'to'].map((key) => { const end = transition.get(key); return isMap(end) ? end.get('place') : end; });
const without = (sequence, name) => { if (isSeq(sequence)) sequence.items = sequence.items.filter((one) => (one?.value ?? one) !== name); };

export function addNetTransition(text, type, { from, operation, to }) {
  return changed(text, (document) => document.setIn([...at(document, type, 'net'), 'transitions', operation], flow(document, { from, to })));
}

export function removeNetTransition(text, type, name) {
  return changed(text, (document) => {
    document.deleteIn([...at(document, type, 'net'), 'transitions', name]);
    each(document.getIn(['types', type, 'net', 'ports']), (one) => without(one.get?.('transitions'), name));
  });
}

export function renameNetTransition(text, type, from, to) {
  return changed(text, (document) => {
    const net = document.getIn(at(document, type, 'net'));
    if (net.get('transitions').has(to)) throw new Error(`There is a transition ${to} already.`);
    renameKey(net.get('transitions'), from, to);
    each(net.get('ports'), (one) => renameIn(one.get?.('transitions'), from, to));
  });
}

// Whether a place holds a token in the beginning.
export function setStart(text, type, place, isOn) {
  return changed(text, (document) => {
    const path = [...at(document, type, 'net'), 'initial'];
    const names = [document.getIn(path)?.toJSON?.() ?? document.getIn(path) ?? []].flat().filter((one) => one !== place);
    document.setIn(path, flow(document, isOn ? [...names, place] : names));
  });
}

// A group is a list of places.
export function setGroup(text, type, group, places) {
  return changed(text, (document) => {
    const path = [...at(document, type, 'net'), 'groups'];
    if (!isMap(document.getIn(path))) document.setIn(path, document.createNode({}));
    document.getIn(path).flow = false;
    document.setIn([...path, group], flow(document, places));
  });
}

export function removeGroup(text, type, group) {
  return changed(text, (document) => {
    document.deleteIn([...at(document, type, 'net'), 'groups', group]);
    each(document.getIn(['types', type, 'net', 'ports']), (one) => without(one.get?.('groups'), group));
  });
}

export function addPort(text, type, name, kind) {
  return changed(text, (document) => {
    const path = [...at(document, type, 'net'), 'ports'];
    if (document.hasIn([...path, name])) throw new Error(`There is a port ${name} already.`);
    if (!isMap(document.getIn(path))) document.setIn(path, document.createNode({}));
    document.getIn(path).flow = false;
    document.setIn([...path, name], flow(document, { kind }));
  });
}

// Renames a port, here and where nodes of this type bind it or others bind to it.
export function renamePort(text, type, from, to) {
  return changed(text, (document) => {
    const ports = document.getIn([...at(document, type, 'net'), 'ports']);
    if (ports.has(to)) throw new Error(`There is a port ${to} already.`);
    renameKey(ports, from, to);
    const nodes = document.get('nodes');
    if (!isMap(nodes)) return;
    const mine = nodes.items.filter((pair) => pair.value.get?.('type') === type).map((pair) => pair.key?.value ?? pair.key);
    for (const { key, value } of nodes.items) {
      const bind = value.get?.('bind');
      if (!isMap(bind)) continue;
      if (mine.includes(key?.value ?? key)) renameKey(bind, from, to);
      for (const pair of bind.items) for (const name of mine) renameIn(pair.value, `${name}.${from}`, `${name}.${to}`);
    }
  });
}

export function removePort(text, type, name) {
  return changed(text, (document) => document.deleteIn([...at(document, type, 'net'), 'ports', name]));
}

// Sets `kind`, or the list of `groups`, `transitions` or `places` of a port.
export function setPort(text, type, name, key, value) {
  return changed(text, (document) => {
    const path = [...at(document, type, 'net'), 'ports', name, key];
    if (Array.isArray(value) && !value.length) document.deleteIn(path);
    else document.setIn(path, Array.isArray(value) ? flow(document, value) : value);
  });
}
