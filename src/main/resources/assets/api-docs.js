// Starts the API page; its own file because the page's policy allows no script inside it.
const api = document.getElementById("api");
window.SwaggerUIBundle({
  url: api.dataset.document,
  domNode: api,
  validatorUrl: null,
  showExtensions: true,
});
