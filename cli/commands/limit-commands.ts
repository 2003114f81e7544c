import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { accountLimits, setAccountLimit } from '../../catalogue/account-limits.ts';
import type { LimitView } from '../../catalogue/answers.ts';
import type { CatalogueWriter } from '../../catalogue/change.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { LimitedResource } from '../../domain/catalogue/events.ts';
import { DEFAULT_LIMITS, LIMITED_RESOURCES, MAX_LIMITS } from '../../domain/catalogue/limits.ts';
import type { CliFault } from '../fault.ts';
import { tableText } from '../table.ts';
import { parseWholeNumber } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

const WORDS: Readonly<Record<LimitedResource, string>> = {
  keys: 'active API keys',
  endpoints: 'webhook endpoints',
  teams: 'teams',
  projects: 'projects',
  members: 'people (owners and team members)',
  inline_projects: 'documents that came with requests of renders',
};

export const limitsText = (limits: readonly LimitView[]): string =>
  tableText(
    ['resource', 'used', 'limit', 'set by'],
    limits.map(({ resource, used, most, is_default }) => [
      resource,
      used,
      most,
      is_default ? 'default' : 'an operator',
    ]),
  );

/** A limit, or "default". The result is not null for "default", because commander turns null into an empty text. */
const limitOrDefault =
  (resource: LimitedResource) =>
  (text: string): number | 'default' => {
    if (text === 'default') return text;
    const most = parseWholeNumber(text);
    if (most < 0 || most > MAX_LIMITS[resource])
      throw new InvalidArgumentError(`It must be from 0 to ${MAX_LIMITS[resource]}, or "default".`);
    return most;
  };

type Wanted = Readonly<Partial<Record<LimitedResource, number | 'default'>>>;

const setAll = async (
  catalogue: CatalogueWriter,
  account_id: string,
  wanted: Wanted,
): Promise<E.Either<CatalogueFault | CliFault, { readonly data: readonly LimitView[] }>> => {
  let limits: E.Either<CatalogueFault | CliFault, { readonly data: readonly LimitView[] }> = E.left({
    ...{ tag: 'usage', message: 'set at least one limit, for example --keys NUMBER' },
  });
  // Each limit is a separate record. If one fails, a repeated command sets the remaining ones.
  for (const resource of LIMITED_RESOURCES) {
    const most = wanted[resource];
    if (most === undefined) continue;
    limits = await setAccountLimit(catalogue, { account_id, resource, most: most === 'default' ? null : most });
    if (E.isLeft(limits)) return limits;
  }
  return limits;
};

export const limitCommands = (accounts: Command, context: CommandContext): void => {
  const limits = addCommandGroup(
    accounts,
    'limits',
    'limits of an account: keys, endpoints, teams, projects and members',
  );
  const account = () => new Argument('<account>', 'the account');

  addCommand(limits, 'show', 'show the limits of an account and how much of each is used', [
    'account limits show acc_01JD…',
  ])
    .addArgument(account())
    .action((account_id: string, { json }: JsonOption) => {
      const show = context.connection.view(async (view) =>
        E.map((data: readonly LimitView[]) => ({ data }))(await accountLimits(view, account_id, Date.now())),
      );
      return runCommand(
        context,
        json,
        commandOutputOf(show, ({ data }) => limitsText(data)),
      );
    });

  const set = addCommand(limits, 'set', 'set limits of an account; items above a lower limit are kept', [
    'account limits set acc_01JD… --keys 50 --members 20',
    'account limits set acc_01JD… --keys default',
  ]).addArgument(account());
  for (const resource of LIMITED_RESOURCES)
    set.addOption(
      new Option(`--${resource} <number>`, `${WORDS[resource]}; "default" is ${DEFAULT_LIMITS[resource]}`).argParser(
        limitOrDefault(resource),
      ),
    );
  set.action((account_id: string, { json, ...wanted }: JsonOption & Wanted) =>
    runCommand(
      context,
      json,
      commandOutputOf(
        context.connection.catalogue((catalogue) => setAll(catalogue, account_id, wanted)),
        ({ data }) => limitsText(data),
      ),
    ),
  );
};
