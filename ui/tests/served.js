// A server on a copy of an example, so that nothing of the repository changes.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

let copies = 0;

export class Served {
  static async start(program, root, scratch, example, options) {
    copies += 1;
    const folder = path.join(scratch, `${copies}`, path.basename(example));
    const from = path.isAbsolute(example) ? example : path.join(root, 'examples', example);
    fs.cpSync(from, folder, { recursive: true });
    // The ports of the guestbook are for one at a time.
    if (path.basename(example) === 'guestbook') {
      const file = path.join(folder, 'windlass.yaml');
      const base = 20000 + (process.pid % 2000) * 10 + (copies % 3) * 3;
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/1843([123])/g, (_, digit) => String(base + Number(digit))));
    }
    // Pages that are newer than the program, while working on them.
    const pages = process.env.WINDLASS_UI_DIR ? ['--ui-dir', process.env.WINDLASS_UI_DIR] : [];
    const child = spawn(program, ['serve', folder, ...pages, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    const address = await new Promise((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (data) => { text += data; if (text.includes('\n')) resolve(text.trim()); });
      child.on('error', reject);
      child.on('exit', (code) => reject(new Error(`windlass serve ended with ${code}`)));
    });
    return Object.assign(new Served(), { child, folder, address, program, options });
  }

  // Opens a view; the token is in the address only the first time.
  async open(page, view, params = {}) {
    const [origin] = this.address.split('/#');
    await page.goto(this.address);
    await page.waitForSelector('nav a[aria-current]');
    await page.waitForSelector('[data-test=file]');
    const query = new URLSearchParams(params).toString();
    await page.goto(`${origin}/#/${view}${query ? `?${query}` : ''}`);
  }

  read(name) { return fs.readFileSync(path.join(this.folder, name), 'utf8'); }

  // Ends it, and waits until it is gone.
  stopped() { const gone = new Promise((resolve) => { this.child.once('close', resolve); }); this.stop(); return gone; }

  // A case that failed in the middle of a real run leaves nothing behind: Ctrl-C reaches the engine, `down` the rest.
  stop() {
    this.child.removeAllListeners('exit');
    const runs = this.options.includes('--run') && fs.existsSync(path.join(this.folder, '.windlass'));
    this.child.kill(runs ? 'SIGINT' : 'SIGTERM');
    if (runs) spawnSync(this.program, ['down', path.join(this.folder, 'windlass.yaml'), '--yes'], { timeout: 20000, stdio: 'ignore' });
  }
}
