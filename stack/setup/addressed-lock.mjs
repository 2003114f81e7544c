// Prints package-lock.json with the address of each package below the registry given. The lock file names none, so that
// any registry serves; without them npm first asks the registry for the description of each package, of all its versions.
// What is fetched is compared with the lock's hashes in any case. Plain JavaScript: the first Node may be an old one.
import { readFileSync } from 'node:fs';

const registry = process.argv[2].replace(/(?<!\/)\/+$/, '');
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.link || entry.resolved) continue;
  const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  entry.resolved = `${registry}/${name}/-/${name.slice(name.lastIndexOf('/') + 1)}-${entry.version}.tgz`;
}
process.stdout.write(JSON.stringify(lock));
