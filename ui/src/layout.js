// Positions by elk, in a worker that is loaded with the first picture.

let elk;

async function engine() {
  if (!elk) {
    const [{ default: Elk }, { default: Worker }] = await Promise.all([
      import('elkjs/lib/elk-api.js'),
      import('elkjs/lib/elk-worker.min.js?worker'),
    ]);
    elk = new Elk({ workerFactory: () => new Worker() });
  }
  return elk;
}

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'json.edgeCoords': 'ROOT',
  'elk.layered.spacing.nodeNodeBetweenLayers': '70',
  'elk.spacing.nodeNode': '28',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
};

// Nodes with `id`, `width`, `height`, perhaps `parent`, `ports` (`id`, `y`, `side`) and `first` for one that comes before
// all others; edges with
// `id`, `from`, `to` (a node or a port), perhaps `label` and how `wide` and `high` that is. Gives `places`, `{ id: { x, y, width, height } }`
// relative to the parent, and `routes`, `{ id: { points, label } }`, for the edges.
export async function layout(nodes, edges, options = {}) {
  const made = new Map(nodes.map((node) => [node.id, { id: node.id, width: node.width, height: node.height, children: [], node }]));
  const roots = [];
  const ends = new Set();
  for (const one of made.values()) {
    const parent = made.get(one.node.parent);
    (parent ? parent.children : roots).push(one);
  }
  for (const one of made.values()) {
    if (one.children.length) {
      one.layoutOptions = { 'elk.padding': `[top=${one.node.height + 12},left=16,bottom=16,right=16]`, 'elk.nodeSize.constraints': 'MINIMUM_SIZE', 'elk.nodeSize.minimum': `(${one.node.width},${one.node.height})` };
    }
    if (one.node.first) one.layoutOptions = { ...one.layoutOptions, 'elk.layered.layering.layerConstraint': 'FIRST' };
    if (one.node.ports?.length) {
      one.ports = one.node.ports.map(({ id, y, side }) => ({ id, x: side === 'EAST' ? one.node.width : 0, y, width: 0, height: 0, layoutOptions: { 'elk.port.side': side } }));
      one.layoutOptions = { ...one.layoutOptions, 'elk.portConstraints': 'FIXED_POS' };
      one.ports.forEach((port) => ends.add(port.id));
    }
    delete one.node;
  }
  const inside = (id) => made.has(id) || ends.has(id);
  const links = edges.filter((edge) => inside(edge.from) && inside(edge.to)).map((edge) => ({ id: edge.id, sources: [edge.from], targets: [edge.to], labels: edge.label ? [{ text: edge.label, width: edge.wide ?? edge.label.length * 7, height: edge.high ?? 16 }] : [] }));
  const graph = await (await engine()).layout({ id: 'root', layoutOptions: { ...OPTIONS, ...options }, children: roots, edges: links });
  const places = {};
  const walk = (node) => {
    places[node.id] = { x: node.x, y: node.y, width: node.width, height: node.height };
    node.children?.forEach(walk);
  };
  graph.children.forEach(walk);
  const routes = {};
  for (const edge of graph.edges ?? []) {
    const [section, label] = [edge.sections?.[0], edge.labels?.[0]];
    if (section) routes[edge.id] = { points: [section.startPoint, ...(section.bendPoints ?? []), section.endPoint], label: label ? { x: label.x + label.width / 2, y: label.y + label.height / 2 } : null };
  }
  return { places, routes };
}

// A line through points, its corners rounded.
export function rounded(points, radius = 8) {
  const toward = (from, to) => { const [dx, dy] = [to.x - from.x, to.y - from.y]; const part = Math.min(radius, Math.hypot(dx, dy) / 2) / (Math.hypot(dx, dy) || 1); return `${from.x + dx * part},${from.y + dy * part}`; };
  return points.map((point, at) => {
    if (at === 0) return `M${point.x},${point.y}`;
    if (at === points.length - 1) return `L${point.x},${point.y}`;
    return `L${toward(point, points[at - 1])} Q${point.x},${point.y} ${toward(point, points[at + 1])}`;
  }).join(' ');
}
