import { amountOf, type StatementLine } from '../../../../domain/credits/statement.ts';

/** A line of a credit statement; `credits` is what it adds to the balance. */
export const statementLineResource = (line: StatementLine) => {
  const { type, at, balance } = line;
  const none = { grant_id: null, granted_by: null, render_id: null, render_name: null, project_id: null };
  const of_grant = line.type === 'grant' ? { grant_id: line.grant_id, granted_by: line.granted_by } : {};
  const { render_id, render_name, project_id } = line.type === 'charge' ? line : none;
  return { type, at, credits: amountOf(line), balance, ...none, ...of_grant, render_id, render_name, project_id };
};
