import { writeFileSync } from 'node:fs';
import { documentation } from './documentation.ts';
import { PARTS } from './parts.ts';

writeFileSync(new URL('../../docs/configuration.md', import.meta.url), documentation(PARTS));
