import test from 'ava';
import { acceptedFiles, contentTypeOf, fileFault } from '../../../dashboard/source/uploads/file-types.ts';
import { FILE_FORMATS } from '../../../domain/composition/file-forms.ts';

test('the page knows the files that the service takes', (t) => {
  for (const { endings, content_type } of FILE_FORMATS)
    for (const ending of endings) t.true(contentTypeOf(`A.B${ending.toUpperCase()}`) === content_type, ending);
  for (const name of ['png', 'logo', 'logo.', 'logo.constructor', 'logo.exe', ''])
    t.is(contentTypeOf(name), null, name);
});

test('a file of another kind gets a remedy before it is uploaded', (t) => {
  t.is(fileFault('image', { name: 'logo.PNG', size: 1 }), null);
  t.regex(fileFault('image', { name: 'a.heic', size: 1 }) ?? '', /Convert it to JPEG/);
  t.regex(fileFault('image', { name: 'a.mp4', size: 1 }) ?? '', /Choose a picture/);
  t.is(fileFault('image', { name: 'logo.png', size: 0 }), 'The file is empty.');
  t.true(acceptedFiles('image').split(',').includes('.svg'));
  t.false(acceptedFiles('image').includes('mp4'));
});
