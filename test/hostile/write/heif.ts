import { box, fullBox } from './boxes.ts';
import { join, type Part, u8, u16, u32 } from './numbers.ts';

export type Item = { readonly id: number; readonly type: string; readonly offset: number; readonly length: number };

const LOCATIONS_BYTES = 18;

export const itemInfo = (items: readonly Item[]): Buffer =>
  fullBox(
    'iinf',
    0,
    0,
    u16(items.length),
    ...items.map(({ id, type }) => fullBox('infe', 2, 0, u16(id, 0), type, '\0')),
  );

/** All items are in the file itself, with offsets from its start. */
export const locations = (items: readonly Item[]): Buffer =>
  fullBox(
    'iloc',
    0,
    0,
    u8(0x44, 0x00),
    u16(items.length),
    ...items.map(({ id, offset, length }) => join(u16(id, 0, 1), u32(offset, length))),
  );

export const reference = (type: string, from: number, to: readonly number[]): Buffer =>
  box(type, u16(from, to.length, ...to));

export const extent = (width: number, height: number): Buffer => fullBox('ispe', 0, 0, u32(width, height));

export type Heif = {
  readonly items: readonly Item[];
  readonly properties: readonly Buffer[];
  /** For each item the numbers of its properties, from 1. */
  readonly associations: readonly (readonly [item: number, properties: readonly number[]])[];
  readonly references?: readonly Buffer[];
  /** Placed after everything else, at `DATA_AT`. */
  readonly data: Buffer;
  readonly more?: Part;
};

/** The offset of the data: beyond all boxes, with padding. */
export const DATA_AT = 4096;

export const heif = ({ items, properties, associations, references = [], data, more = '' }: Heif): Buffer => {
  const meta = fullBox(
    'meta',
    0,
    0,
    fullBox('hdlr', 0, 0, u32(0), 'pict', Buffer.alloc(13)),
    fullBox('pitm', 0, 0, u16(items[0]?.id ?? 1)),
    locations(items),
    itemInfo(items),
    references.length > 0 ? fullBox('iref', 0, 0, ...references) : '',
    box(
      'iprp',
      box('ipco', ...properties),
      fullBox(
        'ipma',
        0,
        0,
        u32(associations.length),
        ...associations.map(([item, of]) => join(u16(item), u8(of.length, ...of))),
      ),
    ),
    more,
  );
  const top = join(box('ftyp', 'avif', u32(0), 'avifmif1miaf'), meta);
  const room = Math.max(8, DATA_AT - top.length);
  return join(top, box('free', Buffer.alloc(room - 8)), data);
};

export const locationsOf = LOCATIONS_BYTES;
