import { tableText } from '../table.ts';
import type { VerifiedReadModels } from './verify-stored.ts';

export const readModelsText = ({ compared, behind, moving }: VerifiedReadModels): string =>
  [
    tableText(['compared', 'count'], Object.entries(compared)),
    '',
    'What was made of the log is what the log says.',
    ...(behind === 0 ? [] : [`${behind} records are newer than what was compared.`]),
    ...(moving === 0 ? [] : [`${moving} documents changed too often to be compared: try again.`]),
  ].join('\n');
