/*
 * Requests the first answers of the catalog while the page's script is still loading. This script is inline: over a
 * slow link the catalog arrives together with the script rather than after it. `Server` takes the responses from
 * `ahead`, by path.
 */
{
  const pageSize = 100;
  const lifetime = 20_000;
  const place = location.hash.match(/^#at=(\d+)$/);
  // With an image in the address, its position has to be requested first.
  if (place || !location.hash) {
    const search = location.search.slice(1);
    let order = '';
    try {
      if (!/(^|&)sort=/.test(search)) order = localStorage.getItem('tessera.order') ?? '';
    } catch {
      // Storage is forbidden.
    }
    const view = [search, order].filter(Boolean).join('&');
    const index = Math.max(0, Number(place?.[1] ?? 1) - 1);
    const page = `/api/v1/images?offset=${index - (index % pageSize)}&limit=${pageSize}`;
    const paths = [view ? `${page}&${view}` : page, `/api/v1/shape?${view}`];
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
