export type Block = { readonly id: string; readonly start: number; readonly end: number };

const MIB = 1024 ** 2;

/** Small blocks show progress on slow networks. Large files have larger ones, because a blob has at most 50,000. */
const sizeFor = (bytes: number): number => (bytes <= 64 * MIB ? MIB : 4 * MIB);

/** All ids of a blob have the same length. They are base64. */
const idOf = (index: number): string => btoa(String(index).padStart(6, '0'));

/** The blocks of a file, in order. The same size always has the same blocks, so that an upload can be resumed. */
export const blocksOf = (bytes: number): readonly Block[] => {
  const size = sizeFor(bytes);
  return Array.from({ length: Math.ceil(bytes / size) }, (_, index) => ({
    id: idOf(index),
    start: index * size,
    end: Math.min(bytes, (index + 1) * size),
  }));
};

/** The blocks that the store does not have in full. */
export const missingBlocks = (
  blocks: readonly Block[],
  stored: readonly { readonly id: string; readonly size_bytes: number }[],
): readonly Block[] => {
  const sizes = new Map(stored.map(({ id, size_bytes }) => [id, size_bytes]));
  return blocks.filter(({ id, start, end }) => sizes.get(id) !== end - start);
};

export const blockList = (blocks: readonly Block[]): string =>
  `<?xml version="1.0" encoding="utf-8"?><BlockList>${blocks.map(({ id }) => `<Latest>${id}</Latest>`).join('')}</BlockList>`;
