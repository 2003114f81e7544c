import type { Schemas } from '../api/client.ts';
import { type Field, labelOf } from '../new-video/field-values.ts';
import { messageText } from '../shown/message-text.ts';

type Refusal = Pick<Schemas['RenderBatchRefusal'], 'error' | 'param'>;

/** Why the service refused a row, with the label of the field in the place of its path. */
export const refusalText = ({ error, param }: Refusal, fields: readonly Pick<Field, 'key' | 'label'>[]): string => {
  const field = fields.find(({ key }) => param === `values.${key}`);
  const rest = error.replace(`${param}: `, '');
  return field === undefined ? messageText(error) : `${labelOf(field)}: ${rest.replace(/\.$/, '')}.`;
};
