// Starts the API page. A file of its own, because the page's policy allows no inline script.
const dark = matchMedia("(prefers-color-scheme: dark)");
const dress = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dress();
dark.addEventListener("change", dress);
const api = document.getElementById("api");
window.SwaggerUIBundle({
  url: api.dataset.document,
  domNode: api,
  validatorUrl: null,
  // Only the headings: Swagger draws a long list piece by piece, so that find in page would miss most of it.
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  showExtensions: true,
});
