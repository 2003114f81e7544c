import test from 'ava';
import { MongoBulkWriteError } from 'mongodb';
import { createLogger } from '../../../platform/logging/logger.ts';

const logged = (error: unknown): Readonly<Record<string, unknown>> => {
  const lines: string[] = [];
  createLogger('test', 'info', { write: (line) => void lines.push(line) }).warn({ error }, 'a write failed');
  return JSON.parse(lines[0] ?? '').error;
};

/** As the driver rejects, with the document of the failed operation. */
const failedInsert = (): Error => {
  const op = { _id: 'rend_1', name: 'Ada Lovelace', search: ['lovelace'] };
  const of_server = { index: 0, code: 11_000, errmsg: 'E11000 duplicate key error' };
  const writeErrors = [{ ...of_server, op, toJSON: () => ({ ...of_server, op }) }];
  const result = { insertedCount: 0, result: { writeErrors } };
  return new MongoBulkWriteError(
    { message: of_server.errmsg, code: of_server.code, writeErrors } as never,
    result as never,
  );
};

test('the log of a failed write has its fault, without the document', (t) => {
  const error = failedInsert();
  t.true(JSON.stringify(error).includes('Lovelace'));
  const shown = logged(error);
  t.like(shown, { type: 'MongoBulkWriteError', message: 'E11000 duplicate key error', code: 11_000 });
  t.true(String(shown.stack).includes('logger.test.ts'));
  t.false(JSON.stringify(shown).includes('Lovelace'));
});

test('the log has the causes of an error, without their documents', (t) => {
  const shown = logged(new Error('not stored', { cause: failedInsert() }));
  t.like(shown, { message: 'not stored', causes: [{ message: 'E11000 duplicate key error', code: 11_000 }] });
  const several = logged(new AggregateError([new Error('one'), failedInsert()], 'several'));
  t.like(several, { message: 'several', causes: [{ message: 'one' }, { code: 11_000 }] });
  t.false(JSON.stringify([shown, several]).includes('Lovelace'));
});

test('the log of an error ends with causes that refer to each other', (t) => {
  const error = new Error('first');
  error.cause = new Error('second', { cause: error });
  t.like(logged(error), { causes: [{ message: 'second', causes: [{ message: 'first' }] }] });
});
