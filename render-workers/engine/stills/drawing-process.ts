import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import { compositionFault, type EngineFault, surroundingsFault } from '../engine-fault.ts';
import { DRAWING_BOUNDS } from '../run/bounds.ts';
import { lastLine, type ProcessLimits, runProcess } from '../run/process.ts';
import { writeFontsConf } from './fonts.ts';
import { keptFolder } from './kept-folder.ts';
import { type Animation, type DrawnAnimation, type DrawnStill, type Still, StillsAnswer } from './still.ts';

export type ToDraw = {
  readonly stills: readonly Still[];
  readonly animations: readonly Animation[];
  /** The font assets of the render: the family that each brings, by asset id. */
  readonly families: ReadonlyMap<string, string>;
  /** Paths of the assets' files by asset id; fonts among them. */
  readonly assets: ReadonlyMap<string, string>;
  /** An existing folder, to which the pictures are written. */
  readonly folder: string;
};

/** By their ids; what drew nothing is not among them. */
export type Drawn = {
  readonly stills: ReadonlyMap<string, DrawnStill>;
  readonly animations: ReadonlyMap<string, DrawnAnimation>;
};

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));
const NOTHING: Drawn = { stills: new Map(), animations: new Map() };

/**
 * Within the drawing process a family of the project's goes by a name of ours, for each file what its asset says: so
 * neither a comma in its name nor other names within its files make it another family, and it may have one of ours.
 */
const faceNames = (families: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...new Set(families.values())].map((family, index) => [family, `Project Face ${index}`]));

const byId = <A extends { readonly id: string }>(list: readonly A[]): ReadonlyMap<string, A> =>
  new Map(list.map((one) => [one.id, one]));

/**
 * Draws stills and animations in a process of their own, which is started only where there are any.
 *
 * @returns on the left a fault of the composition that names the layer, or why the process could not draw
 */
export const drawStills = async (
  { stills, animations, families, assets, folder }: ToDraw,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, Drawn>> => {
  if (stills.length === 0 && animations.length === 0) return E.right(NOTHING);
  const names = faceNames(families);
  const own = [...families].flatMap(([id, family]) => {
    const [file, name] = [assets.get(id), names.get(family)];
    return file === undefined || name === undefined ? [] : [{ file, name }];
  });
  const job = { stills, animations, assets: Object.fromEntries(assets), faces: Object.fromEntries(names), folder };
  const kept = (await keptFolder()) ?? folder;
  const env = {
    FONTCONFIG_FILE: await writeFontsConf(await mkdtemp(join(folder, 'fonts-')), join(kept, 'fonts'), own),
    NODE_COMPILE_CACHE: join(kept, 'programs'),
    // The user's own languages choose between forms of some letters.
    PANGO_LANGUAGE: 'en',
    LC_ALL: 'C.UTF-8',
  };
  const input = JSON.stringify(job);
  const program = { program: process.execPath, args: [PROGRAM], bounds: DRAWING_BOUNDS };
  const run = await runProcess({ ...program, input, env }, limits);
  if (E.isLeft(run)) return run;
  const answer = run.right.exit_code === 0 ? StillsAnswer.decode(JSON.parse(run.right.stdout)) : null;
  if (answer === null || E.isLeft(answer))
    return E.left(surroundingsFault(`the drawing process failed: ${lastLine(run.right.stderr)}`));
  if (answer.right.tag === 'composition')
    return E.left(compositionFault(answer.right.code, answer.right.message, answer.right.field));
  return E.right({ stills: byId(answer.right.stills), animations: byId(answer.right.animations) });
};
