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
  'elk.layered.spacing.nodeNodeBetweenLayers': '70',
  'elk.spacing.nodeNode': '28',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
};

// Nodes with `id`, `width`, `height`, perhaps `parent`, and `first` for one that comes before all others; edges with
// `id`, `from`, `to`. Gives `{ id: { x, y, width, height } }`, relative to the parent.
export async function layout(nodes, edges, options = {}) {
  const made = new Map(nodes.map((node) => [node.id, { id: node.id, width: node.width, height: node.height, children: [], node }]));
  const roots = [];
  for (const one of made.values()) {
    const parent = made.get(one.node.parent);
    (parent ? parent.children : roots).push(one);
  }
  for (const one of made.values()) {
    if (one.children.length) {
      one.layoutOptions = { 'elk.padding': `[top=${one.node.height + 12},left=16,bottom=16,right=16]`, 'elk.nodeSize.constraints': 'MINIMUM_SIZE', 'elk.nodeSize.minimum': `(${one.node.width},${one.node.height})` };
    }
    if (one.node.first) one.layoutOptions = { ...one.layoutOptions, 'elk.layered.layering.layerConstraint': 'FIRST' };
    delete one.node;
  }
  const inside = (id) => made.has(id);
  const links = edges.filter((edge) => inside(edge.from) && inside(edge.to)).map((edge) => ({ id: edge.id, sources: [edge.from], targets: [edge.to], labels: edge.label ? [{ text: edge.label, width: edge.wide ?? edge.label.length * 7, height: 16 }] : [] }));
  const graph = await (await engine()).layout({ id: 'root', layoutOptions: { ...OPTIONS, ...options }, children: roots, edges: links });
  const places = {};
  const walk = (node) => {
    places[node.id] = { x: node.x, y: node.y, width: node.width, height: node.height };
    node.children?.forEach(walk);
  };
  graph.children.forEach(walk);
  return places;
}
