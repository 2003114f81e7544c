import test from 'ava';
import { withPageRule } from '../../../platform/blob-store/azure-cors.ts';

const DASHBOARD = 'https://video.example.com';
const OTHER = {
  ...{ allowedOrigins: 'https://other.example.com', allowedMethods: 'GET', allowedHeaders: '*' },
  ...{ exposedHeaders: '', maxAgeInSeconds: 60 },
};
const rule = (allowedOrigins: string, allowedMethods = 'GET,PUT') => ({
  ...{ allowedOrigins, allowedMethods, allowedHeaders: 'content-type,x-ms-*' },
  ...{ exposedHeaders: '', maxAgeInSeconds: 600 },
});

test('a CORS rule for pages is added, and the rules of others stay', (t) => {
  t.deepEqual(withPageRule([], [DASHBOARD]), [rule(DASHBOARD)]);
  t.deepEqual(withPageRule([OTHER], [DASHBOARD]), [OTHER, rule(DASHBOARD)]);
});

test('origins of earlier deployments keep their CORS rule', (t) => {
  const before = [rule('https://old.example.com'), OTHER];
  t.deepEqual(withPageRule(before, [DASHBOARD]), [OTHER, rule(`https://old.example.com,${DASHBOARD}`)]);
  t.deepEqual(withPageRule(before, ['*']), [OTHER, rule('*')]);
});

test('a CORS rule for uploads alone is replaced by one that also reads', (t) => {
  t.deepEqual(withPageRule([OTHER, rule(DASHBOARD, 'PUT')], [DASHBOARD]), [OTHER, rule(DASHBOARD)]);
  t.deepEqual(withPageRule([rule('*', 'PUT')], [DASHBOARD]), [rule('*')]);
});

test('the CORS rules of the account are not written if nothing changes', (t) => {
  t.is(withPageRule([OTHER, rule(`https://old.example.com, ${DASHBOARD}`)], [DASHBOARD]), null);
  t.is(withPageRule([rule('*')], [DASHBOARD]), null);
});
