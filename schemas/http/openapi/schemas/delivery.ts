import { schemaRef } from '../form.ts';
import { closed, DELIVERY_ID, time } from './scalars.ts';

export const EVENTS = ['render.status_changed', 'render.complete', 'render.failed'] as const;

export const DELIVERY = closed('What a webhook endpoint gets.', {
  id: { ...DELIVERY_ID, description: 'The same on every attempt at one delivery: what to tell duplicates by.' },
  event: { type: 'string', enum: EVENTS, description: 'What happened.' },
  data: schemaRef('Render'),
  timestamp: time('When the delivery was made'),
});
