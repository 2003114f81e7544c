// Exit code 0 if node_modules has exactly the packages of package-lock.json. Plain JavaScript, because the first Node
// that runs it may be old.
import { readFileSync } from 'node:fs';

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
const wanted = packagesOf('package-lock.json');
const installed = packagesOf('node_modules/.package-lock.json');

const missing = Object.entries(wanted).filter(
  ([path, entry]) => path !== '' && !entry.optional && installed[path]?.version !== entry.version,
);
process.exitCode = missing.length === 0 ? 0 : 1;
