// The entry: takes the token out of the address, then draws.
import { mount } from 'svelte';
import '@xyflow/svelte/dist/style.css';
import './styles.css';
import App from './App.svelte';
import { borrowToken, takeToken } from './api.js';

// What the address says is read again without the token.
if (takeToken()) window.dispatchEvent(new Event('hashchange'));
// The address of a server, put into a page that is open already.
window.addEventListener('hashchange', () => { if (takeToken()) location.reload(); });
await borrowToken();
mount(App, { target: document.getElementById('app') });
