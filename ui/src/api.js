// Questions to the server. The token comes in the fragment of the address, which browsers do not
// send, and leaves in a header, which other pages cannot make a browser send.

const KEY = 'windlass-token';

// A view may stand behind the token: `#token=…/plan?file=windlass.yaml`.
export function takeToken() {
  const given = /^#token=([0-9a-f]+)(\/.*)?$/.exec(location.hash);
  if (!given) return false;
  sessionStorage.setItem(KEY, given[1]);
  history.replaceState(null, '', `${location.pathname}#${given[2] ?? '/topology'}`);
  return true;
}

// A link that is opened in another tab comes without the token; tabs of this very address that have it give it.
export async function borrowToken() {
  const channel = new BroadcastChannel('windlass');
  channel.addEventListener('message', ({ data }) => { const token = sessionStorage.getItem(KEY); if (data === 'asked' && token) channel.postMessage({ token }); });
  if (sessionStorage.getItem(KEY)) return;
  const given = new Promise((resolve) => { channel.addEventListener('message', ({ data }) => { if (data.token) resolve(data.token); }); });
  channel.postMessage('asked');
  const token = await Promise.race([given, new Promise((resolve) => { setTimeout(resolve, 400); })]);
  if (token) sessionStorage.setItem(KEY, token);
}

function headers() {
  const token = sessionStorage.getItem(KEY) ?? '';
  return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
}

async function send(path, body, signal) {
  const method = body === undefined ? 'GET' : 'POST';
  let reply;
  try {
    reply = await fetch(`/api/${path}`, {
      method,
      headers: headers(),
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Error('The server does not answer. Is `windlass serve` still running?');
  }
  if (!reply.ok) {
    const said = await reply.json().catch(() => ({}));
    throw Object.assign(new Error(said.error ?? `The server answers ${reply.status}.`), { status: reply.status });
  }
  return reply;
}

export async function ask(path, body, signal) {
  return (await send(path, body, signal)).json();
}

export async function bytes(path, body) {
  return (await send(path, body)).blob();
}

// Server-sent events, by `fetch` because an `EventSource` sends no headers.
export async function events(path, body, signal, each) {
  const reply = await send(path, body, signal);
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const parts = rest.split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const name = /^event: ?(.*)$/m.exec(part)?.[1];
      const data = part.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trimStart());
      if (name && data.length) each(name, JSON.parse(data.join('\n')));
    }
  }
}

export function download(name, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: 'text/plain' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
