import type * as t from 'io-ts';
import { timedInProject } from '../../../domain/composition/layer-times.ts';
import type { ProjectDocument } from '../../../domain/composition/project-shape.ts';
import { definitionsOf, integer, number, resource, text, wholeList } from '../shapes.ts';
import { jsonResponse, type PublicOperation } from './operation.ts';
import { getSamples } from './samples/code-samples.ts';

const Starter = resource('Starter', 'A finished project, from which you can create your own.', {
  id: text('Its ID. Send it as `starter` to create a project from it.'),
  name: text('Its name, which the new project gets if the request has none.'),
  description: text('What it shows.'),
  width: integer('Width of its video in pixels.', { minimum: 1 }),
  height: integer('Height of its video in pixels.', { minimum: 1 }),
  duration: number('Length of its video in seconds.'),
});
type Starter = t.TypeOf<typeof Starter>;

export const StarterList = wholeList('StarterList', Starter, 'All starters.');

export const STARTER_SCHEMAS = definitionsOf([Starter, StarterList]);

type Found = { readonly id: string; readonly description: string; readonly document: ProjectDocument };

const starterResource = ({ id, description, document }: Found): Starter => {
  const { name, main_composition_id, compositions } = document;
  const main = compositions.find((composition) => composition.id === main_composition_id);
  const { width = 1, height = 1 } = main ?? {};
  const duration = main === undefined ? 0 : (timedInProject(main, document).composition.duration ?? 0);
  return { id, name, description, width, height, duration };
};

export const starterList = (starters: Iterable<Found>): t.TypeOf<typeof StarterList> => ({
  data: Array.from(starters, starterResource),
});

export const STARTER_EXAMPLE: Starter = {
  ...{ id: 'quote-card', name: 'Quote card', description: 'A quote with a name, for a portrait post.' },
  ...{ width: 1080, height: 1350, duration: 7 },
};

export const STARTERS = {
  'GET /v1/starters': {
    ...{ id: 'listStarters', tag: 'Projects', summary: 'List the starters' },
    description:
      'Finished projects with texts, pictures and music. `POST /v1/projects` with `starter` creates a project from one; then change its fields, or its document.',
    answers: {
      200: jsonResponse('All of them.', StarterList, { example: ['A starter', { data: [STARTER_EXAMPLE] }] }),
    },
    samples: getSamples('/v1/starters'),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
