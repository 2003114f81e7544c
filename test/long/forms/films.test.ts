import { testForms } from './_run.ts';
import { FORMS } from './table/forms.ts';

testForms(FORMS.films);
