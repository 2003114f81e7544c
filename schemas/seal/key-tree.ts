import { hash } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { hmacSha256 } from './hmac-sha256.ts';

/**
 * A puncturable GGM tree of keys (Goldreich, Goldwasser, Micali 1986). Each node's key derives the keys of its two
 * children, and a leaf's key encrypts one record. To erase one leaf, the tree replaces its ancestor by the siblings on
 * the path. No process can derive the leaf again, and all other leaves keep their keys.
 */

export const TREE_DEPTH = 10;
export const LEAF_COUNT = 2 ** TREE_DEPTH;
export const KEY_BYTES = 32;

/** `path` is the number of the node on its level, from the left; the root has depth 0 and path 0. */
export type KeyNode = { readonly depth: number; readonly path: number; readonly key: Buffer };

/**
 * `nodes` are disjoint and sorted by their leaves. A tree without nodes has only punctured leaves. `write_counter`
 * grows with each write of the blob, so that a restored old blob is recognized.
 */
export type KeyTree = { readonly write_counter: number; readonly nodes: readonly KeyNode[] };

/** @param root 32 random bytes */
export const newTree = (root: Buffer): KeyTree => {
  if (root.length !== KEY_BYTES) throw new TypeError(`a root has ${KEY_BYTES} bytes`);
  return { write_counter: 0, nodes: [{ depth: 0, path: 0, key: root }] };
};

const ancestorPath = (leaf: number, depth: number): number => leaf >> (TREE_DEPTH - depth);

const covers = ({ depth, path }: Pick<KeyNode, 'depth' | 'path'>, leaf: number): boolean =>
  ancestorPath(leaf, depth) === path;

const LEFT_OR_RIGHT = [Buffer.of(0), Buffer.of(1)] as const;

const childKey = (key: Buffer, path: number): Buffer => hmacSha256(key, LEFT_OR_RIGHT[path % 2 === 0 ? 0 : 1]);

const coveringNode = ({ nodes }: KeyTree, leaf: number): KeyNode | undefined =>
  Number.isInteger(leaf) && leaf >= 0 && leaf < LEAF_COUNT ? nodes.find((node) => covers(node, leaf)) : undefined;

/** Whether the leaf's key can still be derived. */
export const hasLeaf = (tree: KeyTree, leaf: number): boolean => coveringNode(tree, leaf) !== undefined;

/** Null if the leaf is punctured, or is not a leaf. Needs up to ten HMACs. */
export const deriveLeaf = (tree: KeyTree, leaf: number): Buffer | null => {
  const node = coveringNode(tree, leaf);
  if (node === undefined) return null;
  let { key } = node;
  for (let depth = node.depth + 1; depth <= TREE_DEPTH; depth += 1) key = childKey(key, ancestorPath(leaf, depth));
  return key;
};

/** Like `deriveLeaf`. Keeps the path of the last leaf, so that leaves in order need two HMACs on average. */
export const leafDeriver = (tree: KeyTree): ((leaf: number) => Buffer | null) => {
  let last: readonly KeyNode[] = [];
  return (leaf) => {
    const node = coveringNode(tree, leaf);
    if (node === undefined) return null;
    const nodes = last.filter((known) => covers(known, leaf));
    let deepest = nodes.at(-1) ?? node;
    if (nodes.length === 0) nodes.push(node);
    for (let depth = deepest.depth + 1; depth <= TREE_DEPTH; depth += 1) {
      const path = ancestorPath(leaf, depth);
      deepest = { depth, path, key: childKey(deepest.key, path) };
      nodes.push(deepest);
    }
    last = nodes;
    return deepest.key;
  };
};

/** The key of one leaf of the node, and the nodes of all its other leaves, sorted. */
const splitAt = (node: KeyNode, leaf: number): { readonly key: Buffer; readonly siblings: readonly KeyNode[] } => {
  const left: KeyNode[] = [];
  const right: KeyNode[] = [];
  let { key } = node;
  for (let depth = node.depth + 1; depth <= TREE_DEPTH; depth += 1) {
    const path = ancestorPath(leaf, depth);
    const sibling = path ^ 1;
    (sibling < path ? left : right).push({ depth, path: sibling, key: childKey(key, sibling) });
    key = childKey(key, path);
  }
  return { key, siblings: [...left, ...right.reverse()] };
};

/** Returns the same tree if all these leaves are punctured already. Otherwise the write counter grows by one. */
export const puncture = (tree: KeyTree, leaves: Iterable<number>): KeyTree => {
  let nodes = tree.nodes;
  for (const leaf of leaves) {
    const node = coveringNode({ ...tree, nodes }, leaf);
    if (node === undefined) continue;
    nodes = nodes.flatMap((other) => (other === node ? splitAt(node, leaf).siblings : [other]));
  }
  return nodes === tree.nodes ? tree : { write_counter: tree.write_counter + 1, nodes };
};

