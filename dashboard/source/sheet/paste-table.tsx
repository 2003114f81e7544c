import { Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { useState } from 'react';
import { type Field, labelOf } from '../new-video/field-values.ts';
import { videoNameColumn } from './columns.ts';
import { parseTable, TABLE_LIMITS, type Table } from './parse-table.ts';

const MAX_BYTES_PER_CHARACTER = 4;

/** The text of a file, or the fault of it. */
const readText = async (file: File): Promise<{ readonly text: string } | { readonly fault: string }> => {
  if (file.size > TABLE_LIMITS.characters * MAX_BYTES_PER_CHARACTER)
    return { fault: `${file.name} is too large. A sheet has at most ${TABLE_LIMITS.rows.toLocaleString()} rows.` };
  const bytes = await file.arrayBuffer();
  if (new TextDecoder('latin1').decode(bytes.slice(0, 4)) === 'PK\u0003\u0004')
    return { fault: `${file.name} is a spreadsheet file. Save it as CSV, or copy its cells.` };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { fault: `${file.name} is not UTF-8. Save it as "CSV UTF-8", or copy its cells.` };
  }
};

export const PasteTable = (props: { readonly fields: readonly Field[]; readonly take: (table: Table) => void }) => {
  const { fields, take } = props;
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [is_over, setOver] = useState(false);
  const takeText = (given: string): void => {
    const parsed = parseTable(given);
    if ('table' in parsed) take(parsed.table);
    else setFault(parsed.fault);
  };
  const takeFile = async (file: File | null | undefined): Promise<void> => {
    if (file === null || file === undefined) return;
    const read = await readText(file);
    if ('text' in read) takeText(read.text);
    else setFault(read.fault);
  };
  return (
    <Stack
      className="drop"
      {...(is_over && { 'data-over': true })}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void takeFile(event.dataTransfer.files.item(0));
      }}
    >
      <IconTable size={32} aria-hidden />
      <Text size="sm" maw={560}>
        Paste rows from a spreadsheet, or drop a CSV file. Each row becomes a video. The first row names the columns:{' '}
        {[videoNameColumn(fields), ...fields.map(labelOf)].join(', ')}.
      </Text>
      <Textarea
        label="Rows"
        w="100%"
        maw={640}
        minRows={5}
        maxRows={10}
        autosize
        value={text}
        spellCheck={false}
        error={fault}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          setFault(null);
        }}
        onPaste={({ clipboardData }) => {
          // A whole table is used at once. Otherwise the text stays in the input, for a correction.
          if (text === '') takeText(clipboardData.getData('text/plain'));
        }}
      />
      <Group>
        <FileButton accept=".csv,.tsv,.txt,text/csv" onChange={(file) => void takeFile(file)}>
          {(control) => (
            <Button {...control} variant="default">
              Choose a CSV file
            </Button>
          )}
        </FileButton>
        <Button disabled={text.trim() === ''} onClick={() => takeText(text)}>
          Use these rows
        </Button>
      </Group>
    </Stack>
  );
};
