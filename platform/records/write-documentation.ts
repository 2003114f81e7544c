import { readFileSync, writeFileSync } from 'node:fs';
import { eventsDocumentation } from './events-documentation.ts';

const reader = readFileSync(new URL('../../examples/analysis/read_log.py', import.meta.url), 'utf8');
writeFileSync(new URL('../../docs/events.md', import.meta.url), eventsDocumentation(reader));
