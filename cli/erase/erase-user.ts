import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueWriter } from '../../catalogue/change.ts';
import { eraseUser, userCleanupCommands } from '../../catalogue/erasures.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import { userPrefix } from '../../schemas/blobs/paths.ts';
import type { CommandContext } from '../commands/command.ts';
import { remainingFilesText } from './erase-project.ts';
import { type ErasureAnswer, waitForErasureAnswer } from './is-finished.ts';

export const erasedUserText = ({ id, repeated, rest }: ErasureAnswer): string =>
  [
    repeated === true ? `${id} is already erased; nothing changed.` : `${id} is erased: the user has no access.`,
    rest === 'erased'
      ? 'The address, roles, keys and identities of the user are deleted.'
      : 'Some roles, keys and identities of the user are not deleted yet. The "retention" process continues in the background. Repeat the command to see its progress.',
  ].join('\n');

export const eraseUserAndWait = async (
  context: CommandContext,
  catalogue: CatalogueWriter,
  blobs: Pick<EvictableBlobs, 'list'>,
  id: string,
): Promise<E.Either<CatalogueFault, ErasureAnswer>> => {
  const done = await eraseUser(catalogue, id);
  if (E.isLeft(done)) return done;
  const { read_model, clock } = catalogue;
  const look = async (): Promise<string | null> => {
    const { length } = await userCleanupCommands(read_model, id, clock.now());
    if (length > 0) return `roles, keys and identities of ${id} that are not erased yet: ${length}`;
    return await remainingFilesText(blobs, userPrefix(id), id);
  };
  return E.right(await waitForErasureAnswer(context, id, done.right, look));
};
