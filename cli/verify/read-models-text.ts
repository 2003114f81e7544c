import { tableText } from '../table.ts';
import type { VerifiedReadModels } from './verify-stored.ts';

export const readModelsText = ({ compared, behind, moving }: VerifiedReadModels): string =>
  [
    tableText(['compared', 'count'], Object.entries(compared)),
    '',
    'The stores agree with the log.',
    ...(behind === 0 ? [] : [`${behind} records are newer than the comparison.`]),
    ...(moving === 0 ? [] : [`${moving} documents changed too often to be compared: try again.`]),
  ].join('\n');
