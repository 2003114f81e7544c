type Ids = Readonly<Record<string, string>>;
type Asked = { readonly path: string; readonly key?: string; readonly pages?: boolean };
type Posted = { readonly body: string; readonly key?: string; readonly headers?: Readonly<Record<string, string>> };

/**
 * Requests to the query API. The member `key` names a key of the recording, or one that does not exist. With `pages`,
 * all pages up to the last one are read.
 */
export const ASKED = (id: Ids): readonly Asked[] => [
  { path: `/v1/renders?project_id=${id.film}` },
  { path: `/v1/renders?project_id=${id.film}&limit=1`, pages: true },
  { path: `/v1/renders?project_id=${id.film}&status=failed` },
  { path: `/v1/renders?project_id=${id.film}&sort=name` },
  { path: `/v1/renders?project_id=${id.film}&search=stands` },
  { path: `/v1/renders?project_id=${id.film}&limit=1000` },
  { path: '/v1/renders' },
  { path: `/v1/renders?project_id=${id.poor_film}` },
  ...['complete', 'plain', 'failed', 'idempotent'].flatMap((name) => [
    { path: `/v1/renders/${id[name]}` },
    { path: `/v1/renders/${id[name]}/transitions` },
  ]),
  { path: `/v1/renders/${id.complete}`, key: 'poor' },
  { path: '/v1/renders/rend_none' },
  { path: `/v1/templates?project_id=${id.film}` },
  { path: `/v1/templates?project_id=${id.project_id}` },
  { path: `/v1/templates/${id.template}?project_id=${id.film}` },
  { path: `/v1/templates/${id.demo_template}?project_id=${id.project_id}` },
  { path: `/v1/templates/tpl_none?project_id=${id.film}` },
  { path: `/v1/projects?team_id=${id.team_id}` },
  { path: `/v1/projects?team_id=${id.team_id}&limit=1`, pages: true },
  { path: `/v1/projects?team_id=${id.second}`, key: 'next' },
  { path: `/v1/projects?team_id=${id.theirs}` },
  ...['film', 'project_id', 'damaged', 'poor_film'].map((name) => ({ path: `/v1/projects/${id[name]}` })),
  { path: `/v1/projects/${id.empty}`, key: 'next' },
  { path: '/v1/teams' },
  { path: '/v1/teams', key: 'next' },
  { path: '/v1/teams', key: 'poor' },
  { path: `/v1/teams/${id.team_id}` },
  { path: `/v1/teams/${id.theirs}` },
  { path: `/v1/users?team_id=${id.team_id}` },
  { path: `/v1/users?team_id=${id.second}`, key: 'next' },
  { path: `/v1/users/${id.user_id}` },
  { path: `/v1/users/${id.ada}` },
  { path: `/v1/users/${id.bob}` },
  { path: '/v1/teams', key: '' },
  { path: '/v1/teams', key: 'revoked' },
  { path: '/v1/teams', key: 'of nobody' },
  { path: '/v1/nothing' },
];

export const POSTED = (id: Ids): readonly Posted[] => {
  const plain = { name: 'Again', project_id: id.film };
  const filled = { ...plain, template_id: id.template, values: { title: 'Hi' } };
  const bodies: readonly unknown[] = [
    plain,
    filled,
    { ...filled, values: { none: 'x' } },
    { ...filled, values: { title: 1 } },
    { ...filled, values: { band: 'no colour' } },
    { ...filled, template_id: 'tpl_none' },
    { ...plain, project_id: 'proj_none' },
    { ...plain, project_id: id.poor_film },
    { ...plain, project_id: id.empty },
    { ...plain, name: '' },
    { ...plain, name: 7 },
    { project_id: id.film },
    { ...plain, more: 1 },
    [],
    null,
  ];
  const repeated = { name: 'Repeated', project_id: id.film, template_id: id.template, values: { title: 'Twice' } };
  return [
    ...bodies.map((body) => ({ body: JSON.stringify(body) })),
    { body: '{' },
    { body: '' },
    { body: JSON.stringify(plain), key: 'poor' },
    { body: JSON.stringify({ ...plain, project_id: id.poor_film }), key: 'poor' },
    { body: JSON.stringify(plain), key: 'revoked' },
    { body: JSON.stringify(plain), key: '' },
    { body: JSON.stringify(repeated), headers: { 'Idempotency-Key': 'once' } },
    { body: JSON.stringify({ ...repeated, name: 'Other' }), headers: { 'Idempotency-Key': 'once' } },
    { body: JSON.stringify(repeated), headers: { 'Idempotency-Key': 'another' } },
    { body: JSON.stringify(repeated), headers: { 'Idempotency-Key': 'x'.repeat(300) } },
  ];
};

export const COMMANDS = (id: Ids): readonly (readonly string[])[] => {
  const [account, team, user, project, endpoint] = [
    id.other ?? '',
    id.second ?? '',
    id.bob ?? '',
    id.film ?? '',
    id.quiet ?? '',
  ];
  return [
    ['account', 'list'],
    ['account', 'show', account],
    ['account', 'grants', account],
    ['team', 'list'],
    ['team', 'show', team],
    ['user', 'list'],
    ['user', 'show', user],
    ['member', 'list', '--team', team],
    ['key', 'list'],
    ['project', 'list'],
    ['project', 'show', project],
    ['project', 'versions', project],
    ['asset', 'list', project],
    ['webhook', 'list'],
    ['webhook', 'show', endpoint],
    ['trace', id.complete ?? ''],
    ['trace', id.failed ?? ''],
    ['account', 'create', '--name', 'New', '--id', 'acc_01JD0000000000000000000009'],
    ['account', 'create', '--name', 'New', '--id', 'acc_01JD0000000000000000000009'],
    ['account', 'rename', account, 'Renamed'],
    ['account', 'grant', account, '7'],
    ['account', 'unlimited', account, 'on'],
    ['team', 'create', '--account', account, '--name', 'New team'],
    ['team', 'rename', team, 'Renamed team'],
    ['user', 'create', '--email', 'new@example.org'],
    ['user', 'email', user, 'bob@example.org'],
    ['member', 'add', team, user],
    // Makes Ada an admin first, because a team keeps its last admin.
    ['member', 'add', team, id.ada ?? '', '--role', 'admin'],
    ['member', 'role', team, user, 'member'],
    ['member', 'remove', team, user],
    ['key', 'create', '--account', account, '--team', id.theirs ?? '', '--name', 'New key'],
    ['project', 'create', '--team', team, '--name', 'New project'],
    ['project', 'rename', project, 'Renamed film'],
    ['webhook', 'enable', endpoint],
    ['webhook', 'events', endpoint, '--event', 'render.failed'],
    ['webhook', 'disable', endpoint],
    ['webhook', 'delete', endpoint],
    ['webhook', 'delete', endpoint],
    ['account', 'show', 'acc_none'],
    ['team', 'rename', 'team_none', 'None'],
  ];
};
