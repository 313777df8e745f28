/** Smaller files come with the first packets, whose rate says little about the link. */
const leastBytes = 30_000;

/**
 * The rate at which the largest of the page's own files arrived, in bytes per second; undefined if all came out of
 * caches.
 * @param {Pick<PerformanceResourceTiming, 'transferSize' | 'responseStart' | 'responseEnd' | 'workerStart'>[]} files
 */
export function linkRate(files) {
  const [largest] = files
    .filter(({ transferSize, workerStart }) => transferSize >= leastBytes && !workerStart)
    .sort((one, other) => other.transferSize - one.transferSize);
  return largest && Math.round((largest.transferSize * 1_000) / Math.max(1, largest.responseEnd - largest.responseStart));
}
