import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { readAssets } from '../catalogue/asset-files.ts';
import { REMOTE_INSPECTION } from '../catalogue/project-files.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient } from '../http/api-client.ts';
import { fileToUpload } from '../http/import-project.ts';
import { bytesText } from '../http/transfer-progress.ts';
import { uploadFiles, uploadKeyOf } from '../http/upload-files.ts';
import { tableText } from '../table.ts';
import { addCommand, type CommandContext, commandOutputOf, type JsonOption, runCommand } from './command.ts';

type UploadOptions = JsonOption & { readonly team?: string };

type ShownUpload = {
  readonly file: string;
  readonly upload_id: string;
  readonly kind: string;
  readonly size_bytes: number;
  readonly sha256: string;
};

const uploaded = async (
  context: CommandContext,
  client: ApiClient,
  files: readonly string[],
  team_id: string | null,
): Promise<E.Either<CliFault, { readonly data: readonly ShownUpload[] }>> => {
  const read = await readAssets(files, { id: null, kind: null }, REMOTE_INSPECTION);
  if (E.isLeft(read)) return read;
  const sent = await uploadFiles(context, client, read.right.map(fileToUpload), team_id);
  if (E.isLeft(sent)) return sent;
  const faults: string[] = [];
  const data = read.right.flatMap(({ path, stored }) => {
    const upload = sent.right.get(uploadKeyOf(stored));
    for (const fault of upload?.faults ?? []) faults.push(`${path}: ${fault}`);
    const { kind, size_bytes, sha256 } = stored;
    return upload === undefined ? [] : [{ file: path, upload_id: upload.id, kind, size_bytes, sha256 }];
  });
  return faults.length > 0 ? E.left({ tag: 'invalid_files', faults }) : E.right({ data });
};

const HELP = `
A document of a project names an uploaded file by its id: {"id": "logo", "kind": "image",
"upload": "upload_…"}. An upload that no project uses expires after seven days. If the
team has the bytes of a file, nothing is sent. You can interrupt the command: the same
command continues.`;

export const assetUploadCommand = (assets: Command, context: CommandContext): void => {
  addCommand(assets, 'upload', 'upload files without adding them to a project, through the API', [
    'asset upload logo.png song.mp3',
    'asset upload film.mp4 --team team_01JD… --json',
  ])
    .addArgument(new Argument('<files...>', 'the files'))
    .option('--team <team>', 'the team of the uploads, if the key reaches several teams')
    .addHelpText('after', HELP)
    .action((files: string[], { team, json }: UploadOptions) => {
      const uploads = context.connection.service((client) => uploaded(context, client, files, team ?? null));
      const text = ({ data }: { readonly data: readonly ShownUpload[] }): string =>
        tableText(
          ['upload', 'kind', 'size', 'file'],
          data.map(({ upload_id, kind, size_bytes, file }) => [upload_id, kind, bytesText(size_bytes), file]),
        );
      return runCommand(context, json, commandOutputOf(uploads, text));
    });
};
