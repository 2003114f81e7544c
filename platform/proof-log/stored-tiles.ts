import { TILE_WIDTH } from '../../proofs/merkle/growing-tree.ts';
import { entriesOfBundle, hashesOfTile } from '../../proofs/tiles/tile-bytes.ts';
import type { ReadTile } from '../../proofs/tiles/tiled-nodes.ts';
import type { ProofBlobs } from '../blob-store/proof-blobs.ts';
import { NotExtended } from './not-extended.ts';
import type { NotarizedPartition } from './notarized-topics.ts';
import type { ProofPaths } from './proof-paths.ts';

type Parsed = <A>(path: string, parse: (bytes: Buffer) => readonly A[] | null) => Promise<readonly A[] | null>;

/** Null if the blob does not exist; rejects with `NotExtended` if its bytes are invalid. */
const readParsed =
  (blobs: Pick<ProofBlobs, 'read'>): Parsed =>
  async (path, parse) => {
    const found = await blobs.read(path);
    if (found === null) return null;
    const parsed = parse(found.bytes);
    if (parsed === null) throw new NotExtended(`${path} is damaged: its content does not match its name`);
    return parsed;
  };

/** A partial tile or bundle may be removed when a larger one exists, which begins with the same content. */
const partialOrFull = async <A>(
  width: number,
  path: (width?: number) => string,
  read: (path: string, width: number) => Promise<readonly A[] | null>,
): Promise<readonly A[] | null> => {
  const found = await read(path(width), width);
  if (found !== null || width === TILE_WIDTH) return found;
  return (await read(path(), TILE_WIDTH))?.slice(0, width) ?? null;
};

const missing = (path: string): NotExtended => new NotExtended(`${path} is missing`);

export const headsTile =
  (blobs: Pick<ProofBlobs, 'read'>, paths: ProofPaths): ReadTile =>
  async (level, index, width) => {
    const path = (partial?: number): string => paths.tile(level, index, partial);
    const read = readParsed(blobs);
    const hashes = await partialOrFull(width, path, (at, wide) => read(at, (bytes) => hashesOfTile(bytes, wide)));
    if (hashes === null) throw missing(path(width));
    return hashes;
  };

export const headsEntries = (
  blobs: Pick<ProofBlobs, 'read'>,
  paths: ProofPaths,
  index: number,
  width: number,
): Promise<readonly Buffer[] | null> => {
  const read = readParsed(blobs);
  const path = (partial?: number): string => paths.entries(index, partial);
  return partialOrFull(width, path, (at, wide) => read(at, (bytes) => entriesOfBundle(bytes, wide)));
};

export const partitionTile = (
  blobs: Pick<ProofBlobs, 'read'>,
  paths: ProofPaths,
  place: NotarizedPartition,
  level: number,
  index: number,
): Promise<readonly Buffer[] | null> =>
  readParsed(blobs)(paths.partitionTile(place, level, index), (bytes) => hashesOfTile(bytes, TILE_WIDTH));

/** Like `partitionTile`, but rejects with `NotExtended` if the tile does not exist. */
export const knownPartitionTile =
  (blobs: Pick<ProofBlobs, 'read'>, paths: ProofPaths, place: NotarizedPartition) =>
  async (level: number, index: number): Promise<readonly Buffer[]> => {
    const hashes = await partitionTile(blobs, paths, place, level, index);
    if (hashes === null) throw missing(paths.partitionTile(place, level, index));
    return hashes;
  };
