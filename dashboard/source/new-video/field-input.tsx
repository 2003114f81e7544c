import { Anchor, Group, Input, NumberInput, Select, Slider, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { type Field, fullColor, labelOf, sliderRange, stepOf } from './field-values.ts';

type FieldInputProps = {
  readonly field: Field;
  /** Undefined for the default. */
  readonly value: string | undefined;
  readonly fault: string | undefined;
  readonly setValue: (value: string | null) => void;
};

const sharedProps = ({ field, fault }: FieldInputProps) => ({
  label: labelOf(field),
  ...(field.description !== null && { description: field.description }),
  ...(fault !== undefined && { error: fault }),
});

/** The text that an empty input uses, in one line. */
const placeholderOf = ({ default_value }: Field): string => default_value.replaceAll('\n', ' ') || 'Empty';

const MAX_COUNTED = 500;

/** Says how long the text is if the limit is near, or short enough to matter from the start. */
const counterText = ({ max_length }: Field, text: string): string | null =>
  max_length !== null && (max_length <= MAX_COUNTED || text.length > max_length * 0.8)
    ? `${text.length.toLocaleString()} of ${max_length.toLocaleString()} characters`
    : null;

const OptionField = (props: FieldInputProps & { readonly options: readonly string[] }) => {
  const { field, options, value, setValue } = props;
  return (
    <Select
      {...sharedProps(props)}
      placeholder={placeholderOf(field)}
      data={[...options]}
      value={value ?? null}
      onChange={setValue}
      clearable
    />
  );
};

const TextField = (props: FieldInputProps) => {
  const { field, value, setValue } = props;
  const shared = sharedProps(props);
  const is_long = field.widget === 'textarea' || /\n/.test(field.default_value);
  const own = {
    ...shared,
    placeholder: value === '' ? 'Empty' : placeholderOf(field),
    value: value ?? '',
    ...(field.max_length !== null && { maxLength: field.max_length }),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setValue(currentTarget.value === '' ? null : currentTarget.value),
  };
  const counter = counterText(field, value ?? '');
  return (
    <Stack gap={2}>
      {is_long ? <Textarea {...own} autosize minRows={2} maxRows={8} /> : <TextInput {...own} />}
      <Group justify="space-between" gap="xs">
        {field.default_value === '' || (value !== undefined && value !== '') ? (
          <span />
        ) : (
          <Anchor component="button" type="button" fz="xs" onClick={() => setValue(value === '' ? null : '')}>
            {value === '' ? 'Use default' : 'Leave empty'}
            <span className="visually-hidden">: {labelOf(field)}</span>
          </Anchor>
        )}
        {counter === null ? null : <Input.Description className="figure">{counter}</Input.Description>}
      </Group>
    </Stack>
  );
};

const NumberField = (props: FieldInputProps) => {
  const { field, value, setValue } = props;
  const range = sliderRange(field);
  const step = stepOf(field);
  const number = Number(value ?? field.default_value);
  return (
    <Stack gap={6}>
      <NumberInput
        {...sharedProps(props)}
        placeholder={placeholderOf(field)}
        value={value ?? ''}
        step={step}
        allowDecimal={!field.whole}
        {...(field.minimum !== null && { min: field.minimum })}
        {...(field.maximum !== null && { max: field.maximum })}
        clampBehavior="none"
        onChange={(next) => setValue(next === '' ? null : String(next))}
      />
      {range === null ? null : (
        <Slider
          label={null}
          size="sm"
          thumbLabel={`${labelOf(field)}, slider`}
          min={range[0]}
          max={range[1]}
          step={step}
          value={Number.isFinite(number) ? Math.min(Math.max(number, range[0]), range[1]) : range[0]}
          onChange={(next) => setValue(String(next))}
        />
      )}
    </Stack>
  );
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A browser's input knows only days. A default with a time is written as text. */
const DateField = (props: FieldInputProps) => {
  const { field, value, setValue } = props;
  const is_day = DAY.test(field.default_value) && (value === undefined || DAY.test(value));
  const shown = [field.description, `Default: ${field.default_value}`].filter((one) => one !== null).join(' ');
  return (
    <TextInput
      {...sharedProps(props)}
      description={shown}
      type={is_day ? 'date' : 'text'}
      placeholder={placeholderOf(field)}
      value={value ?? ''}
      maxLength={40}
      onChange={({ currentTarget: { value: next } }) => setValue(next === '' ? null : next)}
    />
  );
};

const OPAQUE = /^#[0-9a-f]{6}/i;

/** The browser's picker knows neither transparency nor short forms. */
const opaque = (color: string): string => OPAQUE.exec(fullColor(color))?.[0] ?? '#000000';

const ColorField = (props: FieldInputProps) => {
  const { field, value, setValue } = props;
  return (
    <TextInput
      {...sharedProps(props)}
      placeholder={placeholderOf(field)}
      value={value ?? ''}
      maxLength={9}
      spellCheck={false}
      leftSection={
        <input
          type="color"
          className="swatch"
          aria-label={`Choose a colour: ${labelOf(field)}`}
          value={opaque(value ?? field.default_value)}
          onChange={({ currentTarget }) => setValue(currentTarget.value.toUpperCase())}
        />
      }
      onChange={({ currentTarget: { value: next } }) => setValue(next === '' ? null : next)}
      onBlur={() => value !== undefined && setValue(fullColor(value))}
    />
  );
};

/** The input of one field that is not a file. An empty input means the default, which is its placeholder. */
export const FieldInput = (props: FieldInputProps) => {
  const { field, value, setValue } = props;
  if (field.options !== null) return <OptionField {...props} options={field.options} />;
  switch (field.kind) {
    case 'number':
      return <NumberField {...props} />;
    case 'color':
      return <ColorField {...props} />;
    case 'date':
      return <DateField {...props} />;
    case 'toggle':
      return (
        <Switch
          {...sharedProps(props)}
          checked={(value ?? field.default_value) === 'true'}
          onChange={({ currentTarget }) => setValue(String(currentTarget.checked))}
        />
      );
    default:
      return <TextField {...props} />;
  }
};
