import * as t from 'io-ts';
import { type DeploymentEntries, decodedEntry } from '../event-log/deployment-log.ts';

/** A schema with its id in the records of the log, and its place in the registry. */
export const SavedSchema = t.type({ id: t.number, subject: t.string, version: t.number, schema: t.string });
export type SavedSchema = t.TypeOf<typeof SavedSchema>;

/** A blob with the same schemas, so that a backup of either has them. */
export const SAVED_SCHEMAS = 'deployment/schemas.json';

const KEY = 'schema ';

/** Entry of the topic `deployment`, under a key for each id. */
export const schemaEntry = ({ id, subject, version, schema }: SavedSchema): readonly [string, string] => [
  `${KEY}${id}`,
  JSON.stringify({ id, subject, version, schema }),
];

/** In order of their ids. */
export const savedSchemasIn = (entries: DeploymentEntries): readonly SavedSchema[] =>
  [...entries]
    .flatMap(([key, text]) => (key.startsWith(KEY) ? (decodedEntry(SavedSchema, text) ?? []) : []))
    .toSorted((a, b) => a.id - b.id);
