/**
 * Writes schemas/avro/<full name>/<version>.avsc for readers in other languages and for compatibility checks. A version
 * never changes: a changed schema gets the next number.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { AVRO_FOLDER, storedSchemaVersions } from './avro-history.ts';
import { RECORDS } from './records.ts';

for (const { full_name, avro } of RECORDS) {
  const versions = storedSchemaVersions(full_name);
  const text = `${JSON.stringify(avro, null, 2)}\n`;
  if (versions.at(-1)?.text === text) continue;
  const folder = new URL(`${full_name}/`, AVRO_FOLDER);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${versions.length + 1}.avsc`, folder), text);
  console.log(`${full_name}: wrote version ${versions.length + 1}`);
}
