import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { reportOf } from '../fault.ts';
import { BATCH_RETRY_OPTIONS, createRequestRetrier } from '../http/retry.ts';
import { type PendingOutput, toCommandOutput } from '../output.ts';
import { type DetailedRender, withDetailsOfAll } from '../render/detailed-render.ts';
import type { RenderApi } from '../render/render-api.ts';
import { rendersText } from '../render/render-text.ts';
import { addCommand, type CommandContext, type JsonOption, runCommand } from './command.ts';
import { type TeamOption, teamOption } from './team-option.ts';

const AT_ONCE = 8;

type Cancelled = { readonly data: readonly DetailedRender[] };

/** Lists the renders, and says which cancellations are recorded but not yet in effect. */
const cancelledText = ({ data }: Cancelled): string => {
  const later = data.filter(({ status }) => status !== 'failed').map(({ id }) => id);
  const note = later.length === 0 ? '' : `\n\n${later.join(', ')} will be cancelled, unless they complete first.`;
  return `${rendersText(data)}${note}`;
};

const cancelled = async (context: CommandContext, api: RenderApi, given: readonly string[]): PendingOutput => {
  const ids = [...new Set(given)];
  const retry = createRequestRetrier({ ...BATCH_RETRY_OPTIONS, stop: context.stop });
  const limit = pLimit(AT_ONCE);
  const results = await Promise.all(
    ids.map((id) => limit(async () => ({ id, result: await retry(() => api.cancel(id)) }))),
  );
  const done = results.flatMap(({ result }) => (E.isRight(result) ? [result.right] : []));
  const faults = results.flatMap(({ id, result }) => (E.isLeft(result) ? [{ id, fault: result.left }] : []));
  const [first] = faults;
  if (first === undefined) return toCommandOutput(E.right({ data: await withDetailsOfAll(api, done) }), cancelledText);
  if (ids.length === 1 || first.fault.tag === 'interrupted') return E.left(first.fault);
  const reasons = faults.map(({ id, fault }) => `${id}: ${reportOf(fault).message}`);
  return E.left({ tag: 'not_cancelled', cancelled: done.length, reasons });
};

const HELP = `
A cancelled render ends as failed, with the code "cancelled", and costs nothing. A
complete or failed render stays unchanged: the exit code is then 1, and the other
renders are cancelled. You can repeat the command safely.`;

export const renderCancelCommand = (renders: Command, context: CommandContext): void => {
  addCommand(renders, 'cancel <renders...>', 'cancel renders; cancelled renders cost nothing', [
    'render cancel rend_01JD…',
    'render cancel rend_01JD… rend_01JE… --json',
  ])
    .addOption(teamOption())
    .addHelpText('after', HELP)
    .action((ids: readonly string[], { json, team }: JsonOption & TeamOption) =>
      runCommand(
        context,
        json,
        context.connection.api((api) => cancelled(context, api, ids), team),
      ),
    );
};
