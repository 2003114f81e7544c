import { createRequire } from 'node:module';
import { addJournal } from './azurite-journal.ts';
import { lookUpByName, memoizeParse } from './azurite-lookups.ts';

// Runs the installed Azurite, which reads its own arguments, with a journaled index that is searched by name.
const ofAzurite = createRequire(createRequire(import.meta.url).resolve('azurite/package.json'));
const Loki = ofAzurite('lokijs');
addJournal(Loki.prototype);
lookUpByName(Loki.Collection.prototype);
const templates = 'uri-templates';
const parseTemplate = ofAzurite(templates);
const loaded = ofAzurite.cache[ofAzurite.resolve(templates)];
if (loaded !== undefined) loaded.exports = memoizeParse(parseTemplate);
ofAzurite('./dist/src/blob/main.js');
