import { secondsText } from '../../domain/composition/source-end-rules.ts';
import type { LayerTimes } from '../http/project-answers.ts';
import { tableText } from '../table.ts';

const cell = (time_s: number | null): string => (time_s === null ? 'unknown' : secondsText(time_s));

/** A table; nothing without layers. */
export const layerTimesText = (layers: readonly LayerTimes[] | null | undefined): readonly string[] =>
  layers == null || layers.length === 0
    ? []
    : [
        tableText(
          ['layer', 'start', 'end'],
          layers.map(({ id, start_s, end_s }) => [id, cell(start_s), cell(end_s)]),
        ),
      ];
