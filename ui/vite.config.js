// Builds the pages into `dist`, which the program embeds. The worker of the layout and the editor
// are chunks of their own, loaded when a view needs them. Larger files are there compressed only.
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

let folder;
const compressed = {
  name: 'compressed',
  configResolved(config) { folder = path.resolve(config.root, config.build.outDir); },
  closeBundle() {
    for (const file of fs.readdirSync(folder, { recursive: true })) {
      if (!/\.(js|css|html|svg)$/.test(file)) continue;
      const bytes = fs.readFileSync(path.join(folder, file));
      if (bytes.length <= 1000) continue;
      fs.writeFileSync(path.join(folder, `${file}.gz`), gzipSync(bytes, { level: 9 }));
      fs.rmSync(path.join(folder, file));
    }
  },
};

export default defineConfig({
  plugins: [svelte(), compressed],
  base: './',
  build: { target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0, chunkSizeWarningLimit: 2000 },
  worker: { format: 'es' },
});
