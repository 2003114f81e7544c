import { tableText } from '../table.ts';
import type { VerifiedReadModels } from './verify-stored.ts';

export const readModelsText = ({ compared, behind, moving }: VerifiedReadModels): string =>
  [
    tableText(['compared', 'count'], Object.entries(compared)),
    '',
    'The stores match the log.',
    ...(behind === 0 ? [] : [`${behind} newer records were not compared.`]),
    ...(moving === 0 ? [] : [`${moving} documents changed during the comparison: try again.`]),
  ].join('\n');
