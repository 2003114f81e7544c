import { writeFileSync } from 'node:fs';
import { PROJECT_SCHEMA_FILE, projectSchemaText } from './project-schema.ts';

writeFileSync(PROJECT_SCHEMA_FILE, projectSchemaText());
