import { Connection } from './catalog/connection.js';
import { Pages } from './catalog/pages.js';
import { Progress } from './catalog/progress.js';
import { Proportions } from './catalog/proportions.js';
import { Reordering } from './catalog/reordering.js';
import { Server } from './catalog/server.js';
import { View } from './catalog/view.js';
import { CatalogWatch } from './catalog/watch.js';
import { Bar } from './finding/bar.js';
import { Finding } from './finding/finding.js';
import { Navigation } from './finding/navigation.js';
import { Search } from './finding/search.js';
import { Sorting } from './finding/sorting.js';
import { Trail } from './finding/trail.js';
import { Grid } from './grid/grid.js';
import { attachKeyboard } from './grid/keyboard.js';
import { attachPinch } from './grid/pinch.js';
import { attachPointer } from './grid/pointer.js';
import { Scrubber } from './grid/scrubber.js';
import { StandingTitle } from './grid/standing-title.js';
import { PictureCache } from './loading/cache.js';
import { TokenDesk } from './loading/desk.js';
import { PictureLoader } from './loading/loader.js';
import { Places } from './loading/places.js';
import { Way } from './loading/way.js';
import { keepForOffline } from './offline/registration.js';
import { Address } from './page/address.js';
import { Banner } from './page/banner.js';
import { FullScreen } from './page/full-screen.js';
import { Header } from './page/header.js';
import { LayoutChoice } from './page/layout-choice.js';
import { ProgressLine } from './page/progress-line.js';
import { Shortcuts } from './page/shortcuts.js';
import { find } from './page/template.js';
import { Vacancy } from './page/vacancy.js';
import { StreamLoader } from './stream/loader.js';
import { ViewportReport } from './stream/report.js';
import { Stream } from './stream/stream.js';
import { Viewer } from './viewer/viewer.js';

/* The page put together: what each part is told of the others, and nothing more. */

const connection = new Connection();
const server = new Server(connection);
const pages = new Pages(server);
const cache = new PictureCache();
const places = new Places();

// Each has a session of its own, so that a slot of the viewer and a slot of the grid may have the same number.
const gridLoader = new PictureLoader({ desk: new TokenDesk(server), places, cache, connection });
const viewerLoader = new PictureLoader({ desk: new TokenDesk(server), places, cache, connection });
const stillLoader = new PictureLoader({ desk: new TokenDesk(server), places, cache, connection });

const stream = new Stream();
const way = new Way({ stream, connection, pages, byStream: new StreamLoader({ stream, cache, pages }) });
const gridLane = way.lane(gridLoader);
const viewerLane = way.lane(viewerLoader);
stream.start();

const proportions = new Proportions(pages, server);
const grid = new Grid(pages, way, gridLane, proportions);
const followers = [grid.focusFollower];
const reordering = new Reordering({ pages, server, ground: grid, followers });

const finding = new Finding({ reordering, grid });
const viewer = new Viewer({
  grid, images: way, lane: viewerLane, loader: viewerLoader, stillLoader, server, finding,
});
new ViewportReport({ grid, pages, way, lane: gridLane, viewer });
followers.push(viewer.follower);
const search = new Search({ finding, pages, grid });
const progress = new Progress(pages, server);
progress.addEventListener('learnt', () => proportions.renew());
new Sorting(finding);
new Trail({ finding, server, pages, onRoom: () => grid.lay() });
new Bar(finding);
new Navigation({ finding, search, grid });

new Banner(connection);
new Vacancy({ pages, connection, progress, onClear: () => search.clearAll() });
new Header(grid, pages, server);
new LayoutChoice(grid);
new Scrubber(grid);
new StandingTitle(grid);
new CatalogWatch(pages, way);
new FullScreen();
new Shortcuts();
new ProgressLine(progress);
attachKeyboard(grid, find('#grid'));
attachPointer(grid, find('#grid'));
attachPinch(grid, find('#grid'));
keepForOffline();

/** @type {ReturnType<typeof setTimeout> | undefined} */
let retrying;

grid.addEventListener('open', (event) => {
  const { detail: cell } = /** @type {CustomEvent<import('./grid/cell.js').Cell>} */ (event);
  viewer.open(cell.number);
});
grid.addEventListener('rest', () => {
  if (!viewer.isOpen) Address.showPlaceSoon(grid.place);
});
addEventListener('popstate', follow);
connection.addEventListener('restored', () => {
  if (pages.total === undefined) start();
  else if (!finding.wished.equals(pages.view)) finding.show(finding.wished, {}).catch(() => {});
  else pages.refresh();
});

start();

/**
 * Shows the place that the address names.
 * @param {{isNewVisit?: boolean}} [how]  Not new when Back or Forward led here.
 */
async function start({ isNewVisit = true } = {}) {
  clearTimeout(retrying);
  const place = Address.read();
  try {
    const index = await finding.show(Address.view, 'index' in place ? { at: place.index } : place);
    if (index === undefined) return;
    if ('index' in place) grid.goTo(index, place.within);
    if (!('image' in place)) return;
    const image = await way.load(index);
    if (image?.id !== place.image) return;
    // A step is put beneath, so that Back leads to the grid from here too.
    if (isNewVisit) Address.showPlace({ index, within: 0 });
    viewer.open(index, { isNewVisit });
  } catch (problem) {
    await startElsewhere(/** @type {import('./catalog/problem.js').Problem} */ (problem));
  }
}

/** @param {import('./catalog/problem.js').Problem} problem  Why the view that the address names cannot be shown. */
async function startElsewhere(problem) {
  if (pages.total !== undefined) return;
  // The words are not understood, or nothing can be found by words, and the field says so; the pictures are there all
  // the same.
  if (problem.status === 400 || problem.status === 409) await reordering.show(new View()).catch(() => {});
  if (pages.total !== undefined) return;
  pages.report(problem);
  retrying = setTimeout(() => pages.total === undefined && start(), (problem.retryAfter ?? 2) * 1_000);
}

/** The address was changed by Back, by Forward or by hand. */
async function follow() {
  const place = Address.read();
  if (!('image' in place)) viewer.leave();
  if (!Address.view.equals(finding.wished)) {
    await start({ isNewVisit: false });
    return;
  }
  if ('index' in place && place.index !== grid.position && !viewer.isOpen) grid.goTo(place.index, place.within);
  const pictured = 'image' in place ? await server.position(pages.view, place.image).catch(() => {}) : undefined;
  if (pictured !== undefined) viewer.open(pictured, { isNewVisit: false });
}
