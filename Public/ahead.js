/*
 * Asks for what the page needs first while its script is still on its way. This is in the page itself: over a slow link the
 * first answers of the catalog come with the script, and not after it. `Server` takes them from `ahead`, by what they were
 * asked for.
 */
{
  const pageSize = 100;
  const lifetime = 20_000;
  const place = location.hash.match(/^#at=(\d+)$/);
  // Where a picture stands has to be asked first.
  if (place || !location.hash) {
    const view = location.search.slice(1);
    const index = Math.max(0, Number(place?.[1] ?? 1) - 1);
    const page = `/api/v1/images?offset=${index - (index % pageSize)}&limit=${pageSize}`;
    const paths = [view ? `${page}&${view}` : page, `/api/v1/shape?${view}`];
    const ahead = new Map(
      paths.map((path) => {
        const signal = AbortSignal.timeout(lifetime);
        const answer = fetch(path, { headers: { Accept: 'application/json' }, priority: 'high', signal });
        // Whoever takes it hears of it.
        answer.catch(() => {});
        return [path, answer];
      }),
    );
    globalThis.ahead = ahead;
    setTimeout(() => ahead.clear(), lifetime);
  }
}
