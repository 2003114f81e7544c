import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  bracketMatching,
  defaultHighlightStyle,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import schema from '../../api/project-schema.json';
import { completeDocument } from './completion.ts';
import { placeOfPath } from './place-of-path.ts';
import type { DocumentFault } from './refusals.ts';
import type { JsonSchema } from './schema-walk.ts';

const SCHEMA: JsonSchema = schema;

const DARK = HighlightStyle.define([
  { tag: tags.propertyName, color: '#91a7ff' },
  { tag: tags.string, color: '#8ce99a' },
  { tag: [tags.number, tags.bool, tags.null], color: '#ffc078' },
]);

const theme = (dark: boolean) => [
  EditorView.theme(
    {
      '&': {
        fontSize: '13px',
        maxHeight: 'max(320px, calc(100dvh - 340px))',
        backgroundColor: 'var(--mantine-color-body)',
      },
      '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', minHeight: '320px' },
      '.cm-gutters': { backgroundColor: 'var(--shell)', color: 'var(--mantine-color-dimmed)', border: 'none' },
      '.cm-tooltip': { maxWidth: '420px' },
    },
    { dark },
  ),
  syntaxHighlighting(dark ? DARK : defaultHighlightStyle),
];

const diagnosticsOf = (text: string, faults: readonly DocumentFault[]): readonly Diagnostic[] =>
  faults.map(({ path, message }) => ({ ...placeOfPath(text, path), severity: 'error', message: `${path} ${message}` }));

/**
 * @param props.faults of the text that was checked last
 * @param props.onSave called for Ctrl+S
 */
const CodeEditor = (props: {
  readonly text: string;
  readonly faults: readonly DocumentFault[];
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
}) => {
  const { text } = props;
  const holder = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const dark = useComputedColorScheme('light') === 'dark';
  const looks = useRef(new Compartment());
  const faults = useRef(new Compartment());

  const faultLinter = (of: readonly DocumentFault[]) =>
    linter((editor) => [...jsonParseLinter()(editor), ...diagnosticsOf(editor.state.doc.toString(), of)], {
      delay: 250,
    });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once, and then updated
  useEffect(() => {
    if (holder.current === null) return undefined;
    const nonce = document.querySelector<HTMLElement>('style[nonce]')?.nonce ?? '';
    const editor = new EditorView({
      parent: holder.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          // The page's policy allows only styles with its nonce.
          EditorView.cspNonce.of(nonce),
          ...[lineNumbers(), foldGutter(), lintGutter(), history(), indentOnInput(), bracketMatching()],
          ...[closeBrackets(), highlightActiveLine(), EditorView.lineWrapping, json()],
          autocompletion({ override: [completeDocument(SCHEMA)] }),
          faults.current.of(faultLinter(latest.current.faults)),
          looks.current.of(theme(dark)),
          keymap.of([
            {
              key: 'Mod-s',
              preventDefault: true,
              run: () => {
                latest.current.onSave();
                return true;
              },
            },
            ...[...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...foldKeymap],
            ...[...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab],
          ]),
          // With the attribute, axe sees that the keyboard reaches the content.
          EditorView.contentAttributes.of({ 'aria-label': 'Document of the project, as JSON', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => view.current?.dispatch({ effects: looks.current.reconfigure(theme(dark)) }), [dark]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the linter depends on the faults only
  useEffect(
    () => view.current?.dispatch({ effects: faults.current.reconfigure(faultLinter(props.faults)) }),
    [props.faults],
  );
  return <div ref={holder} className="code" />;
};

// React.lazy loads the default export.
export default CodeEditor;
