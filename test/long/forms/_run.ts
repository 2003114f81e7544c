import test from 'ava';
import { folderOf } from '../../integration/engine/_measuring.ts';
import type { Form } from './form.ts';
import { faultsOfForm } from './judge.ts';
import { FORMS } from './table/forms.ts';

/** A test for each form whose name matches the regular expression `FORMS`. A form that is known to fail must fail. */
export const testForms = (forms: readonly Form[]): void => {
  const wanted = new RegExp(process.env.FORMS ?? '');
  for (const form of forms.filter(({ name }) => wanted.test(name)))
    test.serial(form.name, async (t) => {
      const faults = await faultsOfForm(form, await folderOf(t));
      if (form.known === null) t.deepEqual(faults, [], form.name);
      else t.not(faults.length, 0, `it works now, so take it out of known.ts: ${form.known}`);
    });
  // AVA reports a file without tests as a fault.
  if (!forms.some(({ name }) => wanted.test(name)))
    test('the FORMS variable selects forms of other groups', (t) => {
      t.true(Object.values(FORMS).some((group) => group.some(({ name }) => wanted.test(name))));
    });
};
