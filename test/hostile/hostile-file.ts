import type { AssetKind } from '../../domain/composition/assets.ts';
import type { Bases } from './bases.ts';

/** The targets of files that try to read a file or to connect. */
export type Canary = {
  readonly canary_file: string;
  /** The URL of a server that must get no connection, `http://127.0.0.1:PORT/` with its last slash. */
  readonly canary_url: string;
};

export type Material = Canary & { readonly bases: Bases };

export const FORMATS = [
  ...['svg', 'png', 'jpeg', 'gif', 'webp', 'avif', 'tiff', 'mp4', 'mov', 'matroska', 'mp3', 'wav', 'ogg', 'flac'],
  ...['font', 'playlist', 'polyglot', 'disguise'],
] as const;

/** The resource that an attack exhausts, or its method. */
export const CATEGORIES = [
  'size', // few bytes that expand into many
  'depth',
  'count',
  'recursion', // a reference cycle, or doubling at each level
  'time',
  'lie',
  'reach',
  'polyglot',
  'disguise',
  'truncated',
] as const;
export type Category = (typeof CATEGORIES)[number];

export type HostileFile = {
  readonly name: string;
  readonly format: string;
  readonly kind: AssetKind;
  /** The extension of the file name, with its dot. */
  readonly ending: string;
  readonly category: Category;
  readonly attacks: string;
  /** `either`: refused, or rendered within bounds. */
  readonly expects: 'refused' | 'either';
  readonly reaches: boolean;
  readonly large: boolean;
  readonly make: (material: Material) => Buffer | string;
};

type More = Partial<Pick<HostileFile, 'kind' | 'ending' | 'expects' | 'reaches' | 'large'>>;

export const REFUSED: More = { expects: 'refused' };

export const filesOf =
  (format: (typeof FORMATS)[number], kind: AssetKind, ending: string) =>
  (category: Category, name: string, attacks: string, make: HostileFile['make'], more: More = {}): HostileFile => ({
    ...{ name: `${format}/${name}`, format, kind, ending, category, attacks, make },
    ...{ expects: 'either', reaches: category === 'reach', large: false },
    ...more,
  });
