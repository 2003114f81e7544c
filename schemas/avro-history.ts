import { existsSync, readdirSync, readFileSync } from 'node:fs';

export const AVRO_FOLDER = new URL('./avro/', import.meta.url);

export const storedSchemaVersions = (
  full_name: string,
): readonly { readonly version: number; readonly text: string }[] => {
  const folder = new URL(`${full_name}/`, AVRO_FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((file) => Number.parseInt(file, 10))
    .toSorted((a, b) => a - b)
    .map((version) => ({ version, text: readFileSync(new URL(`${version}.avsc`, folder), 'utf8') }));
};
