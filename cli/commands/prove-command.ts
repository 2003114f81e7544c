import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import { bundleText } from '../../proofs/bundle/proof-bundle.ts';
import type { CliFault } from '../fault.ts';
import { withMismatchAsFault } from '../notary/proofs.ts';
import { addCommand, type CommandContext, commandOutputOf, type JsonOption, runCommand } from './command.ts';

type Written = { readonly file: string; readonly records: number };

const proved = async (context: CommandContext, render: string, file: string): Promise<E.Either<CliFault, Written>> => {
  const { connection } = context;
  const { proveRender } = await import('../prove/prove-render.ts');
  const bundle = await connection.proofs((proofs) =>
    withMismatchAsFault(`the log of ${render}`, () => proveRender(connection, proofs, render)),
  );
  if (E.isLeft(bundle)) return bundle;
  try {
    await writeFile(file, bundleText(bundle.right));
  } catch (error) {
    return E.left({ tag: 'unwritable_file', path: file, message: messageOf(error) });
  }
  return E.right({ file, records: bundle.right.records.length });
};

export const proveCommand = (program: Command, context: CommandContext): void => {
  addCommand(program, 'prove <render>', 'write a file that proves that the log has the records of a render', [
    'prove rend_01JD… -o proof.json',
  ])
    .addOption(new Option('-o, --output <file>', 'the output file').makeOptionMandatory())
    .action((render: string, { json, output }: JsonOption & { readonly output: string }) =>
      runCommand(
        context,
        json,
        commandOutputOf(
          proved(context, render, output),
          ({ file, records }) =>
            `${file} proves ${records} records of ${render}. It contains the records, with hashes instead of names and values.\nVerify it anywhere with: renderctl verify ${file} --key KEY`,
        ),
      ),
    );
};
