// `npm run lock`: writes the lock file again and takes every address out of it. Run it in a folder without
// `node_modules`: npm would leave out the packages of other systems, and `npm ci` would refuse the file there.
import fs from 'node:fs';

const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
for (const one of Object.values(lock.packages)) {
  delete one.funding;
  delete one.resolved;
}
fs.writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
