// Everything comes from the service itself; nothing is kept in the browser.
window.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#interface',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
