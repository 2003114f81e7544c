/**
 * Escapes cells that look like formulas, so that spreadsheets do not run them. Some locales separate cells by `;` or
 * tabs. So cells with them are quoted. Otherwise the rest of a name would be a cell of its own.
 */
export const CSV_FORM = { record_delimiter: 'unix', escape_formulas: true, quoted_match: /[;\t]/ } as const;
