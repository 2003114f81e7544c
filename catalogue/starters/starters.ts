import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { StoredAsset } from '../../domain/composition/assets.ts';
import { faultText } from '../../domain/composition/fault.ts';
import { decodeProjectFile, type ProjectDocument, resolveAssets } from '../../domain/composition/project-document.ts';
import type { LocalAsset } from '../asset-files.ts';

/** The order of lists. Each is a folder below `examples/starters`. */
export const STARTER_IDS = [
  'promo',
  'quote-card',
  'captioned-video',
  'slideshow',
  'lower-third',
  'real-estate',
  'podcast',
  'birthday',
] as const;

export type Starter = {
  readonly id: string;
  readonly description: string;
  readonly document: ProjectDocument;
  /** Its files on this machine. */
  readonly files: readonly LocalAsset[];
};

/** By id, in the order of lists. */
export type Starters = ReadonlyMap<string, Starter>;

const FOLDER = new URL('../../examples/starters/', import.meta.url);

/** Facts of the assets of each starter. `docs/starters/write-facts.ts` writes them, so that no component reads fonts. */
const Facts = t.readonly(t.record(t.string, t.readonlyArray(StoredAsset)));

const readJson = (file: URL): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** The files belong to the program, so a fault is a programmer's mistake. */
const starterOf = (id: string, stored: readonly StoredAsset[]): Starter => {
  const folder = new URL(`${id}/`, FOLDER);
  const fonts = new Map(
    stored.flatMap(({ id: asset, font_family, font_covers }) =>
      font_family === null ? [] : [[asset, { font_family, font_covers }] as const],
    ),
  );
  const file = decodeProjectFile(readJson(new URL('project.json', folder)), fonts);
  const document = E.isLeft(file) ? file : resolveAssets(file.right, new Map(stored.map((asset) => [asset.id, asset])));
  if (E.isLeft(document)) throw new Error(`starter ${id}: ${document.left.map(faultText).join('; ')}`);
  return {
    id,
    description: document.right.templates[0]?.description ?? '',
    document: document.right,
    files: stored.map((asset) => ({
      path: fileURLToPath(new URL(`assets/${asset.file_name}`, folder)),
      stored: asset,
    })),
  };
};

export const readStarters = (): Starters => {
  const facts = Facts.decode(readJson(new URL('facts.json', FOLDER)));
  if (E.isLeft(facts)) throw new Error('examples/starters/facts.json: is not valid; write it again');
  return new Map(STARTER_IDS.map((id) => [id, starterOf(id, facts.right[id] ?? [])]));
};
