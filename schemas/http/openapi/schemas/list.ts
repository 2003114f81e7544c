import { schemaRef } from '../form.ts';
import { MAX_ITEMS } from '../limits.ts';
import { object } from './scalars.ts';

/** A list that is answered whole. @param item name of the schema of its elements */
export const wholeList = (item: string, description: string) =>
  object(description, { data: { type: 'array', items: schemaRef(item), description: 'All of them.' } });

/** One page of a list. @param item name of the schema of its elements */
export const pageOf = (item: string, description: string) =>
  object(description, {
    data: {
      type: 'array',
      items: schemaRef(item),
      maxItems: MAX_ITEMS,
      description: 'The elements of this page; may be fewer than `limit` even where another page follows.',
    },
    has_more: { type: 'boolean', description: 'Whether another page follows; false at the end of the list.' },
    next_cursor: {
      type: ['string', 'null'],
      minLength: 1,
      description: 'Send it as `cursor` to get the following page; null on the last one.',
    },
  });
