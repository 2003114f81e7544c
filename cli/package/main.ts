import { join } from 'node:path';
import { writePackage } from './write-package.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '..', '..', 'out', 'renderctl');
const { file, size_bytes } = await writePackage(folder);
process.stdout.write(`${file}: ${Math.ceil(size_bytes / 1_000)} kB; install it with: npm install --global ${file}\n`);
