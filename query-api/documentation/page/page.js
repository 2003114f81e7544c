import { KeptAuthorization } from './authorization.js';
import { CodeSamples } from './code-samples.js';
import { connectContents, openGuide } from './guide.js';

// As the reader's system is.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();
openGuide();

// Everything comes from the service itself.
const ui = window.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#interface',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  plugins: [KeptAuthorization, CodeSamples],
  validatorUrl: null,
  onComplete: () => connectContents(ui),
});
