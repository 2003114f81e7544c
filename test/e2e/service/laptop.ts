import { randomBytes } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { execa } from 'execa';
import sharp from 'sharp';
import { type Call, caller } from '../../helpers/renderctl.ts';
import { type Common, test } from './_service-in-common.ts';

const SIDE = 1_400;

/** A picture of noise with a colour, which has several blocks as a file. */
const pictureOfSeveralBlocks = async (): Promise<Buffer> => {
  const noise = randomBytes(SIDE * SIDE * 3);
  return await sharp(noise, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer();
};

const document = (headline: string) => ({
  name: 'Own film',
  main_composition_id: 'comp_main',
  compositions: [
    {
      ...{ id: 'comp_main', width: 320, height: 180, fps: 15, duration: 1 },
      layers: [
        { id: 'photo', type: 'image', asset: 'photo', fit: 'cover' },
        { id: 'title', type: 'text', text: headline, font_size: 40, x: 20, y: 60, width: 280, height: 60 },
      ],
    },
  ],
  assets: [{ id: 'photo', kind: 'image', file: 'photo.png' }],
  templates: [
    {
      ...{ id: 'tpl_card', name: 'Card', target_composition_id: 'comp_main' },
      fields: [
        {
          ...{ key: 'title', label: 'Title', description: null, kind: 'text', widget: 'text', default_value: headline },
          target: { layer: 'title', property: 'text' },
        },
      ],
    },
  ],
});

type T = ExecutionContext<Common>;

const openLaptop = async (t: T) => {
  const { stack, folder } = t.context.service;
  const ok = ({ exit_code, stdout, stderr }: Call) => {
    t.is(exit_code, 0, stderr);
    return JSON.parse(stdout);
  };
  const operator = caller(stack.env);
  const account = ok(await operator('account', 'create', '--name', 'Laptop', '--unlimited', '--json'));
  const team = ok(await operator('team', 'create', '--account', account.id, '--name', 'Laptop', '--json'));
  const of_team = ['--account', account.id, '--team', team.id, '--json'];
  const { key } = ok(await operator('key', 'create', ...of_team, '--scope', 'projects:write'));
  const { key: reader } = ok(await operator('key', 'create', ...of_team));
  const home = { RENDERCTL_CONFIG_DIR: join(folder, 'configuration') };
  return {
    ...{ account, team, key, reader, home, ok },
    typing: (line: string) => caller(home, undefined, undefined, line),
    laptop: async (...args: readonly string[]) => ok(await caller(home)(...args, '--json')),
    refused: async (...args: readonly string[]) => (await caller(home)(...args)).stderr,
  };
};
type Laptop = Awaited<ReturnType<typeof openLaptop>>;

const logIn = async (t: T, { account, team, key, home, ok, typing, laptop, refused }: Laptop): Promise<void> => {
  const { base_url } = t.context.service.stack;
  t.regex(await refused('project', 'list'), /or log in to a service with "renderctl log in --url/);
  const wrong = await typing(`${key}x`)('log', 'in', '--url', base_url, '--key');
  t.regex(wrong.stderr, /log in again with "renderctl log in --url/);
  const logged_in = ok(await typing(key)('log', 'in', '--url', base_url, '--key', '--json'));
  t.like(logged_in, { url: base_url, account: { id: account.id }, teams: { 0: { id: team.id } } });
  t.is((await stat(join(home.RENDERCTL_CONFIG_DIR, 'log-in.json'))).mode & 0o777, 0o600);
  t.like(await laptop('whoami'), { key_from: 'log_in', account: { id: account.id } });
};

/** Makes four versions of a project from a folder, and returns its id. */
const importFolder = async (t: T, { team, laptop, refused }: Laptop): Promise<string> => {
  const film = join(t.context.service.folder, 'own film');
  await mkdir(film);
  await writeFile(join(film, 'photo.png'), await pictureOfSeveralBlocks());
  const write = (content: object) => writeFile(join(film, 'project.json'), JSON.stringify(content));
  await write(document('Hello'));
  const checked = await laptop('project', 'check', film);
  t.like(checked, { frames: 15, duration_s: 1, price_credits: 1, assets: { 0: { width: SIDE, height: SIDE } } });
  const project = await laptop('project', 'import', film);
  t.like(project, { name: 'Own film', team_id: team.id, version: 1, added: true });
  const of_project = ['--project', project.id];
  t.like(await laptop('project', 'import', film, ...of_project), { version: 1, added: false });
  await write(document('Second'));
  t.like(await laptop('project', 'import', film, ...of_project), { version: 2, added: true });
  await write(document('Third'));
  const stale = await refused('project', 'import', film, ...of_project, '--base-version', '1');
  t.regex(stale, /the newest version is 2, which key_\S+ added at/);
  await write({ ...document('Third'), main_composition_id: 'comp_mian' });
  t.regex(await refused('project', 'import', film, ...of_project), /has 1 error; nothing was imported\n {2}main_comp/);
  t.like(await laptop('project', 'rename', project.id, 'Renamed'), { name: 'Renamed', version: 3 });
  const dots = sharp(Buffer.alloc(12), { raw: { width: 2, height: 2, channels: 3 } });
  await writeFile(join(film, 'logo.png'), await dots.png().toBuffer());
  t.like(await laptop('asset', 'add', join(film, 'logo.png'), ...of_project), { version: 4, assets: { length: 2 } });
  await writeFile(join(film, 'damaged.png'), 'no picture');
  t.regex(
    await refused('asset', 'add', join(film, 'damaged.png'), ...of_project),
    /1 error; nothing was added\n {2}\S+/,
  );
  return project.id;
};

const readProject = async (t: T, { laptop }: Laptop, id: string): Promise<void> => {
  t.like(await laptop('project', 'list'), { data: { 0: { id } } });
  t.like(await laptop('project', 'show', id), { version: 4, document: { main_composition_id: 'comp_main' } });
  t.like(await laptop('project', 'versions', id), { data: { length: 4, 0: { version: 1 } } });
  t.like(await laptop('project', 'copy', id, '--name', 'Copied'), { name: 'Copied', version: 1 });
  t.like(await laptop('asset', 'list', id, '--version', '3'), {
    version: 3,
    assets: { 0: { file_name: 'photo.png' } },
  });
  t.like(await laptop('plan', id), { frames: 15, price_credits: 1 });
  const still = join(t.context.service.folder, 'still.webp');
  await laptop('still', id, '--at', '0.5', '--template', 'tpl_card', '--value', 'title=Laptop', '-o', still);
  t.like(await sharp(still).metadata(), { format: 'webp', width: 320, height: 180 });
};

test.serial('from a laptop, renderctl makes a film of a folder with a key alone', async (t) => {
  t.timeout(400_000);
  const opened = await openLaptop(t);
  const { laptop, refused, home, reader } = opened;
  await logIn(t, opened);
  const id = await importFolder(t, opened);
  await readProject(t, opened, id);

  const saved = join(t.context.service.folder, 'own-film.mp4');
  const values = ['--template', 'tpl_card', '--value', 'title=Laptop'];
  const render = await laptop('render', 'create', '--name', 'Mine', '--project', id, ...values, '-o', saved);
  t.like(render, { file: saved });
  t.like(await laptop('render', 'list'), { data: { length: 1, 0: { name: 'Mine', project: { id } } } });
  const entries = ['-select_streams', 'v', '-show_entries', 'stream=width', '-of', 'csv=p=0'];
  t.is((await execa('ffprobe', ['-v', 'error', ...entries, saved])).stdout, '320');

  t.regex(
    await refused('webhook', 'list'),
    /needs a person, and an API key is not enough; log in with|needs access to the servers/,
  );
  const as_reader = await caller({ ...home, RENDERCTL_API_KEY: reader })('project', 'rename', id, 'No');
  t.regex(as_reader.stderr, /this API key lacks the scope projects:write/);
  t.like(await laptop('erase', 'project', id), { id });
  t.regex(await refused('project', 'show', id), /there is no such project/);
  t.like(await laptop('log', 'out'), { was_logged_in: true });
  t.regex(await refused('whoami'), /log in to a service/);
});
