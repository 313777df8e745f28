import { responseTimeout } from '../catalog/server.js';

/**
 * Registers the service worker, which opens the gallery while its server cannot be reached. Browsers allow it on secure
 * origins only (Service Workers §4.4); the page works without.
 */
export function keepForOffline() {
  if (!isSecureContext || !navigator.serviceWorker) return;
  const { serviceWorker } = navigator;
  if (!serviceWorker.controller) cacheEarlierRequests(serviceWorker);
  // The browser may refuse; then nothing is stored.
  const begin = () => serviceWorker.register('service-worker.js').catch(() => {});
  // The viewport comes first.
  if (document.readyState === 'complete') begin();
  else addEventListener('load', () => (self.requestIdleCallback ?? setTimeout)(begin));
}

/**
 * Requests that the page sends before its worker takes over never pass the worker. The page tells it their addresses,
 * each once its response has arrived: some are still in flight when the worker takes over.
 * @param {ServiceWorkerContainer} serviceWorker
 */
async function cacheEarlierRequests(serviceWorker) {
  let takenOver = Infinity;
  serviceWorker.addEventListener('controllerchange', () => (takenOver = performance.now()), { once: true });
  const { active } = await serviceWorker.ready;
  const answers = new PerformanceObserver((list) => {
    const earlier = list.getEntries().filter(({ startTime }) => startTime < takenOver);
    const keep = earlier.map(({ name }) => name).filter((name) => name.includes('/api/v1/'));
    if (keep.length > 0) active?.postMessage({ keep });
  });
  answers.observe({ type: 'resource', buffered: true });
  setTimeout(() => answers.disconnect(), responseTimeout);
}
