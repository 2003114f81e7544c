import { keyTreeAt } from '../../schemas/blobs/paths.ts';
import type { BlobServer } from './blobs.ts';
import { AGES } from './components/retention.ts';
import { CLOCKS_DIFFER_MS, type Judge } from './judge.ts';
import type { Judged } from './judge-evidence.ts';
import { jsonOf, textsIn as textsOfRender } from './judge-read-models.ts';
import type { Versions } from './store/versions.ts';
import type { World } from './world/world.ts';

export type FilesJudge = {
  readonly removed: (path: string, stored_at: number) => void;
  readonly leftIn: (server: BlobServer) => readonly string[];
  readonly textsIn: (versions: Versions) => readonly string[];
};

const idIn = (path: string, folder: 'renders' | 'projects' | 'accounts' | 'users'): string | null =>
  new RegExp(`^${folder}/([^/]+)/`).exec(path)?.[1] ?? null;

const whyKept = (path: string, judged: Judged | undefined, age_ms: number, now: number): string | null => {
  if (age_ms < AGES.leftovers_ms - CLOCKS_DIFFER_MS) return `is ${Math.round(age_ms / 1_000)} s old`;
  if (judged === undefined) return path.includes('/request') ? null : 'is of a render that the log lost';
  const { render, ended_at } = judged;
  // The request of a try that was not appended. Each try stores its own file, so the render does not need this one.
  if (path.includes('/request') && path !== render.request?.path) return null;
  if (ended_at === null) return `is of a render that is ${render.status}`;
  if (path === render.request?.path) return 'is what was asked for';
  if ([render.poster, ...render.outputs].some((output) => output?.path === path)) return 'is shown';
  const is_source = path === render.prepared?.composition.path;
  return is_source && now - ended_at < AGES.sources_ms - CLOCKS_DIFFER_MS ? 'is of a render that ended just now' : null;
};

/** Asserts that no file is deleted too early and that erased data disappear. Uses only the clock of the world. */
export const judgeFiles = (world: World, judge: Judge): FilesJudge => ({
  removed: (path, stored_at) => {
    const now = world.scheduler.now();
    world.trace(`${path} is deleted`);
    const account_id = keyTreeAt(path)?.account_id ?? null;
    if (account_id !== null && !judge.isAccountErased(account_id))
      world.violate(`${path} was deleted, and other texts need its keys`);
    const user_id = idIn(path, 'users');
    if (user_id !== null && !judge.isUserErased(user_id))
      world.violate(`${path} was deleted, and its user is not erased`);
    const render_id = idIn(path, 'renders');
    const project_id = idIn(path, 'projects');
    if (render_id !== null && !judge.isErased(render_id)) {
      const why = whyKept(path, judge.renders().get(render_id), now - stored_at, now);
      if (why !== null) world.violate(`${path} was deleted, and ${why}`);
    }
    if (project_id === null) return;
    // A render that is not prepared does not need the project: it fails when its project is erased.
    const isUsing = ({ render, ended_at }: Judged): boolean =>
      render.project_id === project_id && render.prepared !== null && ended_at === null;
    if (!judge.isProjectErased(project_id)) world.violate(`${path} was deleted, and its project is not erased`);
    else {
      const using = [...judge.renders().values()].find(isUsing);
      if (using !== undefined)
        world.violate(`${path} was deleted, and ${using.render.id} needs it, which is ${using.render.status}`);
    }
  },
  leftIn: ({ blobs }) =>
    [...blobs.keys()]
      .filter((path) => {
        const render_id = idIn(path, 'renders');
        // These blobs contain only hashes, which name the other parts to delete, so they may stay.
        if (render_id !== null) return judge.isErased(render_id) && !path.includes('/parts/');
        const project_id = idIn(path, 'projects');
        if (project_id !== null) return judge.isProjectErased(project_id);
        return judge.isAccountErased(idIn(path, 'accounts') ?? '') || judge.isUserErased(idIn(path, 'users') ?? '');
      })
      .map((path) => `${path} was erased, and is there`),
  textsIn: (versions) => {
    const texts = judge.erasedTexts().map((text) => ({ text, json: JSON.stringify(text) }));
    return versions.names().flatMap((name) =>
      versions.all(name, versions.now()).flatMap((document) => {
        const is_erased = /^renders_g\d+$/.test(name) && judge.isErased(String(document._id));
        const left = is_erased ? textsOfRender(document) : null;
        if (left !== null) return [`${document._id} was erased, and ${name} has ${left}`];
        // Bodies of deliveries are JSON in a string, with a backslash before each quotation mark.
        const stored = jsonOf(document).replaceAll('\\"', '"');
        return texts.flatMap(({ text, json }) =>
          stored.includes(json) ? [`${text} was erased, and ${document._id} of ${name} has it`] : [],
        );
      }),
    );
  },
});
