/** A smaller file comes with the first packets, whose rate says little. */
const leastBytes = 8_000;

/**
 * The highest rate at which one of the page's own files arrived, in bytes per second; undefined if all came out of caches.
 * @param {Pick<PerformanceResourceTiming, 'transferSize' | 'responseStart' | 'responseEnd'>[]} files
 */
export function linkRate(files) {
  const rates = files
    .filter(({ transferSize }) => transferSize >= leastBytes)
    .map(({ transferSize, responseStart, responseEnd }) => transferSize / Math.max(1, responseEnd - responseStart));
  return rates.length > 0 ? Math.round(Math.max(...rates) * 1_000) : undefined;
}
