import type { AssetKind } from '../../domain/composition/assets.ts';
import type { Bases } from './bases.ts';

/** What files that want to reach out lead to. */
export type Canary = {
  /** Absolute path of a file that must not be opened. */
  readonly canary_file: string;
  /** `http://127.0.0.1:PORT/`, with its last slash, of a server that must get no connection. */
  readonly canary_url: string;
};

export type Material = Canary & { readonly bases: Bases };

export const FORMATS = [
  ...['svg', 'png', 'jpeg', 'gif', 'webp', 'avif', 'tiff', 'mp4', 'mov', 'matroska', 'mp3', 'wav', 'ogg', 'flac'],
  ...['font', 'playlist', 'polyglot', 'disguise'],
] as const;

/** What an attack uses up, or what it lies about. */
export const CATEGORIES = [
  'size', // few bytes that become many
  'depth', // nested far down
  'count', // very many of something small
  'recursion', // leads back to itself, or doubles at each level
  'time', // endless work
  'lie', // a length, an offset or a property that is not true
  'reach', // reads a file or connects
  'polyglot', // several formats at once
  'disguise', // not what its ending says
  'truncated', // cut off, or empty
] as const;
export type Category = (typeof CATEGORIES)[number];

export type HostileFile = {
  /** Unique, `format/what-it-does`. */
  readonly name: string;
  readonly format: string;
  /** As which a customer would send it. */
  readonly kind: AssetKind;
  /** With its dot. */
  readonly ending: string;
  readonly category: Category;
  /** One line. */
  readonly attacks: string;
  /** `either`: refused, or rendered within bounds. */
  readonly expects: 'refused' | 'either';
  /** It wants to read the canary file or to connect to the canary URL. */
  readonly reaches: boolean;
  /** May be larger than other files. */
  readonly large: boolean;
  readonly make: (material: Material) => Buffer | string;
};

type More = Partial<Pick<HostileFile, 'kind' | 'ending' | 'expects' | 'reaches' | 'large'>>;

export const REFUSED: More = { expects: 'refused' };

/** How one file of a format is written down. */
export const filesOf =
  (format: (typeof FORMATS)[number], kind: AssetKind, ending: string) =>
  (category: Category, name: string, attacks: string, make: HostileFile['make'], more: More = {}): HostileFile => ({
    ...{ name: `${format}/${name}`, format, kind, ending, category, attacks, make },
    ...{ expects: 'either', reaches: category === 'reach', large: false },
    ...more,
  });
