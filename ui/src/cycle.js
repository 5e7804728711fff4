// A life cycle as a picture needs it.
import { upState } from './model.js';

const list = (value) => (value === undefined || value === null ? [] : [value].flat());
const notes = (one) => [list(one?.requires).length && `needs ${list(one.requires).join(', ')}`, list(one?.offers).length && `offers ${list(one.offers).join(', ')}`].filter(Boolean);

export function cycleOf(type) {
  if (type?.protocol) return ofProtocol(type);
  if (type?.net) return ofNet(type.net);
  return null;
}

function ofProtocol(type) {
  const { protocol } = type;
  const up = upState(type);
  const states = Object.entries(protocol.states ?? {});
  return {
    word: 'state',
    places: states.map(([name, state]) => ({ name, initial: name === protocol.initial, up: name === up, notes: notes(state) })),
    ways: (protocol.transitions ?? []).map((one, index) => ({ id: `#${index}`, name: one.operation, from: one.from, to: one.to, notes: notes(one) })),
    faults: states.flatMap(([name, state]) => list(state?.on_fault).map((to) => ({ id: `fault ${name} ${to}`, from: name, to }))),
  };
}

// A dock may be named beside the place.
const placeOf = (end) => (typeof end === 'object' && end ? end.place : end);

function ofNet(net) {
  const places = Array.isArray(net.places) ? net.places : Object.keys(net.places ?? {});
  const transitions = Object.entries(net.transitions ?? {});
  const ports = Object.entries(net.ports ?? {});
  const groups = net.groups ?? {};
  const provided = (place) => ports.filter(([, port]) => list(port.places).includes(place) || list(port.groups).some((group) => list(groups[group]?.places ?? groups[group]).includes(place))).map(([name]) => name);
  const used = (name) => ports.filter(([, port]) => list(port.transitions).includes(name)).map(([port]) => port);
  return {
    word: 'place',
    places: places.map((name) => ({ name, initial: list(net.initial).includes(name), notes: provided(name).length ? [`provides ${provided(name).join(', ')}`] : [] })),
    ways: transitions.map(([name, one]) => ({ id: `#${name}`, name, from: placeOf(one.from), to: placeOf(one.to), notes: used(name).length ? [`uses ${used(name).join(', ')}`] : [] })),
    faults: [],
  };
}
