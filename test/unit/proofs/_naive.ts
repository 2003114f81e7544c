import { createHash } from 'node:crypto';

/** RFC 6962, section 2.1, taken literally: the reference for the code. */

const hash = (prefix: number, ...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.from([prefix]), ...parts]))
    .digest();

const half = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1);

export const naiveRoot = (leaves: readonly Buffer[]): Buffer => {
  if (leaves.length === 0) return createHash('sha256').digest();
  const [first] = leaves;
  if (leaves.length === 1 && first !== undefined) return hash(0, first);
  const k = half(leaves.length);
  return hash(1, naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
};

export const naivePath = (m: number, leaves: readonly Buffer[]): readonly Buffer[] => {
  if (leaves.length === 1) return [];
  const k = half(leaves.length);
  return m < k
    ? [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))];
};

const subproof = (m: number, leaves: readonly Buffer[], whole: boolean): readonly Buffer[] => {
  if (m === leaves.length) return whole ? [] : [naiveRoot(leaves)];
  const k = half(leaves.length);
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), whole), naiveRoot(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))];
};

export const naiveProof = (m: number, leaves: readonly Buffer[]): readonly Buffer[] => subproof(m, leaves, true);
