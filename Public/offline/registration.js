/**
 * Lets the browser keep the gallery for when its server cannot be reached. On secure origins alone, as browsers have it
 * (Service Workers §4.4); elsewhere all else works without.
 */
export function keepForOffline() {
  if (!isSecureContext || !navigator.serviceWorker) return;
  const wasKept = navigator.serviceWorker.controller !== null;
  const begin = () => register(wasKept).catch(() => {}); // A browser may refuse, and then nothing is kept.
  // What is on screen comes first.
  if (document.readyState === 'complete') begin();
  else addEventListener('load', () => (self.requestIdleCallback ?? setTimeout)(begin));
}

/** @param {boolean} wasKept  Whether what this page asked for was kept already. */
async function register(wasKept) {
  await navigator.serviceWorker.register('/service-worker.js');
  if (wasKept) return;
  const { active } = await navigator.serviceWorker.ready;
  const asked = performance.getEntriesByType('resource').map(({ name }) => name);
  active?.postMessage({ keep: asked.filter((name) => name.includes('/api/v1/')) });
}
