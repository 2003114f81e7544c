import { InvalidArgumentError, Option } from 'commander';
import { collectValues } from './arguments.ts';

export const choiceOption = <A extends string>(choices: readonly A[], flags: string, description: string): Option => {
  const chosen = (text: string): A => {
    const found = choices.find((one) => one === text);
    if (found === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return found;
  };
  const option = new Option(flags, description).choices(choices);
  return option.argParser((text: string, before: readonly string[] | undefined) => collectValues(chosen(text), before));
};
