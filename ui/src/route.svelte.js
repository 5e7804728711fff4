// Views are in the fragment: `#/plan?file=windlass.yaml` opens the plan of that file.

export const VIEWS = [
  { id: 'topology', name: 'Topology' },
  { id: 'lifecycle', name: 'Life cycles' },
  { id: 'simulator', name: 'Simulator' },
  { id: 'plan', name: 'Plan' },
  { id: 'run', name: 'Run' },
  { id: 'proof', name: 'Proof' },
];

function read() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const view = VIEWS.some((view) => view.id === path) ? path : 'topology';
  return { view, params: Object.fromEntries(new URLSearchParams(query)) };
}

export const route = $state(read());

window.addEventListener('hashchange', () => Object.assign(route, read()));

export function link(view, params = route.params) {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value)).toString();
  return `#/${view}${query ? `?${query}` : ''}`;
}

export function go(view, params = route.params) {
  const hash = link(view, params);
  if (location.hash !== hash) history.replaceState(null, '', hash);
  Object.assign(route, read());
}
