import { stat } from 'node:fs/promises';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

const Probe = t.type({
  format: t.type({ duration: t.string }),
  streams: t.array(
    t.intersection([t.type({ codec_name: t.string }), t.partial({ width: t.number, height: t.number })]),
  ),
});

const PROBE_TIMEOUT_MS = 20_000;

export const videoText = async (path: string): Promise<string> => {
  const entries = 'format=duration:stream=codec_name,width,height';
  const args = ['-v', 'error', '-protocol_whitelist', 'file', '-show_entries', entries, '-of', 'json', path];
  const { stdout } = await execa('ffprobe', args, { stdin: 'ignore', timeout: PROBE_TIMEOUT_MS });
  const probe = Probe.decode(JSON.parse(stdout));
  if (E.isLeft(probe)) throw new Error(`ffprobe cannot read ${path}`);
  const { format, streams } = probe.right;
  const picture = streams.find(({ width }) => width !== undefined);
  const codecs = streams.map(({ codec_name }) => codec_name).join(' and ');
  const size = `${picture?.width ?? 0}x${picture?.height ?? 0}`;
  return `${Number(format.duration).toFixed(1)} s, ${size}, ${codecs}, ${await sizeText(path)}`;
};

export const sizeText = async (path: string): Promise<string> => {
  const { size } = await stat(path);
  return size < 1_000_000 ? `${Math.ceil(size / 1_000)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
};
