import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import type { LanguageFault } from './baseline.ts';
import { RULES } from './rules.ts';
import { SOURCE_PLUGIN } from './source-plugin.ts';

/** Generated files are not checked, but their sources are. */
const GENERATED = [
  'docs/configuration.md',
  'docs/events.md',
  'dashboard/source/api/management-types.ts',
  'domain/composition/font-coverage.ts',
];

/**
 * docs/style.md and the rules are not checked, because they quote what they forbid. `record-docs.ts` is not checked,
 * because it has the texts of registered schemas: a reworded text would be a new version of its schema.
 */
export const isLinted = (file: string): boolean =>
  /\.(?:ts|tsx|md)$/.test(file) &&
  !GENERATED.includes(file) &&
  file !== 'docs/style.md' &&
  file !== 'schemas/record-docs.ts' &&
  !file.startsWith('docs/language/') &&
  file !== 'test/unit/docs/language.test.ts';

const kernel = new TextlintKernel();
const PLUGINS = [
  { pluginId: 'markdown', plugin: markdown.default ?? markdown },
  { pluginId: 'source', plugin: SOURCE_PLUGIN },
];
const KERNEL_RULES = Object.entries(RULES).map(([ruleId, rule]) => ({ ruleId, rule }));

export const faultsOfFile = async (file: string, text: string): Promise<readonly LanguageFault[]> => {
  const { messages } = await kernel.lintText(text, {
    filePath: file,
    ext: file.slice(file.lastIndexOf('.')),
    plugins: PLUGINS,
    rules: KERNEL_RULES,
  });
  return messages.map(({ line, ruleId, message }) => ({ file, line, rule: ruleId, message }));
};
