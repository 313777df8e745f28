import { Server } from '../catalog/server.js';

/**
 * Lets the browser keep the gallery for when its server cannot be reached. On secure origins alone, as browsers have it
 * (Service Workers §4.4); elsewhere all else works without.
 */
export function keepForOffline() {
  if (!isSecureContext || !navigator.serviceWorker) return;
  const { serviceWorker } = navigator;
  if (!serviceWorker.controller) tellOfEarlierRequests(serviceWorker);
  // A browser may refuse, and then nothing is kept.
  const begin = () => serviceWorker.register('/service-worker.js').catch(() => {});
  // What is on screen comes first.
  if (document.readyState === 'complete') begin();
  else addEventListener('load', () => (self.requestIdleCallback ?? setTimeout)(begin));
}

/**
 * What a page asks for before its worker takes over never passes the worker. It is told the addresses, each once its
 * answer has come: some are still on their way when it takes over.
 * @param {ServiceWorkerContainer} serviceWorker
 */
async function tellOfEarlierRequests(serviceWorker) {
  let takenOver = Infinity;
  serviceWorker.addEventListener('controllerchange', () => (takenOver = performance.now()), { once: true });
  const { active } = await serviceWorker.ready;
  const answers = new PerformanceObserver((list) => {
    const earlier = list.getEntries().filter(({ startTime }) => startTime < takenOver);
    const keep = earlier.map(({ name }) => name).filter((name) => name.includes('/api/v1/'));
    if (keep.length > 0) active?.postMessage({ keep });
  });
  answers.observe({ type: 'resource', buffered: true });
  setTimeout(() => answers.disconnect(), Server.timeout);
}
