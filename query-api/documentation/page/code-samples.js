/** The language that was chosen last, for operations that are opened later. */
let chosen = 'Shell';

const HIGHLIGHTED_AS = { Shell: 'bash', TypeScript: 'javascript' };

/** Tabs with the samples of an operation; `samples` is its `x-codeSamples`. */
const samplesOf = ({ React: { createElement, useState }, getComponent }) => {
  const HighlightCode = getComponent('HighlightCode', true);
  return ({ samples }) => {
    const [lang, setLang] = useState(chosen);
    const shown = samples.find((sample) => sample.lang === lang) ?? samples[0];
    const choose = (next) => {
      chosen = next;
      setLang(next);
    };
    const tabs = samples.map((sample) =>
      createElement(
        'button',
        {
          key: sample.lang,
          type: 'button',
          role: 'tab',
          'aria-selected': sample === shown,
          onClick: () => choose(sample.lang),
        },
        sample.label,
      ),
    );
    return createElement(
      'div',
      { className: 'code-samples' },
      createElement('div', { className: 'opblock-section-header' }, createElement('h4', null, 'Samples')),
      createElement('div', { className: 'code-samples-tabs', role: 'tablist' }, tabs),
      createElement(
        'div',
        { role: 'tabpanel' },
        createElement(HighlightCode, { language: HIGHLIGHTED_AS[shown.lang] ?? 'text', canCopy: true }, shown.source),
      ),
    );
  };
};

/** A plugin of Swagger UI: the `x-codeSamples` of an operation, before its responses. */
export const CodeSamples = () => ({
  wrapComponents: {
    responses: (Responses, system) => {
      const { createElement, Fragment } = system.React;
      let Samples = null;
      return (props) => {
        const operation = ['paths', props.path, props.method, 'x-codeSamples'];
        const samples = system.specSelectors.specJson().getIn(operation);
        Samples ??= samplesOf(system);
        return createElement(
          Fragment,
          null,
          samples === undefined ? null : createElement(Samples, { samples: samples.toJS() }),
          createElement(Responses, props),
        );
      };
    },
  },
});
