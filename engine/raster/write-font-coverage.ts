/** Writes domain/composition/font-coverage.ts from the pinned fonts. Run it after their packages change. */
import { writeFileSync } from 'node:fs';
import { FONT_COVERAGE_FILE, fontCoverageText } from './font-coverage-file.ts';

writeFileSync(FONT_COVERAGE_FILE, fontCoverageText());
