import * as E from 'fp-ts/lib/Either.js';
import type { Fault } from './fault.ts';
import { composeFinal } from './final-composition.ts';
import type { ProjectDocument } from './project-shape.ts';

const pathIn = (at: string, message: string): Fault => {
  const [path = '', ...rest] = message.split(': ');
  return rest.length === 0 ? { path: at, message } : { path: `${at}.${path}`, message: rest.join(': ') };
};

/**
 * Faults of composed films: times that follow from the lengths of media, and defaults of a template that are invalid
 * together.
 */
export const filmFaults = (document: ProjectDocument): readonly Fault[] => {
  const { compositions, templates, main_composition_id } = document;
  const main = composeFinal(document, null, {}, 'to_be_fetched');
  const of_main = E.isRight(main)
    ? []
    : [pathIn(`compositions[${compositions.findIndex(({ id }) => id === main_composition_id)}]`, main.left.message)];
  const of_templates = templates.flatMap(({ id }, index): readonly Fault[] => {
    const final = composeFinal(document, id, {}, 'to_be_fetched');
    if (E.isRight(final)) return [];
    return [{ path: `templates[${index}]`, message: `cannot render its default values: ${final.left.message}` }];
  });
  return [...of_main, ...of_templates];
};