/**
 * The first leaf, its key, and the tree without it. A writer that keeps only `rest` cannot open what it encrypted
 * before. Null if no leaf is left.
 */
export const takeFirstLeaf = (
  tree: KeyTree,
): { readonly leaf: number; readonly key: Buffer; readonly rest: KeyTree } | null => {
  const [first, ...others] = tree.nodes;
  if (first === undefined) return null;
  const leaf = first.path << (TREE_DEPTH - first.depth);
  const { key, siblings } = splitAt(first, leaf);
  return { leaf, key, rest: { ...tree, nodes: [...siblings, ...others] } };
};

/** Whether `tree` derives every key of `part`. */
export const includesTree = (tree: KeyTree, part: KeyTree): boolean =>
  part.nodes.every(({ depth, path, key }) => {
    const first_leaf = path << (TREE_DEPTH - depth);
    const node = coveringNode(tree, first_leaf);
    if (node === undefined || node.depth > depth) return false;
    let derived = node.key;
    for (let level = node.depth + 1; level <= depth; level += 1)
      derived = childKey(derived, ancestorPath(first_leaf, level));
    return derived.equals(key);
  });

const MAGIC = Buffer.from('KEYT', 'latin1');
const FORMAT_VERSION = 1;
const HEADER_BYTES = MAGIC.length + 1 + 4;
const NODE_BYTES = 1 + 2 + KEY_BYTES;
const TRAILER_BYTES = 32;
const MAX_NODES = LEAF_COUNT / 2;

/** The size of the largest tree, in which every second leaf is punctured: 17,961 bytes. */
export const MAX_TREE_BYTES = HEADER_BYTES + MAX_NODES * NODE_BYTES + TRAILER_BYTES;

const sha256 = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer');

/**
 * The header has `KEYT`, format version (u8) and write counter (u32). Each node has depth (u8), path (u16) and key (32
 * bytes). The SHA-256 of everything before follows. Integers are big-endian.
 */
export const encodeKeyTree = ({ write_counter, nodes }: KeyTree): Buffer => {
  const bytes = Buffer.alloc(HEADER_BYTES + nodes.length * NODE_BYTES + TRAILER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt8(FORMAT_VERSION, MAGIC.length);
  bytes.writeUInt32BE(write_counter, MAGIC.length + 1);
  for (const [n, { depth, path, key }] of nodes.entries()) {
    const at = HEADER_BYTES + n * NODE_BYTES;
    bytes.writeUInt8(depth, at);
    bytes.writeUInt16BE(path, at + 1);
    key.copy(bytes, at + 3);
  }
  sha256(bytes.subarray(0, -TRAILER_BYTES)).copy(bytes, bytes.length - TRAILER_BYTES);
  return bytes;
};

const areInOrder = (nodes: readonly KeyNode[]): boolean => {
  let next_leaf = 0;
  return nodes.every(({ depth, path }) => {
    if (depth > TREE_DEPTH) return false;
    const first_leaf = path << (TREE_DEPTH - depth);
    const is_after = first_leaf >= next_leaf;
    next_leaf = (path + 1) << (TREE_DEPTH - depth);
    return is_after && next_leaf <= LEAF_COUNT;
  });
};

/** Left: why the bytes are not a tree. A truncated tree must never look punctured, so every byte counts. */
export const decodeKeyTree = (bytes: Buffer): E.Either<string, KeyTree> => {
  const node_bytes = bytes.length - HEADER_BYTES - TRAILER_BYTES;
  if (node_bytes < 0 || node_bytes % NODE_BYTES !== 0) return E.left('the key tree is truncated');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return E.left('the blob is not a key tree');
  const content = bytes.subarray(0, -TRAILER_BYTES);
  if (!sha256(content).equals(bytes.subarray(-TRAILER_BYTES))) return E.left('the hash of the key tree differs');
  const version = bytes.readUInt8(MAGIC.length);
  if (version !== FORMAT_VERSION) return E.left(`the key tree has the unknown format version ${version}`);
  const nodes = Array.from({ length: node_bytes / NODE_BYTES }, (_, n) => {
    const at = HEADER_BYTES + n * NODE_BYTES;
    return {
      depth: bytes.readUInt8(at),
      path: bytes.readUInt16BE(at + 1),
      key: Buffer.from(bytes.subarray(at + 3, at + NODE_BYTES)),
    };
  });
  if (!areInOrder(nodes)) return E.left('the nodes of the key tree overlap or are not in order');
  return E.right({ write_counter: bytes.readUInt32BE(MAGIC.length + 1), nodes });
};
