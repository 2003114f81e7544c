import * as E from 'fp-ts/lib/Either.js';
import type { CreditStatement } from '../../catalogue/statement.ts';
import type { StatementLine } from '../../domain/credits/statement.ts';
import type { CliFault } from '../fault.ts';
import type { Screen } from '../screen.ts';
import { writeToScreen } from '../write-all.ts';
import type { StatementFormat } from './statement-formats.ts';

const LINES_OF_A_PAGE = 500;

export const writeStatement = async (
  screen: Screen,
  statement: CreditStatement,
  format: StatementFormat,
  stop: AbortSignal,
): Promise<E.Either<CliFault, null>> => {
  await writeToScreen(screen, format.head(statement));
  let page: StatementLine[] = [];
  let is_first = true;
  const writePage = async (): Promise<void> => {
    if (page.length > 0) await writeToScreen(screen, format.page(page, is_first));
    is_first &&= page.length === 0;
    page = [];
  };
  for await (const line of statement.lines) {
    page.push(line);
    if (page.length < LINES_OF_A_PAGE) continue;
    await writePage();
    if (stop.aborted) return E.left({ tag: 'interrupted' });
  }
  await writePage();
  await writeToScreen(screen, format.foot(statement));
  return E.right(null);
};
