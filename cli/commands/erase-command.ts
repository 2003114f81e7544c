import { setTimeout as wait } from 'node:timers/promises';
import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueWriter } from '../../catalogue/change.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { isFinal, type Render } from '../../domain/render/render.ts';
import { renderIdTime } from '../../domain/render/render-id.ts';
import { type BlobStore, isBlobStoreUnavailable } from '../../platform/blob-store/blob-store.ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { consumerPositions } from '../../platform/read-store/consumer-positions.ts';
import { isPunctured } from '../../platform/seals/is-punctured.ts';
import { type ErasableRenders, erasableRenders, foldedErasures } from '../../read-models/renders/erasable-renders.ts';
import { openProjectRenders } from '../../read-models/renders/project-renders.ts';
import { ERASURES_CONSUMER } from '../../read-models/retention/erasure-positions.ts';
import { openUnpuncturedSeals } from '../../read-models/retention/unpunctured-seals.ts';
import { type EraseRefusal, eraseRender } from '../../render-commands/erase-render.ts';
import { eraseAccountAndWait, erasedAccountText } from '../erase/erase-account.ts';
import {
  erasedProjectText,
  eraseProjectAndWait,
  type ProjectErasureAnswer,
  type RemainingDataSources,
} from '../erase/erase-project.ts';
import { eraseRemoteRender, type RemoteErasedRender } from '../erase/erase-remote-render.ts';
import { erasedUserText, eraseUserAndWait } from '../erase/erase-user.ts';
import { openErasuresUnderWay } from '../erase/erasures-under-way.ts';
import type { CliFault } from '../fault.ts';
import { eraseRemoteProject } from '../http/projects.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  commandOutputOf,
  type DirectOption,
  directOption,
  type JsonOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';
import { inTeam, type TeamOption, teamOption } from './team-option.ts';

const LOOK_EVERY_MS = 250;
const YOUNG_MS = 10_000;
/** How long to wait until `retention` has deleted the files. */
const FILES_WAIT_MS = 60_000;

type ErasedAnswer = {
  readonly id: string;
  readonly repeated?: true;
  readonly files: 'deleted' | 'being_deleted';
  /** The API answers before the files are deleted. */
  readonly over_api?: true;
  /** True if an earlier version wrote the name into the log, where it remains. */
  readonly name_in_log: boolean;
};

const filesText = ({ files, over_api }: ErasedAnswer): string => {
  if (files === 'deleted') return 'Its texts and outputs are deleted.';
  if (over_api === true) return 'Its texts and outputs are deleted within moments.';
  return 'Some of its texts and outputs are not deleted yet. The "retention" process deletes them; the metric retention_erasure_lag_records shows its lag.';
};

const erasedText = (answer: ErasedAnswer): string => {
  const { id, repeated, name_in_log } = answer;
  return [
    repeated === true
      ? `${id} is already erased; nothing changed.`
      : `${id} is erased: the API answers 404 for it, and no list contains it.`,
    filesText(answer),
    ...(name_in_log
      ? ['Its name stays in the log, because it was requested by an earlier version (docs/privacy.md).']
      : []),
  ].join('\n');
};

const faultOf = (id: string, refusal: EraseRefusal): CliFault => {
  const again = 'run the command again to check; it is safe to repeat';
  switch (refusal.tag) {
    case 'absent':
      return { tag: 'not_found', what: 'render', id, list: 'render list' };
    case 'not_final':
      return { tag: 'refused', reason: 'not_final', message: `${id} is ${refusal.status}: wait until it has ended` };
    case 'unknown_version':
      return {
        tag: 'refused',
        reason: refusal.tag,
        message: `${id} has records of a newer version than this renderctl`,
      };
    case 'not_appended':
      return { tag: 'not_appended', message: refusal.message };
    case 'outcome_unknown':
      return { tag: 'outcome_unknown', message: refusal.message, next_step: again };
    case 'not_folded': {
      const waited = `${refusal.waited_ms / 1_000} s`;
      const message = `${id} is erased in the log, but the read model does not show it after ${waited}`;
      return { tag: 'outcome_unknown', message, next_step: again };
    }
  }
};

/**
 * Whether the id is only a few seconds old: the read model may not have its render yet. Clocks may differ by some
 * seconds.
 */
const isYoung = (id: string, clock: Pick<Clock, 'now'>): boolean => {
  const minted = renderIdTime(id);
  return minted !== null && Math.abs(clock.now() - minted) < YOUNG_MS;
};

