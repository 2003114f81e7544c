import { downloadZip } from 'client-zip';
import { api, unwrapAnswer } from '../api/client.ts';
import { saveBlob } from '../shown/save-blob.ts';

export type Film = { readonly render_id: string; readonly file_name: string };

/** Without a file to write to, the browser holds the whole ZIP. */
const MAX_HELD_BYTES = 1_000_000_000;

/** A fault of one film, for the person. */
export class ZipFault extends Error {
  override readonly name = 'ZipFault';
}

type Job = {
  readonly team_id: string;
  readonly films: readonly Film[];
  /** The number of films that are in the ZIP. */
  readonly tell: (count: number) => void;
  readonly signal: AbortSignal;
};

const MAX_TRIES = 3;

/** The URL is fresh for each film, because a long ZIP takes longer than a URL lives. */
const fetchFilm = async ({ team_id, signal }: Job, { render_id, file_name }: Film): Promise<Response> => {
  for (let tries = 1; ; tries += 1) {
    try {
      const { files } = await unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders/{render_id}/files', {
          params: { path: { team_id, render_id } },
          signal,
        }),
      );
      const [file] = files;
      if (file === undefined) throw new ZipFault(`${file_name} was deleted. Reload the page to leave it out.`);
      const response = await fetch(file.url, { signal, credentials: 'omit' });
      if (response.ok) return response;
      await response.body?.cancel();
    } catch (error) {
      if (signal.aborted || error instanceof ZipFault) throw error;
    }
    if (tries === MAX_TRIES) throw new ZipFault(`${file_name} could not be downloaded. Try again.`);
  }
};

async function* entries(job: Job) {
  for (const [index, film] of job.films.entries()) {
    job.tell(index);
    const input = await fetchFilm(job, film);
    yield { name: film.file_name, input, lastModified: new Date() };
  }
  job.tell(job.films.length);
}

/** Only some browsers can write a download as it arrives. */
type FilePicker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;

const filePicker = (): FilePicker | null => {
  const { showSaveFilePicker } = Object(window);
  return typeof showSaveFilePicker === 'function' ? showSaveFilePicker.bind(window) : null;
};

const bounded = (): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes <= MAX_HELD_BYTES) controller.enqueue(chunk);
      else
        controller.error(
          new ZipFault(
            'This browser saves at most 1 GB at once. Use Chrome or Edge, or download the videos one by one.',
          ),
        );
    },
  });
};

const saveHeld = async (zip: ReadableStream<Uint8Array>, file_name: string): Promise<void> => {
  const blob = await new Response(zip.pipeThrough(bounded()), {
    headers: { 'Content-Type': 'application/zip' },
  }).blob();
  saveBlob(blob, file_name);
};

/** Saves the films as one ZIP, in their order. Call it from a click, because the browser may ask for the place. */
export const saveZip = async (job: Job, file_name: string): Promise<void> => {
  const pick = filePicker();
  const handle = pick === null ? null : await pick({ suggestedName: file_name });
  const { body } = downloadZip(entries(job));
  if (body === null) throw new Error('a ZIP has no bytes');
  if (handle === null) return saveHeld(body, file_name);
  await body.pipeTo(await handle.createWritable(), { signal: job.signal });
};
