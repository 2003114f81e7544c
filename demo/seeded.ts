import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

/** The entities of a data folder. Only the owner can read the file, because it has the only copy of the key. */
export const SeededEntities = t.type({
  account_id: t.string,
  team_id: t.string,
  user_id: t.string,
  api_key: t.string,
  project_id: t.string,
  template_id: t.string,
});
export type SeededEntities = t.TypeOf<typeof SeededEntities>;

/** The entities that exist so far; an interrupted seeding continues from these. */
export const PartiallySeededEntities = t.partial(SeededEntities.props);
export type PartiallySeededEntities = t.TypeOf<typeof PartiallySeededEntities>;

/** Empty if the file is missing or invalid. */
export const readSeeded = async (path: string): Promise<PartiallySeededEntities> => {
  try {
    const json: unknown = JSON.parse(await readFile(path, 'utf8'));
    const decoded = PartiallySeededEntities.decode(json);
    return E.isRight(decoded) ? decoded.right : {};
  } catch {
    return {};
  }
};

/** Replaces the file atomically. */
export const writeSeeded = async (path: string, seeded: PartiallySeededEntities): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, `${JSON.stringify(seeded, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
};
