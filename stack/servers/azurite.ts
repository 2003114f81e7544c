import { createRequire } from 'node:module';
import { journal } from './azurite-journal.ts';

// Azurite as it is, but for the journal of its index; it reads its own arguments.
const ofAzurite = createRequire(createRequire(import.meta.url).resolve('azurite/package.json'));
journal(ofAzurite('lokijs').prototype);
ofAzurite('./dist/src/blob/main.js');
