import { isDeepStrictEqual } from 'node:util';
import * as E from 'fp-ts/lib/Either.js';
import type { RenderRequested } from '../../domain/render/events.ts';
import { keyTreePath } from '../../schemas/blobs/paths.ts';
import { openBox } from '../../schemas/seal/box.ts';
import { decodeKeyTree, deriveLeaf, hasLeaf } from '../../schemas/seal/key-tree.ts';
import { decodeSealedText, type SealedText } from '../../schemas/seal/plain-text.ts';
import type { BlobServer } from './blobs.ts';
import type { OrderBody } from './clients.ts';
import type { Opened } from './components/cluster.ts';
import type { Posted, SealedRequest } from './judge-evidence.ts';
import { MAX_TREE_AGE_MS } from './machine/tree-age.ts';
import type { World } from './world/world.ts';

export type SealsJudge = {
  /** Asserts that the blob store had the key within the maximum age of a tree in a cache. */
  readonly opened: (opened: Opened) => void;
  /** Seals of erased and ignored requests that Blob still opens. */
  readonly leftIn: () => readonly string[];
  /** Asserts that all other seals open to the posted texts. */
  readonly lookAtTexts: () => void;
  /** Whether a restored backup lacks the key of the render's text. */
  readonly isKeyLost: (render_id: string) => boolean;
};

export type SealsJudgeDependencies = {
  readonly world: World;
  readonly blobs: BlobServer;
  readonly requests: () => readonly SealedRequest[];
  readonly postedAs: (correlation_id: string | null) => Posted | undefined;
  readonly isErased: (render_id: string) => boolean;
};

type Outcome =
  | { readonly tag: 'text'; readonly text: SealedText }
  | { readonly tag: 'no_key' }
  | { readonly tag: 'no_text' };

/** Opens the box with the blobs as they are now. Reads the tree itself, past all caches. */
const openNow = ({ blobs }: BlobServer, path: string, { sealed, ...event }: RenderRequested): Outcome => {
  const bytes = blobs.get(path);
  const tree = bytes === undefined ? null : decodeKeyTree(bytes);
  if (sealed === null || tree === null || E.isLeft(tree)) return { tag: 'no_key' };
  const key = deriveLeaf(tree.right, sealed.leaf);
  if (key === null) return { tag: 'no_key' };
  const plain = openBox(key, { ...event, ...sealed }, sealed.box);
  const text = plain === null ? null : decodeSealedText(plain);
  return text === null ? { tag: 'no_text' } : { tag: 'text', text };
};

const pathOf = ({ account_id, sealed }: RenderRequested): string =>
  sealed === null ? '' : (keyTreePath(account_id, sealed.tree) ?? '');

/** The text that a request must have. */
const textOf = ({ name, values, draft }: OrderBody): SealedText => ({
  name,
  ...(Object.keys(values).length > 0 ? { values } : {}),
  ...(draft ? { draft } : {}),
});

/**
 * Opens every request of the log with the keys that the blob store still has. Ignored requests count too: their records
 * stay in the log.
 */
export const judgeSeals = ({ world, blobs, requests, postedAs, isErased }: SealsJudgeDependencies): SealsJudge => {
  const isForgotten = ({ event, is_accepted }: SealedRequest): boolean => !is_accepted || isErased(event.render_id);

  /** A writer notices within the maximum age of a tree that a restore has removed it. */
  const mayBeLost = (path: string, posted_at: number): boolean =>
    posted_at <= (blobs.lost.get(path) ?? Number.NEGATIVE_INFINITY) + MAX_TREE_AGE_MS;

  const faultIn = ({ event }: SealedRequest): string | null => {
    const { meta, render_id } = event;
    const path = pathOf(event);
    const source = postedAs(meta.correlation_id);
    if (source === undefined) return `${render_id} has the correlation id ${meta.correlation_id} of no request`;
    const opened = openNow(blobs, path, event);
    if (opened.tag === 'no_key')
      return mayBeLost(path, source.at) ? null : `the text of ${render_id} has no key in ${path}`;
    if (opened.tag === 'no_text') return `the box of ${render_id} does not open with its key`;
    return isDeepStrictEqual(opened.text, textOf(source.body))
      ? null
      : `the box of ${render_id} has ${JSON.stringify(opened.text)}, not ${JSON.stringify(textOf(source.body))}`;
  };

  /** Whether some version of the tree from a time on had the leaf. */
  const hadLeafSince = (path: string, leaf: number, since: number): boolean => {
    const versions = blobs.tree_versions.get(path) ?? [];
    return versions.some(({ bytes }, n) => {
      const until = versions[n + 1]?.at ?? Number.POSITIVE_INFINITY;
      if (until < since || bytes === null) return false;
      const tree = decodeKeyTree(bytes);
      return E.isRight(tree) && hasLeaf(tree.right, leaf);
    });
  };

  return {
    opened: ({ by, record: { account_id, render_id, sealed }, began }) => {
      const path = keyTreePath(account_id, sealed.tree) ?? '';
      if (!hadLeafSince(path, sealed.leaf, began - MAX_TREE_AGE_MS))
        world.violate(`${by} opened the text of ${render_id}, whose key was erased long before`);
    },
    leftIn: () =>
      requests()
        .filter(
          (request) => isForgotten(request) && openNow(blobs, pathOf(request.event), request.event).tag === 'text',
        )
        .map(({ event, is_accepted }) => {
          const why = is_accepted ? 'was erased' : 'is ignored';
          return `the request ${event.meta.correlation_id} of ${event.render_id} ${why}, and its text opens`;
        }),
    lookAtTexts: () => {
      for (const request of requests()) {
        const fault = isForgotten(request) ? null : faultIn(request);
        if (fault !== null) world.violate(fault);
      }
    },
    isKeyLost: (render_id) =>
      requests().some(
        ({ event, is_accepted }) => is_accepted && event.render_id === render_id && blobs.lost.has(pathOf(event)),
      ),
  };
};
