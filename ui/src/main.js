// The entry: takes the token out of the address, then draws.
import { mount } from 'svelte';
import '@xyflow/svelte/dist/style.css';
import './styles.css';
import App from './App.svelte';
import { takeToken } from './api.js';

takeToken();
// The address of a server, put into a page that is open already.
window.addEventListener('hashchange', () => { if (takeToken()) location.reload(); });
mount(App, { target: document.getElementById('app') });
