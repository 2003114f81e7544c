/** Writes domain/composition/font-coverage.ts from the pinned fonts: after a change of their packages. */
import { writeFileSync } from 'node:fs';
import { FONT_COVERAGE_FILE, fontCoverageText } from './font-coverage-file.ts';

writeFileSync(FONT_COVERAGE_FILE, fontCoverageText());