/** Waits until the render has ended, or until Ctrl-C. Null if the render does not exist. */
export const waitUntilEnded = async (
  { stderr, stop }: Pick<CommandContext, 'stderr' | 'stop'>,
  renders: ErasableRenders,
  clock: Pick<Clock, 'now'>,
  id: string,
): Promise<E.Either<CliFault, Render | null>> => {
  for (let lastReported: string | null = null; ; ) {
    const found = await renders(id);
    const status = found?.render.status ?? null;
    if (status === null ? !isYoung(id, clock) : isFinal(status)) return E.right(found?.render ?? null);
    if (status !== null && status !== lastReported) stderr.write(`${id} is ${status}; waiting until it has ended\n`);
    lastReported = status;
    await wait(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return E.left({ tag: 'interrupted' });
  }
};

const pathsOf = ({ request, prepared, outputs, poster }: Render): readonly string[] =>
  [request, prepared?.composition, ...outputs, poster].flatMap((file) =>
    file === null || file === undefined ? [] : [file.path],
  );

export type ErasableBlobs = {
  readonly blobs: Pick<BlobStore, 'exists'>;
  readonly key_blobs: Pick<VersionedBlobs, 'read'>;
};

/** Each check resolves to whether something of the render can still be read. */
const remainsOf = ({ blobs, key_blobs }: ErasableBlobs, render: Render): readonly (() => Promise<boolean>)[] => {
  const { account_id, sealed } = render;
  return [
    ...(sealed === null ? [] : [async () => !(await isPunctured(key_blobs, account_id, sealed))]),
    ...pathsOf(render).map((path) => () => blobs.exists(path)),
  ];
};

/**
 * Waits until the key of the render's text and its files are deleted. False after `wait_ms`, also if Blob is
 * unavailable: the render is erased even if this cannot be checked.
 */
export const checkFilesDeleted = async (
  { stop }: Pick<CommandContext, 'stop'>,
  stores: ErasableBlobs,
  render: Render,
  wait_ms = FILES_WAIT_MS,
): Promise<boolean> => {
  const mayBeThere = (remains: () => Promise<boolean>): Promise<boolean> =>
    remains().catch((error: unknown) => {
      if (isBlobStoreUnavailable(error)) return true;
      throw error;
    });
  const until = performance.now() + wait_ms;
  for (const remains of remainsOf(stores, render)) {
    while (await mayBeThere(remains)) {
      if (stop.aborted || performance.now() > until) return false;
      await wait(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  }
  return true;
};

const erased = async (
  context: CommandContext,
  { records, actor, clock }: CatalogueWriter,
  renders: ErasableRenders,
  stores: ErasableBlobs,
  id: string,
): Promise<E.Either<CliFault, ErasedAnswer>> => {
  const { stop } = context;
  const over = await waitUntilEnded(context, renders, clock, id);
  if (E.isLeft(over)) return over;
  const done = await eraseRender(
    { renders, records, clock, stop },
    { render_id: id, team_id: null, actor, correlation_id: null },
  );
  if (E.isLeft(done)) {
    const { left: refusal } = done;
    return E.left(refusal.tag === 'not_folded' && stop.aborted ? { tag: 'interrupted' } : faultOf(id, refusal));
  }
  const { render, repeated, name_in_log } = done.right;
  const files = (await checkFilesDeleted(context, stores, render)) ? 'deleted' : 'being_deleted';
  return E.right({ id, ...(repeated ? { repeated } : {}), files, name_in_log });
};

const erasedRenderOverApi = (answer: RemoteErasedRender): ErasedAnswer => ({
  ...{ ...answer, files: 'being_deleted', over_api: true },
});

/** The API answers before the files are deleted. */
const erasedOverApi = ({ id }: { readonly id: string }): ProjectErasureAnswer => ({
  ...{ id, renders_and_files: 'being_erased', texts_in_log: null },
});

const withRemainingData = <A>(
  { connection, stop }: CommandContext,
  use: (catalogue: CatalogueWriter, rest: RemainingDataSources) => Promise<E.Either<CliFault | CatalogueFault, A>>,
): Promise<E.Either<CliFault, A>> =>
  connection.catalogue((catalogue) =>
    connection.records((records) =>
      connection.db((db) =>
        connection.listing((blobs) =>
          use(
            { ...catalogue, stop },
            {
              ...{ find: openProjectRenders(db), blobs, countUnpunctured: openUnpuncturedSeals(db).count },
              erasuresUnderWay: (isIncluded) =>
                openErasuresUnderWay(
                  {
                    ...{ records, positions: consumerPositions(db, ERASURES_CONSUMER) },
                    findErasure: foldedErasures(db),
                  },
                  isIncluded,
                ),
            },
          ),
        ),
      ),
    ),
  );

const PROJECT_HELP = `
Permanently erases the names and documents of all versions, the assets and the
thumbnails of a project, and all of its renders as "erase render" does. The
API then answers 404 for the project, and refuses new versions and renders. Running
renders are erased when they end; the command waits for them. After Ctrl-C the
service continues the erasure. To finish sooner, cancel the running renders:
renderctl render cancel.`;

const HELP = `
Permanently erases the name and values of a render, its outputs, poster and
fetched media, the encoded parts that it used, its webhook bodies and the
responses of endpoints. The API then answers 404 for the render, and 422 for
its Idempotency-Key. Its charge stays. The log keeps the time, the actor and the
project of the request, the attempts, and the sizes of the outputs. A sealed name
stays in the log without its key, so that it cannot be read. The command
waits for a running render; to finish sooner: renderctl render cancel. With a log-in
it needs the session of an admin of the team, and does not wait for the files.`;

const USER_HELP = `
Permanently erases the address of a user, and ends the user's roles, keys,
identities and sessions. The command refuses the last owner of an account, and
the last admin of a team whose account has no owner: give the role to another
user first. The log keeps the user id. Projects and renders of the user stay;
erase them with their own commands. The command waits until everything is
erased; after Ctrl-C the service continues the erasure.`;

const ACCOUNT_HELP = `
Permanently erases an account: its keys stop working at once, its projects and
all of their renders are erased, its invitations and endpoints stop working, and
all of its members are removed. Users stay, because they can belong to other
accounts: erase them with "erase user". Charges stay on the statement. The
command shows what it will erase and asks for the id; a script gives it with
--confirm. Running renders are erased when they end; after Ctrl-C the service
continues the erasure.`;

const eraseRenderCommand = (erase: Command, context: CommandContext): void => {
  const directly = (id: string) =>
    context.connection.catalogue((catalogue) =>
      context.connection.db((db) =>
        context.connection.blobs((blobs) =>
          context.connection.keyBlobs((key_blobs) =>
            erased(context, catalogue, erasableRenders(db), { blobs, key_blobs }, id),
          ),
        ),
      ),
    );
  addCommand(erase, 'render', 'erase a render: its name, values and outputs', ['erase render rend_01JD…'])
    .addArgument(new Argument('<render>', 'the render'))
    .addOption(teamOption())
    .addOption(directOption())
    .addHelpText('after', HELP)
    .action((id: string, options: JsonOption & DirectOption & TeamOption) => {
      const erasing = remotelyOrDirectly<ErasedAnswer>(context, options, {
        asPerson: inTeam(options.team, async (at) =>
          E.map(erasedRenderOverApi)(await eraseRemoteRender(context, at, id)),
        ),
        directly: () => directly(id),
      });
      return runCommand(context, options.json, commandOutputOf(erasing, erasedText));
    });
};

export const eraseCommands = (program: Command, context: CommandContext): void => {
  const erase = addCommandGroup(program, 'erase', 'erase personal data permanently');
  eraseRenderCommand(erase, context);
  addCommand(erase, 'project', 'erase a project and all of its renders', ['erase project proj_01JD…'])
    .addArgument(new Argument('<project>', 'the project'))
    .addOption(directOption())
    .addHelpText('after', PROJECT_HELP)
    .action((id: string, options: JsonOption & DirectOption) => {
      const erasing = remotelyOrDirectly<ProjectErasureAnswer>(context, options, {
        remotely: async (client) => E.map(erasedOverApi)(await eraseRemoteProject(client, id)),
        directly: () =>
          withRemainingData(context, (catalogue, rest) => eraseProjectAndWait(context, catalogue, rest, id)),
      });
      return runCommand(context, options.json, commandOutputOf(erasing, erasedProjectText));
    });
  addCommand(erase, 'user', 'erase a user: the address and all roles and keys', ['erase user user_01JD…'])
    .addArgument(new Argument('<user>', 'the user'))
    .addHelpText('after', USER_HELP)
    .action((id: string, { json }: JsonOption) => {
      const { connection, stop } = context;
      const erasing = connection.catalogue((catalogue) =>
        connection.listing((blobs) => eraseUserAndWait(context, { ...catalogue, stop }, blobs, id)),
      );
      return runCommand(context, json, commandOutputOf(erasing, erasedUserText));
    });
  addCommand(erase, 'account', 'erase an account with its projects, renders, keys and teams', [
    'erase account acc_01JD…',
    'erase account acc_01JD… --confirm acc_01JD…',
  ])
    .addArgument(new Argument('<account>', 'the account'))
    .option('--confirm <account>', 'the id again, to confirm without a prompt')
    .addHelpText('after', ACCOUNT_HELP)
    .action((id: string, { json, confirm }: JsonOption & { confirm?: string }) => {
      const erasing = withRemainingData(context, (catalogue, rest) =>
        eraseAccountAndWait(context, catalogue, rest, id, confirm),
      );
      return runCommand(context, json, commandOutputOf(erasing, erasedAccountText));
    });
};
