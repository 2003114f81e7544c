// Prints package-lock.json with each package's address at the given registry. The lock file has no addresses, so that
// any registry can be used. Without addresses, npm first requests the metadata of each package. npm checks each
// download against the lock's hashes. Plain JavaScript, because the first Node that runs it may be old.
import { readFileSync } from 'node:fs';

const registry = process.argv[2].replace(/(?<!\/)\/+$/, '');
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.link || entry.resolved) continue;
  const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  entry.resolved = `${registry}/${name}/-/${name.slice(name.lastIndexOf('/') + 1)}-${entry.version}.tgz`;
}
process.stdout.write(JSON.stringify(lock));
