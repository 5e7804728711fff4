// The application, as pictures need it: names in, boxes and arrows out. No question is answered
// here; what is right and what is possible is asked of the server.

export function requirements(type) {
  const all = type?.requirements ?? {};
  return Object.entries(all).map(([name, sort]) => ({ name, sort: typeof sort === 'string' ? sort : (sort?.sort ?? 'replica_unaware') }));
}

export const capabilities = (type) => {
  const all = type?.capabilities ?? [];
  return Array.isArray(all) ? all : Object.keys(all);
};

const ports = (type, kinds) => Object.entries(type?.net?.ports ?? {}).filter(([, port]) => kinds.includes(port.kind)).map(([name]) => name);

export function needs(type) {
  return [...requirements(type).map((one) => one.name), ...ports(type, ['use', 'data_use'])];
}

export function offers(type) {
  return [...capabilities(type), ...ports(type, ['provide', 'data_provide'])];
}

// A binding is written `NODE.CAPABILITY`; names may hold dots, so the longest node name counts.
function split(target, nodes) {
  const text = typeof target === 'string' ? target : `${target?.node}.${target?.capability ?? target?.port}`;
  const node = Object.keys(nodes).filter((name) => text === name || text.startsWith(`${name}.`)).sort((a, b) => b.length - a.length)[0];
  return node ? { node, capability: text.slice(node.length + 1) } : null;
}

// Nodes with the node that contains them, and edges for every other binding.
export function topology(model) {
  const nodes = model?.nodes ?? {};
  const boxes = [];
  const edges = [];
  for (const [name, node] of Object.entries(nodes)) {
    const type = model.types?.[node.type];
    const home = requirements(type).find((one) => one.sort === 'containment')?.name;
    let parent = null;
    for (const [requirement, targets] of Object.entries(node.bind ?? {})) {
      for (const target of [targets].flat()) {
        const to = split(target, nodes);
        if (!to) continue;
        if (requirement === home) parent = to.node;
        else edges.push({ id: `${name}.${requirement}-${to.node}.${to.capability}`, from: name, requirement, to: to.node, capability: to.capability });
      }
    }
    boxes.push({ name, type: node.type, parent, count: node.count ?? (Array.isArray(node.instances) ? node.instances.length : (node.instances ? Object.keys(node.instances).length : 1)), needs: needs(type).filter((one) => one !== home), offers: offers(type) });
  }
  // A node cannot be drawn inside itself.
  for (const box of boxes) {
    const seen = new Set([box.name]);
    for (let at = box; at?.parent; at = boxes.find((one) => one.name === at.parent)) {
      if (seen.has(at.parent)) { box.parent = null; break; }
      seen.add(at.parent);
    }
  }
  return { boxes, edges };
}

export const typeOfNode = (model, name) => model?.types?.[model?.nodes?.[name]?.type];

// The state in which a type counts as up: where its way up leads.
export function upState(type) {
  const protocol = type?.protocol;
  if (!protocol) return null;
  let at = protocol.initial;
  for (const operation of protocol.up ?? []) {
    at = (protocol.transitions ?? []).find((one) => one.from === at && one.operation === operation)?.to ?? at;
  }
  return protocol.up?.length ? at : null;
}

// How a state is coloured: idle, busy, up, or between.
export function mood(type, state) {
  if (!state) return 'idle';
  if (/failed|damaged|broken|error/.test(state)) return 'bad';
  if (state.includes('->') || state.endsWith('...')) return 'busy';
  if (type?.net) return netMood(type.net, state);
  if (state === upState(type)) return 'up';
  if (state === type?.protocol?.initial) return 'idle';
  return 'between';
}

// A component is up where no transition leads on, and idle where it began.
function netMood(net, state) {
  const done = /^(\d+) of (\d+) done$/.exec(state);
  if (done) return done[1] === done[2] ? 'up' : 'between';
  const places = state.split(', ');
  const onward = (place) => Object.values(net.transitions ?? {}).some((one) => (one.from?.place ?? one.from) === place);
  if (places.every((place) => [net.initial].flat().includes(place))) return 'idle';
  return places.every((place) => !onward(place) && !/^(before|after) /.test(place)) ? 'up' : 'between';
}

export function statesOf(model, node) {
  const type = model?.types?.[model.nodes?.[node]?.type];
  return Object.keys(type?.protocol?.states ?? {});
}

// Which lines of the text speak of a name below one of these keys.
function blocks(text, sections) {
  const found = {};
  let section = null;
  let open = null;
  (text ?? '').split('\n').forEach((line, index) => {
    const top = /^([^\s#:][^:]*):/.exec(line);
    if (top) { section = sections.includes(top[1]) ? top[1] : null; open = null; return; }
    const key = section && /^ {1,4}(?:"([^"]+)"|([^\s#'"-][^:]*)):/.exec(line);
    const depth = /^ */.exec(line)[0].length;
    if (key && (!open || depth <= open.depth)) open = { name: key[1] ?? key[2], depth };
    if (open) (found[open.name] ??= []).push(index + 1);
  });
  return found;
}

// Findings by node: those at its own lines and at those of its type.
export function findingsByNode(model, text, findings) {
  const nodes = blocks(text, ['nodes', 'services']);
  const types = blocks(text, ['types']);
  const all = {};
  for (const [name, node] of Object.entries(model?.nodes ?? {})) {
    const lines = new Set([...(nodes[name] ?? []), ...(types[node.type] ?? [])]);
    all[name] = findings.filter((one) => lines.has(one.line) || one.message.includes(`\`${name}\``));
  }
  return all;
}
