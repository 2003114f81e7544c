import test from 'ava';
import { withUploadRule } from '../../../platform/blob-store/azure-cors.ts';

const DASHBOARD = 'https://video.example.com';
const OTHER = {
  ...{ allowedOrigins: 'https://other.example.com', allowedMethods: 'GET', allowedHeaders: '*' },
  ...{ exposedHeaders: '', maxAgeInSeconds: 60 },
};
const rule = (allowedOrigins: string) => ({
  ...{ allowedOrigins, allowedMethods: 'PUT', allowedHeaders: 'content-type,x-ms-*' },
  ...{ exposedHeaders: '', maxAgeInSeconds: 600 },
});

test('a CORS rule for uploads is added, and the rules of others stay', (t) => {
  t.deepEqual(withUploadRule([], [DASHBOARD]), [rule(DASHBOARD)]);
  t.deepEqual(withUploadRule([OTHER], [DASHBOARD]), [OTHER, rule(DASHBOARD)]);
});

test('origins of earlier deployments keep their CORS rule', (t) => {
  const before = [rule('https://old.example.com'), OTHER];
  t.deepEqual(withUploadRule(before, [DASHBOARD]), [OTHER, rule(`https://old.example.com,${DASHBOARD}`)]);
  t.deepEqual(withUploadRule(before, ['*']), [OTHER, rule('*')]);
});

test('the CORS rules of the account are not written if nothing changes', (t) => {
  t.is(withUploadRule([OTHER, rule(`https://old.example.com, ${DASHBOARD}`)], [DASHBOARD]), null);
  t.is(withUploadRule([rule('*')], [DASHBOARD]), null);
});
