import { readFileSync } from 'node:fs';
import test from 'ava';
import { FONT_COVERAGE_FILE, fontCoverageText } from '../../../engine/raster/font-coverage-file.ts';

test('the font coverage file is current: node engine/raster/write-font-coverage.ts', (t) => {
  t.true(readFileSync(FONT_COVERAGE_FILE, 'utf8') === fontCoverageText());
});
