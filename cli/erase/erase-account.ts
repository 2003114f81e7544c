import * as E from 'fp-ts/lib/Either.js';
import { accountById } from '../../catalogue/accounts.ts';
import type { CatalogueWriter } from '../../catalogue/change.ts';
import {
  countRemainingEntities,
  eraseAccount,
  hasNoRemainingEntities,
  type RemainingEntityCounts,
} from '../../catalogue/erasures.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { ProjectRenders } from '../../read-models/renders/project-renders.ts';
import { accountPrefix } from '../../schemas/blobs/paths.ts';
import type { CommandContext } from '../commands/command.ts';
import type { CliFault } from '../fault.ts';
import { type RemainingDataSources, remainingFilesText, remainingRendersText } from './erase-project.ts';
import { openErasuresText } from './erasures-under-way.ts';
import { type ErasureAnswer, waitForErasureAnswer } from './is-finished.ts';

const MAX_COUNTED = 1_000;

export const erasedAccountText = ({ id, repeated, rest }: ErasureAnswer): string =>
  [
    repeated === true
      ? `${id} is already erased; nothing changed.`
      : `${id} is erased: its keys no longer work, and it cannot be changed.`,
    rest === 'erased'
      ? 'Its projects, its renders and the keys of their texts are erased, its API keys, invitations and endpoints have ended, and its members are removed.'
      : 'Some of it is not erased yet. The "retention" process continues in the background. Repeat the command to see its progress.',
    'The log keeps its name, the names of its teams and keys, and the URLs of its endpoints (docs/privacy.md). Its charges stay: "renderctl account statement".',
  ].join('\n');

const countText = (count: number, one: string, more: string): readonly string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : more}`];

const leftTexts = ({ keys, invitations, people, endpoints, projects }: RemainingEntityCounts): readonly string[] => [
  ...countText(projects, 'project', 'projects'),
  ...countText(people, 'person', 'people'),
  ...countText(keys, 'key', 'keys'),
  ...countText(endpoints, 'endpoint', 'endpoints'),
  ...countText(invitations, 'invitation', 'invitations'),
];

async function* projectsOf(read_model: CatalogueReadModel, account_id: string): AsyncGenerator<string> {
  for (const { id } of await read_model.teams(account_id)) yield* await read_model.projectIds(id);
}

const rendersText = async (find: ProjectRenders, projects: AsyncIterable<string>): Promise<string> => {
  let [renders, looked_at] = [0, 0];
  for await (const id of projects) {
    renders += (await find(id, null, MAX_COUNTED)).length;
    looked_at += 1;
    if (renders >= MAX_COUNTED || looked_at >= MAX_COUNTED) return `${renders} renders or more`;
  }
  return renders === 1 ? '1 render' : `${renders} renders`;
};

const extentOf = async (
  { read_model, clock }: CatalogueWriter,
  { find }: RemainingDataSources,
  id: string,
): Promise<string> => {
  const left = await countRemainingEntities(read_model, id, clock.now());
  const teams = (await read_model.teams(id)).length;
  const parts = [...countText(teams, 'team', 'teams'), ...leftTexts(left)];
  return [...parts, await rendersText(find, projectsOf(read_model, id))].join(', ');
};

/** Asks the user to type the id, unless the command line has it (`given`). The erasure cannot be undone. */
const confirmed = async (
  { ask, stderr, stop }: CommandContext,
  id: string,
  given: string | undefined,
  extent: () => Promise<string>,
): Promise<E.Either<CliFault, null>> => {
  if (given === undefined) stderr.write(`${id} has ${await extent()}. You cannot undo the erasure.\n`);
  const typed = given ?? (await ask(`Type ${id} to erase it: `));
  if (stop.aborted) return E.left({ tag: 'interrupted' });
  if (typed === null)
    return E.left({ tag: 'usage', message: `add --confirm ${id}: without a terminal the command cannot ask` });
  if (typed.trim() === id) return E.right(null);
  return E.left({ tag: 'refused', reason: 'not_confirmed', message: `the answer is not ${id}; nothing was erased` });
};

const restOf = (
  { read_model, clock }: CatalogueWriter,
  { find, blobs, erasuresUnderWay }: RemainingDataSources,
  id: string,
) => {
  const done = new Set<string>();
  const erasuresText = openErasuresText(
    id,
    erasuresUnderWay(({ account_id }) => account_id === id),
  );
  return async (): Promise<string | null> => {
    const left = await countRemainingEntities(read_model, id, clock.now());
    if (!hasNoRemainingEntities(left)) return `not erased yet in ${id}: ${leftTexts(left).join(', ')}`;
    for await (const project_id of projectsOf(read_model, id)) {
      if (done.has(project_id)) continue;
      const renders = await remainingRendersText(find, project_id);
      if (renders !== null) return renders;
      done.add(project_id);
    }
    return (await erasuresText()) ?? (await remainingFilesText(blobs, accountPrefix(id), id));
  };
};

export const eraseAccountAndWait = async (
  context: CommandContext,
  catalogue: CatalogueWriter,
  rest: RemainingDataSources,
  id: string,
  given: string | undefined,
): Promise<E.Either<CatalogueFault | CliFault, ErasureAnswer>> => {
  const found = await accountById(catalogue.read_model, id);
  if (E.isLeft(found)) return found;
  const sure = await confirmed(context, id, given, () => extentOf(catalogue, rest, id));
  if (E.isLeft(sure)) return sure;
  const done = await eraseAccount(catalogue, id);
  if (E.isLeft(done)) return done;
  return E.right(await waitForErasureAnswer(context, id, done.right, restOf(catalogue, rest, id)));
};
