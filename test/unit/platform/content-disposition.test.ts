import test from 'ava';
import { contentDisposition } from '../../../platform/blob-store/content-disposition.ts';

test('a plain name is unchanged', (t) => {
  t.is(
    contentDisposition('Summer sale.mp4'),
    `attachment; filename="Summer sale.mp4"; filename*=UTF-8''Summer%20sale.mp4`,
  );
});

test('characters that would end the quotes, the header or the folder are removed', (t) => {
  const value = contentDisposition('a"b\r\nSet-Cookie: x/../c.mp4');
  t.false(/[\r\n\\/]/.test(value));
  t.is(value.match(/"/g)?.length, 2);
});

test('other scripts are kept in the extended form', (t) => {
  const value = contentDisposition('夏の動画.mp4');
  t.true(value.includes('filename="____.mp4"'));
  t.true(value.endsWith(`filename*=UTF-8''${encodeURIComponent('夏の動画')}.mp4`));
});

test('an empty name becomes video', (t) => {
  t.true(contentDisposition('...///.mp4').startsWith('attachment; filename="'));
  t.true(contentDisposition('').includes('filename="video"'));
});
