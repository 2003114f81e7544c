import { type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { accountById } from '../../catalogue/accounts.ts';
import { auditCsv } from '../../catalogue/audit-csv.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { teamById } from '../../catalogue/teams.ts';
import { AUDIT_KINDS, type AuditKind } from '../../domain/audit/kinds.ts';
import { type AuditPage, type AuditQuery, openAudit } from '../../read-models/audit/audit.ts';
import type { AuditScope } from '../../read-models/audit/tokens.ts';
import { catalogueReadModel } from '../../read-models/catalogue/management.ts';
import { auditText } from '../audit/audit-text.ts';
import type { CliFault } from '../fault.ts';
import { dataScreen } from '../screen.ts';
import { writeAll } from '../write-all.ts';
import { countParser, parseAuditPosition, parsePastTime, parseTimeOrAgo } from './arguments.ts';
import {
  addCommand,
  type CommandContext,
  commandOutputOf,
  type JsonOption,
  runCommand,
  runStreamingCommand,
} from './command.ts';

type AuditOptions = JsonOption & {
  account?: string;
  team?: string;
  actor?: string;
  kind?: AuditKind;
  since?: number;
  until?: number;
  withRenders?: true;
  limit: number;
  after?: string;
  csv?: true;
};

const MAX_OF_A_PAGE = 500;
const DEFAULT_PAGE = 50;

const HELP = `
Lists the newest entries first: time, actor, action, and the log record. "refused"
marks a change without effect, with the reason. Without --account and --team the
command lists all entries; only this list has changes of users and attempts on
accounts that do not exist. A key for several teams is in the list of each team.
Actors are user:user_…, key:key_…, operator:ROLE, or a component of the service.

Requested renders are listed only with --with-renders or --kind RenderRequested,
because there can be very many; cancelled renders are always listed. Entries have
ids, but no names, addresses or secrets. Times are UTC. --csv writes all pages;
--after shows the next page of a table.`;

const scopeOf = ({ account, team }: AuditOptions): AuditScope =>
  account !== undefined
    ? { tag: 'account', account_id: account }
    : team !== undefined
      ? { tag: 'team', team_id: team }
      : { tag: 'all' };

const queryOf = (options: AuditOptions): AuditQuery => ({
  scope: scopeOf(options),
  actor: options.actor ?? null,
  kind: options.kind ?? null,
  with_requests: options.withRenders === true,
  since: options.since ?? null,
  until: options.until ?? null,
});

type Db = Parameters<typeof openAudit>[0];

const audited = async (db: Db, options: AuditOptions): Promise<E.Either<CatalogueFault | CliFault, AuditQuery>> => {
  const { account, team, since, until } = options;
  if (since !== undefined && until !== undefined && until <= since)
    return E.left({ tag: 'usage', message: '--until must be after --since' });
  const view = catalogueReadModel(db);
  const known =
    account !== undefined
      ? await accountById(view, account)
      : team !== undefined
        ? await teamById(view, team)
        : E.right(null);
  if (E.isLeft(known)) return known;
  if (await openAudit(db).isFolded()) return E.right(queryOf(options));
  return E.left({ tag: 'not_folded_yet', what: 'the audit is' });
};

const page = (context: CommandContext, options: AuditOptions): Promise<E.Either<CliFault, AuditPage>> =>
  context.connection.db(async (db) => {
    const query = await audited(db, options);
    if (E.isLeft(query)) return query;
    return E.right(await openAudit(db).page(query.right, options.after ?? null, options.limit));
  });

const asCsv = (context: CommandContext, options: AuditOptions): Promise<E.Either<CliFault, null>> =>
  context.connection.db(async (db) => {
    const query = await audited(db, options);
    if (E.isLeft(query)) return query;
    return await writeAll(dataScreen(context.stdout), auditCsv(openAudit(db).stream(query.right)), context.stop);
  });

export const auditCommand = (program: Command, context: CommandContext): void => {
  addCommand(program, 'audit', 'list changes with their time, actor and log record', [
    'audit --account acc_01JD…',
    'audit --team team_01JD… --actor user:user_01JD… --since 7d',
    'audit --kind ApiKeyIssued --since 2026-11-01 --until 2026-12-01 --csv > keys.csv',
  ])
    .addOption(new Option('--account <account>', 'only entries of this account').conflicts('team'))
    .option('--team <team>', 'only entries of this team')
    .option('--actor <actor>', 'only changes by this actor, like user:user_01JD… or key:key_01JD…')
    .addOption(new Option('--kind <kind>', 'only this kind of change').choices(AUDIT_KINDS))
    .option('--since <time>', 'start at this time: a date, or how long ago, like 30d', parsePastTime)
    .option('--until <time>', 'before this time', parseTimeOrAgo)
    .option('--with-renders', 'include requested renders')
    .option('--limit <count>', `entries per page, at most ${MAX_OF_A_PAGE}`, countParser(MAX_OF_A_PAGE), DEFAULT_PAGE)
    .addOption(new Option('--after <position>', 'the page after this position').argParser(parseAuditPosition))
    .addOption(new Option('--csv', 'all entries as CSV').conflicts(['json', 'after', 'limit']))
    .addHelpText('after', HELP)
    .action((options: AuditOptions) =>
      options.csv === true
        ? runStreamingCommand(context, options.json, asCsv(context, options))
        : runCommand(context, options.json, commandOutputOf(page(context, options), auditText)),
    );
};
