/*
 * Applies the chosen theme and motion before the first paint, and requests the first answers of the catalog while the
 * page's script is still loading. This script is inline, before the styles: over a slow link the catalog arrives together
 * with the script rather than after it. `Server` takes the responses from `ahead`, by path.
 */
{
  /** @param {string} name */
  const remembered = (name) => {
    try {
      return localStorage.getItem(`tessera.${name}`);
    } catch {
      // Storage is forbidden.
      return null;
    }
  };
  document.documentElement.dataset.theme = remembered('theme') ?? '';
  const isReduced = remembered('motion') === 'reduced' || matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.documentElement.toggleAttribute('data-reduced-motion', isReduced);
  const pageSize = 100;
  const lifetime = 20_000;
  const place = location.hash.match(/^#at=(\d+)$/);
  // With an image in the address, its position has to be requested first.
  if (place || !location.hash) {
    const search = location.search.slice(1);
    const order = /(^|&)sort=/.test(search) ? '' : (remembered('order') ?? document.documentElement.dataset.defaultView);
    const view = [search, order].filter(Boolean).join('&');
    const index = Math.max(0, Number(place?.[1] ?? 1) - 1);
    const page = `api/v1/images?offset=${index - (index % pageSize)}&limit=${pageSize}`;
    const paths = [view ? `${page}&${view}` : page, `api/v1/shape?${view}`];
    const ahead = new Map(
      paths.map((path) => {
        const signal = /** @type {AbortSignalConstructor} */ (AbortSignal).timeout(lifetime);
        const answer = fetch(path, { headers: { Accept: 'application/json' }, priority: 'high', signal });
        // Whoever takes the response handles the error.
        answer.catch(() => {});
        return [path, answer];
      }),
    );
    globalThis.ahead = ahead;
    setTimeout(() => ahead.clear(), lifetime);
  }
}
