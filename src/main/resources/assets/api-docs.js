// Starts the API page; its own file because the page's policy allows no script inside it.
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
