import { nodeHash } from './hashes.ts';

/** Reads the root of the complete subtree over the leaves index * 2^level … (index + 1) * 2^level - 1. */
export type ReadNode = (level: number, index: number) => Promise<Buffer>;

/** The largest power of 2 below n, where n is at least 2. */
const split = (n: number): number => {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
};

/** The root over the leaves lo … hi - 1. `lo` is a multiple of a power of 2 that is at least hi - lo. */
export const rangeRoot = async (lo: number, hi: number, read: ReadNode): Promise<Buffer> => {
  const level = Math.log2(hi - lo);
  if (Number.isInteger(level)) return await read(level, lo / (hi - lo));
  const middle = lo + split(hi - lo);
  return nodeHash(await rangeRoot(lo, middle, read), await rangeRoot(middle, hi, read));
};

const inclusionBelow = async (index: number, lo: number, hi: number, read: ReadNode): Promise<readonly Buffer[]> => {
  if (hi - lo === 1) return [];
  const middle = lo + split(hi - lo);
  return index < middle
    ? [...(await inclusionBelow(index, lo, middle, read)), await rangeRoot(middle, hi, read)]
    : [...(await inclusionBelow(index, middle, hi, read)), await rangeRoot(lo, middle, read)];
};

/** Proof that a leaf is in the tree of this size (RFC 6962, 2.1.1). `index` is below `size`. */
export const inclusionProof = (index: number, size: number, read: ReadNode): Promise<readonly Buffer[]> =>
  inclusionBelow(index, 0, size, read);

const consistencyBelow = async (old: number, lo: number, hi: number, read: ReadNode): Promise<readonly Buffer[]> => {
  if (old === hi) return lo === 0 ? [] : [await rangeRoot(lo, hi, read)];
  const middle = lo + split(hi - lo);
  return old <= middle
    ? [...(await consistencyBelow(old, lo, middle, read)), await rangeRoot(middle, hi, read)]
    : [...(await consistencyBelow(old, middle, hi, read)), await rangeRoot(lo, middle, read)];
};

/** Proof that the tree of `size` leaves begins with the tree of `old` leaves (RFC 6962, 2.1.2). Empty if `old` is 0. */
export const consistencyProof = async (old: number, size: number, read: ReadNode): Promise<readonly Buffer[]> =>
  old === 0 ? [] : await consistencyBelow(old, 0, size, read);

const rootByInclusion = (
  leaf: Buffer,
  index: number,
  lo: number,
  hi: number,
  proof: readonly Buffer[],
): Buffer | null => {
  const last = proof.at(-1);
  if (hi - lo === 1) return last === undefined ? leaf : null;
  if (last === undefined) return null;
  const middle = lo + split(hi - lo);
  const in_left = index < middle;
  const own = rootByInclusion(leaf, index, in_left ? lo : middle, in_left ? middle : hi, proof.slice(0, -1));
  if (own === null) return null;
  return in_left ? nodeHash(own, last) : nodeHash(last, own);
};

const isPosition = (n: number): boolean => Number.isSafeInteger(n) && n >= 0;

export type Inclusion = {
  readonly leaf: Buffer;
  readonly index: number;
  readonly size: number;
  readonly root: Buffer;
  readonly proof: readonly Buffer[];
};

export const verifyInclusion = ({ leaf, index, size, root, proof }: Inclusion): boolean =>
  isPosition(index) &&
  isPosition(size) &&
  index < size &&
  rootByInclusion(leaf, index, 0, size, proof)?.equals(root) === true;

type Roots = { readonly old: Buffer; readonly whole: Buffer };

const rootsByConsistency = (
  old_root: Buffer,
  old: number,
  lo: number,
  hi: number,
  proof: readonly Buffer[],
): Roots | null => {
  const last = proof.at(-1);
  if (old === hi) {
    if (lo === 0) return last === undefined ? { old: old_root, whole: old_root } : null;
    return last === undefined || proof.length > 1 ? null : { old: last, whole: last };
  }
  if (last === undefined) return null;
  const middle = lo + split(hi - lo);
  const rest = proof.slice(0, -1);
  if (old <= middle) {
    const left = rootsByConsistency(old_root, old, lo, middle, rest);
    return left === null ? null : { old: left.old, whole: nodeHash(left.whole, last) };
  }
  const right = rootsByConsistency(old_root, old, middle, hi, rest);
  return right === null ? null : { old: nodeHash(last, right.old), whole: nodeHash(last, right.whole) };
};

export type Consistency = {
  readonly old: { readonly size: number; readonly root: Buffer };
  readonly size: number;
  readonly root: Buffer;
  readonly proof: readonly Buffer[];
};

/** Whether the proof shows that the tree begins with the old one. Every tree begins with the empty one. */
export const verifyConsistency = ({ old, size, root, proof }: Consistency): boolean => {
  if (!isPosition(old.size) || !isPosition(size) || old.size > size) return false;
  if (old.size === 0) return proof.length === 0;
  const roots = rootsByConsistency(old.root, old.size, 0, size, proof);
  return roots?.old.equals(old.root) === true && roots.whole.equals(root);
};
