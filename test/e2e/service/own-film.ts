import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import sharp from 'sharp';
import { ROOT, requireTool, toolFolder } from '../../../stack/servers/tools.ts';
import { caller } from '../../helpers/renderctl.ts';
import { test } from './_service-in-common.ts';

test.serial('the example program renders a film from its own picture, with a key alone', async (t) => {
  t.timeout(360_000);
  const { stack, folder } = t.context.service;
  const renderctl = caller(stack.env);
  const created = async (...args: readonly string[]) => {
    const { exit_code, stdout, stderr } = await renderctl(...args, '--json');
    t.is(exit_code, 0, stderr);
    return JSON.parse(stdout);
  };
  const account = await created('account', 'create', '--name', 'Makers', '--unlimited');
  const team = await created('team', 'create', '--account', account.id, '--name', 'Makers');
  const wanted = ['--account', account.id, '--team', team.id, '--name', 'Maker', '--scope', 'projects:write'];
  const { key } = await created('key', 'create', ...wanted);

  const background = { r: 12, g: 90, b: 60 };
  const picture = await sharp({ create: { width: 640, height: 360, channels: 3, background } })
    .png()
    .toBuffer();
  await writeFile(join(folder, 'forest.png'), picture);
  const python = requireTool(join(toolFolder('reader'), 'bin', 'python'));
  const program = join(ROOT, 'examples', 'own-film', 'own_film.py');
  const env = { BASE_URL: `${stack.base_url}/`, API_KEY: key };
  const options = { cwd: folder, env, timeout: 150_000 };
  await writeFile(join(folder, 'cut-off.png'), picture.subarray(0, 60));
  const refused = await execa(python, [program, 'cut-off.png', 'No'], { ...options, reject: false });
  t.is(refused.exitCode, 1);
  t.regex(refused.stderr, /^cut-off\.png: [a-z][^{}]+$/);
  const { stdout } = await execa(python, [program, 'forest.png', 'In the forest'], options);
  t.is(stdout, 'film.mp4');

  const frame = join(folder, 'frame.png');
  await execa('ffmpeg', ['-v', 'error', '-ss', '2', '-i', join(folder, 'film.mp4'), '-frames:v', '1', frame]);
  const { data, info } = await sharp(frame).raw().toBuffer({ resolveWithObject: true });
  t.deepEqual([info.width, info.height], [1280, 720]);
  for (const [channel, value] of Object.values(background).entries())
    t.true(Math.abs((data[channel] ?? 0) - value) <= 4, `${data[channel]} for ${value}`);
});
