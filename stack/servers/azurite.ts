import { createRequire } from 'node:module';
import { addJournal } from './azurite-journal.ts';
import { overwriteFormerKeys, runLater } from './azurite-key-bytes.ts';
import { lookUpByName, memoizeParse } from './azurite-lookups.ts';

// Runs the installed Azurite, which reads its own arguments, with a journaled index that is searched by name. It keeps no
// bytes of former key trees.
const ofAzurite = createRequire(createRequire(import.meta.url).resolve('azurite/package.json'));
const Loki = ofAzurite('lokijs');
addJournal(Loki.prototype);
lookUpByName(Loki.Collection.prototype);
const templates = 'uri-templates';
const parseTemplate = ofAzurite(templates);
const loaded = ofAzurite.cache[ofAzurite.resolve(templates)];
if (loaded !== undefined) loaded.exports = memoizeParse(parseTemplate);
overwriteFormerKeys(ofAzurite('./dist/src/blob/persistence/LokiBlobMetadataStore.js').default.prototype, runLater());
ofAzurite('./dist/src/blob/main.js');
