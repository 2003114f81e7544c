import test from 'ava';
import { readDraft, saveDraft } from '../../../dashboard/source/projects/document/saved-draft.ts';
import { hasKeptTexts, readKept, removeKept, saveKept } from '../../../dashboard/source/session/kept-texts.ts';

/** A storage of a tab that refuses long texts. */
class TabStorage {
  [key: string]: unknown;
  setItem(key: string, text: string): void {
    if (text.length > 100) throw new Error('QuotaExceededError');
    this[key] = text;
  }
  getItem(key: string): unknown {
    return this[key] ?? null;
  }
  removeItem(key: string): void {
    delete this[key];
  }
}

test.serial('another person in the tab sees no draft, and the first one loses it', (t) => {
  Object.assign(globalThis, { sessionStorage: new TabStorage() });
  saveDraft('user_1', 'proj_1', { version: 3, text: '{}' });
  t.deepEqual(readDraft('user_1', 'proj_1'), { version: 3, text: '{}' });
  t.is(readDraft('user_1', 'proj_2'), null);
  t.true(hasKeptTexts());
  t.is(readDraft('user_2', 'proj_1'), null);
  t.is(readDraft('user_1', 'proj_1'), null, 'removed when the other person came');
  t.false(hasKeptTexts());
});

test.serial('a text without room in the tab lasts until the page is left', (t) => {
  Object.assign(globalThis, { sessionStorage: new TabStorage() });
  const text = 'x'.repeat(101);
  saveKept('user_1', 'form', 'before');
  saveKept('user_1', 'form', text);
  t.is(readKept('user_1', 'form'), text);
  saveKept('user_1', 'form', 'after');
  t.is(readKept('user_1', 'form'), 'after');
  saveKept('user_1', 'other', text);
  t.is(readKept('user_2', 'other'), null);
  removeKept('user_1', 'form');
  t.is(readKept('user_1', 'other'), null);
});
