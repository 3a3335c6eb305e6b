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
  showExtensions: true,
});
