import type { AssetKind } from '../../domain/composition/assets.ts';
import type { BaseName, Bases } from './bases.ts';
import { mutate } from './mutate.ts';

export type NamedMutant = {
  /** The base and the seed, which are enough to make the mutant again. */
  readonly name: string;
  readonly kind: AssetKind;
  readonly ending: string;
  readonly bytes: Buffer;
  readonly recipe: string;
};

const SOUNDS: readonly string[] = ['.mp3', '.wav', '.ogg', '.opus', '.flac'];
const FILMS: readonly string[] = ['.mp4', '.mov', '.mkv', '.webm'];

const kindOf = (ending: string): AssetKind =>
  ending === '.ttf' ? 'font' : SOUNDS.includes(ending) ? 'audio' : FILMS.includes(ending) ? 'video' : 'image';

export function* mutants(bases: Bases, count: number, first_seed = 1): Generator<NamedMutant> {
  const names = Object.keys(bases) as readonly BaseName[];
  for (let n = 0; n < count; n += 1) {
    const base = names[n % names.length] ?? 'base.png';
    const seed = first_seed + n;
    const { bytes, recipe } = mutate(bases, base, seed);
    const ending = base.slice(base.lastIndexOf('.'));
    yield { name: `${base}#${seed}`, kind: kindOf(ending), ending, bytes, recipe: recipe.join(', ') };
  }
}
