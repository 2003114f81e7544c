import * as t from 'io-ts';
import { type DeploymentEntries, decodedEntry } from '../event-log/deployment-log.ts';

export const SavedSchema = t.type({ id: t.number, subject: t.string, version: t.number, schema: t.string });
export type SavedSchema = t.TypeOf<typeof SavedSchema>;

/** A blob with the same schemas, so that a backup of either the log or the blobs has them. */
export const SAVED_SCHEMAS = 'deployment/schemas.json';

const KEY = 'schema ';

export const schemaEntry = ({ id, subject, version, schema }: SavedSchema): readonly [string, string] => [
  `${KEY}${id}`,
  JSON.stringify({ id, subject, version, schema }),
];

export const savedSchemasIn = (entries: DeploymentEntries): readonly SavedSchema[] =>
  [...entries]
    .flatMap(([key, text]) => (key.startsWith(KEY) ? (decodedEntry(SavedSchema, text) ?? []) : []))
    .toSorted((a, b) => a.id - b.id);
