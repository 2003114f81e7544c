import type { VerifierKey } from '../../proofs/notes/keys.ts';
import { entriesPath, tilePath } from '../../proofs/tiles/tile-path.ts';
import { type NotarizedPartition, partitionText } from './notarized-topics.ts';

export type ProofPaths = {
  readonly checkpoint: string;
  readonly keys: string;
  /** The note in which this key names its successor. The path has the whole key, because ids can be made to collide. */
  readonly succession: (key: VerifierKey) => string;
  readonly tile: (level: number, index: number, width?: number) => string;
  readonly entries: (index: number, width?: number) => string;
  readonly partitionTile: (place: NotarizedPartition, level: number, index: number) => string;
};

export const proofPaths = (origin: string): ProofPaths => ({
  checkpoint: `${origin}/checkpoint`,
  keys: `${origin}/keys`,
  succession: ({ public_bytes }) => `${origin}/successions/${public_bytes.toString('hex')}`,
  tile: (level, index, width) => `${origin}/${tilePath(level, index, width)}`,
  entries: (index, width) => `${origin}/${entriesPath(index, width)}`,
  partitionTile: (place, level, index) => `${origin}/partitions/${partitionText(place)}/${tilePath(level, index)}`,
});

export const proofContainer = (
  proofs: { readonly container: string | undefined },
  blob_store: { readonly container: string },
): string => proofs.container ?? `${blob_store.container}-proofs`;
