import { filesOf, type HostileFile, type Material, REFUSED } from './hostile-file.ts';
import { box, fullBox, lyingBox, nestedBoxes, wideBox } from './write/boxes.ts';
import { DATA_AT, extent, type Heif, heif, type Item, reference } from './write/heif.ts';
import { join, latin, patched, repeated, times, u8, u16, u32 } from './write/numbers.ts';

const file = filesOf('avif', 'image', '.avif');

const boxOf = (bytes: Buffer, type: string): Buffer => {
  const at = bytes.indexOf(type) - 4;
  return bytes.subarray(at, at + bytes.readUInt32BE(at));
};

/** A coded picture of 64 by 48 pixels, and the box with its configuration. */
const coded = ({ bases: { 'base.avif': base } }: Material) => ({
  configuration: boxOf(base, 'av1C'),
  data: boxOf(base, 'mdat').subarray(8),
});

const item = (id: number, type: string, offset: number, length: number): Item => ({
  id,
  type,
  offset: DATA_AT + offset,
  length,
});

/** A file with one AV1 picture, with changes. */
const single = (material: Material, change: (of: Heif) => Partial<Heif>): Buffer => {
  const { configuration, data } = coded(material);
  const of: Heif = {
    items: [item(1, 'av01', 0, data.length)],
    properties: [extent(64, 48), configuration],
    associations: [[1, [1, 2]]],
    data,
  };
  return heif({ ...of, ...change(of) });
};

const grid = (rows: number, columns: number, width: number, height: number): Buffer =>
  join(u8(0, 1, rows - 1, columns - 1), u32(width, height));

/** Tiles of a grid that are all the same coded picture. */
const gridOf =
  (rows: number, columns: number, width: number, height: number) =>
  (material: Material): Buffer => {
    const { configuration, data } = coded(material);
    const layout = grid(rows, columns, width, height);
    return heif({
      items: [item(1, 'grid', 0, layout.length), item(2, 'av01', layout.length, data.length)],
      properties: [extent(width, height), extent(64, 48), configuration],
      associations: [
        [1, [1]],
        [2, [2, 3]],
      ],
      references: [
        reference(
          'dimg',
          1,
          times(Math.min(rows * columns, 65_535), () => 2),
        ),
      ],
      data: join(layout, data),
    });
  };

/** A chain of items, each a number of copies of the next one; the last one is coded. */
const chain =
  (levels: number, count: number, type: string, last: number) =>
  (material: Material): Buffer => {
    const { configuration, data } = coded(material);
    const layout = type === 'iden' ? Buffer.alloc(0) : grid(1, count, 64, 48);
    return heif({
      items: [
        ...times(levels, (n) => item(n + 1, type, 0, layout.length)),
        item(levels + 1, 'av01', layout.length, data.length),
      ],
      properties: [extent(64, 48), configuration],
      associations: [...times(levels, (n) => [n + 1, [1]] as const), [levels + 1, [1, 2]]],
      references: times(levels, (n) =>
        reference(
          'dimg',
          n + 1,
          times(count, () => (n === levels - 1 ? last : n + 2)),
        ),
      ),
      data: join(layout, data),
    });
  };

