import * as t from 'io-ts';
import type { SeededEntities } from '../demo/seeded.ts';

const Created = t.type({ id: t.string });

export const renderBody = (seeded: SeededEntities, name: string): string =>
  JSON.stringify({ name, project_id: seeded.project_id });

export const renderBodyWithValues = (seeded: SeededEntities, name: string): string =>
  JSON.stringify({ name, project_id: seeded.project_id, template_id: 'tpl_title', values: { title: name } });

export const renderHeaders = (seeded: SeededEntities): Record<string, string> => ({
  Authorization: `Bearer ${seeded.api_key}`,
  'Content-Type': 'application/json',
});

export const postBody = async (base_url: string, seeded: SeededEntities, body: string): Promise<string> => {
  const answer = await fetch(`${base_url}/v1/renders`, { method: 'POST', headers: renderHeaders(seeded), body });
  const json: unknown = await answer.json();
  if (answer.status !== 201 || !Created.is(json))
    throw new Error(`POST answered ${answer.status}: ${JSON.stringify(json)}`);
  return json.id;
};

export const postRender = (base_url: string, seeded: SeededEntities, name: string): Promise<string> =>
  postBody(base_url, seeded, renderBodyWithValues(seeded, name));
