import { schemaRef } from '../form.ts';
import { DELIVERY_ID, object, shared, time } from './scalars.ts';

export const DELIVERY = object('What a webhook endpoint gets.', {
  id: { ...DELIVERY_ID, description: 'The same on every attempt at one delivery: what to tell duplicates by.' },
  event: shared('EventKind', 'What happened.'),
  data: schemaRef('Render'),
  timestamp: time('When the delivery was made'),
});