export const AVIF: readonly HostileFile[] = [
  file(
    'size',
    'square-of-65535',
    'says 65,535 pixels on a side',
    (material) =>
      single(material, ({ properties: [, ...rest] }) => ({ properties: [extent(65_535, 65_535), ...rest] })),
    REFUSED,
  ),
  file(
    'size',
    'square-of-2-32',
    'says 2^32-1 pixels on a side',
    (material) =>
      single(material, ({ properties: [, ...rest] }) => ({ properties: [extent(2 ** 32 - 1, 2 ** 32 - 1), ...rest] })),
    REFUSED,
  ),
  file('lie', 'larger-than-it-is', 'says 9,000 pixels and has 64', (material) =>
    single(material, ({ properties: [, ...rest] }) => ({ properties: [extent(9000, 9000), ...rest] })),
  ),
  file('lie', 'no-extent', 'says nothing of its size', (material) =>
    single(material, () => ({ associations: [[1, [2]]] })),
  ),
  file(
    'size',
    'grid-of-65535-tiles',
    '255 by 256 tiles that are the same one',
    gridOf(255, 256, 16_384, 12_240),
    REFUSED,
  ),
  file(
    'size',
    'grid-just-within-the-limit',
    '32,000 tiles that are the same one, 98 million pixels',
    gridOf(208, 155, 9920, 9984),
  ),
  file('time', 'grid-of-many-tiles', '4,000 tiles', gridOf(63, 64, 4096, 3024)),
  file('size', 'grid-of-2-32', 'a grid of 2^32 pixels on a side', gridOf(256, 256, 2 ** 32 - 1, 2 ** 32 - 1), REFUSED),
  file('lie', 'grid-of-too-few-tiles', 'a grid that is larger than its tiles', gridOf(2, 2, 9000, 9000)),
  file('recursion', 'grid-of-itself', 'a grid whose tiles are the grid', chain(1, 4, 'grid', 1)),
  file('recursion', 'grids-doubled', '2^20 tiles by grids of grids', chain(20, 2, 'grid', 21)),
  file('recursion', 'copies-in-a-row', 'a copy of a copy of 80 others', chain(80, 1, 'iden', 81)),
  file('recursion', 'copies-in-a-circle', 'a copy that leads back to the first', chain(20, 1, 'iden', 1)),
  file('recursion', 'overlay-of-itself', 'an overlay that lies over itself', (material) =>
    single(material, () => ({
      items: [item(1, 'iovl', 0, 24)],
      associations: [[1, [1]]],
      references: [reference('dimg', 1, [1, 1])],
      data: join(u8(0, 1), u16(0, 0, 0, 0), u32(9000, 9000, 0, 0), Buffer.alloc(9)),
    })),
  ),
  file('recursion', 'alpha-of-itself', 'a picture that is its own alpha', (material) =>
    single(material, () => ({
      references: [reference('auxl', 1, [1]), reference('thmb', 1, [1]), reference('prem', 1, [1])],
    })),
  ),
  file('count', 'references', '200 lists of 60,000 references', (material) =>
    single(material, () => ({
      references: times(15, () =>
        reference(
          'dimg',
          1,
          times(60_000, () => 1),
        ),
      ),
    })),
  ),
  file('count', 'properties', '100,000 properties', (material) =>
    single(material, ({ properties }) => ({ properties: [...properties, repeated(extent(1, 1), 90_000)] })),
  ),
  file('count', 'rotations', 'a picture turned 250 times', (material) =>
    single(material, ({ properties }) => ({
      properties: [...properties, box('irot', u8(1)), box('imir', u8(1))],
      associations: [[1, [1, 2, ...times(120, () => [0x83, 0x84]).flat()]]],
    })),
  ),
  file('lie', 'crop-to-nothing', 'a clean aperture of 0 by 2^32', (material) =>
    single(material, ({ properties }) => ({
      properties: [...properties, box('clap', u32(0, 1, 0xffffffff, 1, 0x80000000, 0, 1, 0))],
      associations: [[1, [1, 2, 0x83]]],
    })),
  ),
  file('count', 'items', '12,000 items', (material) =>
    single(material, ({ items, data }) => ({
      items: [...items, ...times(12_000, (n) => item(n + 2, 'av01', 0, data.length))],
    })),
  ),
  file(
    'lie',
    'items-that-overlap',
    'an item of 4 GB',
    (material) => single(material, () => ({ items: [item(1, 'av01', 0, 0xffffffff)] })),
    REFUSED,
  ),
  file('lie', 'item-of-many-parts', 'an item of 60,000 times the whole file', (material) => {
    const { configuration, data } = coded(material);
    const extents = times(60_000, () => u32(0, 60_000 * 8));
    return heif({
      items: [item(1, 'av01', 0, 9)],
      properties: [extent(64, 48), configuration],
      associations: [[1, [1, 2]]],
      data,
      more: fullBox('iloc', 0, 0, u8(0x44, 0), u16(1, 1, 0, 60_000), Buffer.concat(extents)),
    });
  }),
  file('count', 'says-2-32-entries', 'tables that say to have 2^32 entries', (material) =>
    single(material, () => ({
      more: join(
        fullBox('ipma', 0, 0, u32(0xffffffff)),
        fullBox('iinf', 1, 0, u32(0xffffffff)),
        fullBox('iloc', 2, 0, u8(0x44, 0), u32(0xffffffff)),
      ),
    })),
  ),
  file('depth', 'boxes-in-boxes', '10,000 boxes in each other', (material) =>
    single(material, () => ({ more: nestedBoxes('iprp', 10_000, box('free')) })),
  ),
  file('size', 'profile', 'a profile of a mebibyte of nothing', (material) =>
    single(material, ({ properties }) => ({
      properties: [...properties, box('colr', 'prof', Buffer.alloc(2 ** 20))],
      associations: [[1, [1, 2, 3]]],
    })),
  ),
  file(
    'lie',
    'meta-of-2-63',
    'a box of 2^63 bytes',
    (material) =>
      join(
        box('ftyp', 'avif', u32(0), 'avifmif1'),
        wideBox('meta', 2n ** 63n - 1n, single(material, () => ({})).subarray(36)),
      ),
    REFUSED,
  ),
  file('lie', 'box-of-4-gb', 'a box of 4 GB within meta', (material) =>
    single(material, () => ({ more: lyingBox('idat', 0xfffffff0) })),
  ),
  file('lie', 'bit-depth', 'a configuration that is not that of its data', (material) =>
    single(material, ({ properties: [first], data }) => ({
      properties: [first ?? extent(1, 1), box('av1C', u8(0x81, 0xff, 0xff, 0))],
      data: patched(data, 4, u8(255, 255)),
    })),
  ),
  file('disguise', 'sequence', 'a film of which it says that it is a picture', ({ bases: { 'base.mp4': film } }) =>
    patched(film, 8, latin('avis')),
  ),
  file(
    'truncated',
    'half',
    'the first half',
    ({ bases: { 'base.avif': base } }) => base.subarray(0, base.length / 2),
    REFUSED,
  ),
  file('truncated', 'brand-only', 'a brand', () => box('ftyp', 'avif', u32(0), 'avif'), REFUSED),
];
