import test from 'ava';
import { createKey } from '../../../../catalogue/keys.ts';
import { createProject } from '../../../../catalogue/projects.ts';
import { until } from '../../../../stack/testing/until.ts';
import { appendToCatalogue, versionOf } from '../../api/_catalogue.ts';
import { made } from '../_world.ts';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(180_000);
  world = await sharedWorld();
});

test('members see the projects of their team, and renders with what became of them; nobody else does', async (t) => {
  const { catalogue, clients, account_id, team_id, as, eves, origin } = world;
  const project = await made(createProject(catalogue, { team_id, name: 'Sale', created_by: null }));
  await appendToCatalogue(clients.records, [versionOf(project.id, 1, 'Spring sale')]);
  const projects = await until('the version is folded', async () => {
    const found = await ask(world, as.mia, 'GET', `/teams/${team_id}/projects?search=spring`);
    return Object(found.body.data).length === 1 ? found : null;
  });
  t.like(projects.body, { data: [{ id: project.id, name: 'Spring sale', version: 1 }], has_more: false });
  const wanted = { account_id, user_id: null, team_ids: [team_id], name: 'renders', expires_at: null };
  const { key } = await made(createKey(catalogue, wanted));
  const name = '<img src=x onerror=alert(1)>';
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name, project_id: project.id });
  const posted = await fetch(`${origin}/v1/renders`, { method: 'POST', headers, body });
  t.true(posted.ok, String(posted.status));
  const { id } = Object(await posted.json());
  const shown = await until('the render is folded', async () => {
    const found = await ask(world, as.mia, 'GET', `/teams/${team_id}/renders/${id}`);
    return found.status === 200 ? found : null;
  });
  t.like(shown.body, { id, name, status: 'initializing', transitions: [{ seq: 1, status: 'initializing' }] });
  const path = `/projects/${project.id}/renders`;
  t.like((await ask(world, as.mia, 'GET', `/teams/${team_id}${path}?status=initializing`)).body, {
    data: [{ id, name }],
  });
  t.like((await ask(world, as.mia, 'GET', `/teams/${team_id}${path}?status=complete`)).body, { data: [] });
  t.is((await ask(world, as.mia, 'GET', `/teams/${team_id}${path}?status=lost`)).status, 400);
  t.is((await ask(world, as.eve, 'GET', `/teams/${eves.team_id}${path}`)).status, 404);
  t.is((await ask(world, as.eve, 'GET', `/teams/${eves.team_id}/renders/${id}`)).status, 404);
});
