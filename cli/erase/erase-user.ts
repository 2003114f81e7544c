import * as E from 'fp-ts/lib/Either.js';
import type { Catalogue } from '../../catalogue/change.ts';
import { eraseUser, userRest } from '../../catalogue/erasures.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import { userPrefix } from '../../schemas/blobs/paths.ts';
import type { CommandContext } from '../commands/command.ts';
import { filesLeft } from './erase-project.ts';
import { type ErasedAnswer, whenFinished } from './is-finished.ts';

export const erasedUserText = ({ id, repeated, rest }: ErasedAnswer): string =>
  [
    repeated === true
      ? `${id} was erased before; nothing has changed.`
      : `${id} is erased: the user may do nothing any more, and is given nothing.`,
    rest === 'erased'
      ? 'Their address is deleted, and their roles, keys and identities are taken away.'
      : 'Not all that they had is taken away yet: the process "retention" goes on by itself; repeat this to see how far it is.',
  ].join('\n');

export const erasedUser = async (
  context: CommandContext,
  catalogue: Catalogue,
  blobs: Pick<EvictableBlobs, 'list'>,
  id: string,
): Promise<E.Either<CatalogueFault, ErasedAnswer>> => {
  const done = await eraseUser(catalogue, id);
  if (E.isLeft(done)) return done;
  const { read_model, clock } = catalogue;
  const look = async (): Promise<string | null> => {
    const { length } = await userRest(read_model, id, clock.now());
    if (length > 0) return `roles, keys and identities of ${id} that are left: ${length}`;
    return await filesLeft(blobs, userPrefix(id), id);
  };
  return E.right(await whenFinished(context, id, done.right, look));
};
