/* Applies the chosen theme before the first paint. This script is inline, before the styles. */
try {
  document.documentElement.dataset.theme = localStorage.getItem('tessera.theme') ?? '';
} catch {
  // Storage is forbidden.
}
