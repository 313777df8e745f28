import './page/server-tables.js';
import { Connection } from './catalog/connection.js';
import { Pages } from './catalog/pages.js';
import { Progress } from './catalog/progress.js';
import { Proportions } from './catalog/proportions.js';
import { Reordering } from './catalog/reordering.js';
import { Server, Unreachable } from './catalog/server.js';
import { View } from './catalog/view.js';
import { CatalogWatch } from './catalog/watch.js';
import { Bar } from './finding/bar.js';
import { Dates } from './finding/dates.js';
import { DefaultView } from './finding/default-view.js';
import { Finding } from './finding/finding.js';
import { Folders } from './finding/folders.js';
import { Navigation } from './finding/navigation.js';
import { Search } from './finding/search.js';
import { Searched } from './finding/searched.js';
import { Sorting } from './finding/sorting.js';
import { Trail } from './finding/trail.js';
import { Grid } from './grid/grid.js';
import { attachKeyboard } from './grid/keyboard.js';
import { attachPinch } from './grid/pinch.js';
import { attachPointer } from './grid/pointer.js';
import { Scrubber } from './grid/scrubber.js';
import { StickyTitle } from './grid/sticky-title.js';
import { PictureCache } from './loading/cache.js';
import { TokenSession } from './loading/token-session.js';
import { TokenLoader } from './loading/token-loader.js';
import { RequestLimit } from './loading/request-limit.js';
import { Transport } from './loading/transport.js';
import { keepForOffline } from './offline/registration.js';
import { Address } from './page/address.js';
import { Banner } from './page/banner.js';
import { FullScreen } from './page/full-screen.js';
import { Header } from './page/header.js';
import { importLater, whenIdle } from './page/loading-later.js';
import { LayoutChoice } from './page/layout-choice.js';
import { Message } from './page/message.js';
import { NotShownLine } from './page/not-shown.js';
import { ProgressLine } from './page/progress-line.js';
import { Shortcuts } from './page/shortcuts.js';
import { find } from './page/template.js';
import { Vacancy } from './page/vacancy.js';
import { Settings } from './settings/settings.js';
import { StreamLoader } from './stream/stream-loader.js';
import { ViewportReport } from './stream/report.js';
import { Stream } from './stream/stream.js';
import { ViewerOnDemand } from './viewer/viewer-on-demand.js';

/* Assembles the page: each part gets references to the parts it needs, and no others. */

const connection = new Connection();
const server = new Server(connection);
const pages = new Pages(server);
const cache = new PictureCache();
const limit = new RequestLimit();

// Each loader has its own session, so that a slot of the viewer and a slot of the grid may have the same number.
const gridLoader = new TokenLoader({ session: new TokenSession(server), limit, cache, connection });
const viewerLoader = new TokenLoader({ session: new TokenSession(server), limit, cache, connection });
const stillLoader = new TokenLoader({ session: new TokenSession(server), limit, cache, connection });
const besideLoader = new TokenLoader({ session: new TokenSession(server), limit, cache, connection });

const stream = new Stream();
const transport = new Transport({ stream, connection, pages, byStream: new StreamLoader({ stream, cache, pages }) });
const gridSlots = transport.slotGroup(gridLoader);
const viewerSlots = transport.slotGroup(viewerLoader);
stream.start();

const proportions = new Proportions(pages, server);
const grid = new Grid(pages, transport, gridSlots, proportions);
const followers = [grid.focusFollower];
const reordering = new Reordering({ pages, server, ground: grid, followers });

const finding = new Finding({ reordering, grid });
const viewer = new ViewerOnDemand({
  grid, transport, slotGroup: viewerSlots, loader: viewerLoader, stillLoader, besideLoader, server, finding,
});
new ViewportReport({ grid, pages, transport, slotGroup: gridSlots, viewer });
followers.push(viewer.follower);
const search = new Search({ finding, pages, grid });
const progress = new Progress(pages, server);
progress.addEventListener('learnt', () => proportions.renew());
new Sorting(finding);
new DefaultView({ progress, finding, grid, viewer });
new Trail({ finding, pages, grid, onRoom: () => grid.lay() });
new Searched({ search, finding, pages, grid, onRoom: () => grid.lay() });
new Folders({ finding, server, pages, grid });
new Dates({ finding, server, pages, grid });
new Bar(finding);
new Navigation({ finding, search, grid });

const banner = new Banner(connection);
new Vacancy({ pages, connection, progress, finding });
new Header(grid, pages, server);
new LayoutChoice(grid);
new Scrubber(grid);
new StickyTitle(grid);
new CatalogWatch(pages, transport);
new FullScreen();
new Settings({ shortcuts: new Shortcuts(), finding });
new ProgressLine(progress);
new NotShownLine(progress);
attachKeyboard(grid, find('#grid'));
attachPointer(grid, find('#grid'));
attachPinch(grid, find('#grid'));
keepForOffline();
whenIdle({ transport, connection }, (later) => {
  viewer.prepare(later);
  new later.Timeline({ grid, pages });
  later.offerAccount({ grid, pages, server, connection });
});

/** @type {ReturnType<typeof setTimeout> | undefined} */
let retrying;
/**
 * Loaded when something cannot be had because the server is out of reach.
 * @type {import('./offline/stand-in.js').StandIn | undefined}
 */
let standIn;

grid.addEventListener('open', (event) => {
  const { detail: cell } = /** @type {CustomEvent<import('./grid/cell.js').Cell>} */ (event);
  viewer.open(cell.number);
});
grid.addEventListener('rest', () => {
  if (!viewer.isOpen) Address.showPlaceSoon(grid.place);
});
addEventListener('popstate', follow);
finding.addEventListener('problem', async (event) => {
  const { detail: problem } = /** @type {CustomEvent<import('./catalog/problem.js').Problem>} */ (event);
  if (!(problem instanceof Unreachable)) return;
  const place = Address.read();
  const later = await importLater().catch(() => undefined);
  standIn ??= later && new later.StandIn({ finding, pages, reordering, grid, connection, banner, startAgain: start });
  standIn?.show(place);
});
connection.addEventListener('restored', () => {
  if (pages.total === undefined) start();
  else if (finding.requested.equals(pages.view)) pages.refresh();
  else if (!standIn) finding.show(finding.requested, {}).catch(() => {});
});

start();

/**
 * Displays the place that the address names.
 * @param {{isNewVisit?: boolean}} how  Not new after Back or Forward.
 */
async function start({ isNewVisit = true } = {}) {
  clearTimeout(retrying);
  const place = Address.read();
  try {
    const index = await finding.show(Address.view, 'index' in place ? { at: place.index } : place);
    if (index === undefined) return;
    if ('index' in place) grid.goTo(index, place.within);
    if (!('image' in place)) return;
    const image = await transport.load(index);
    if (image?.id !== server.presentID(place.image)) {
      if (image) tellOfMissing({ index, within: 0 });
      return;
    }
    // Add a history entry below, so that Back leads to the grid from here too. A reloaded page has one already.
    const isNew = isNewVisit && history.state?.image !== place.image;
    if (isNew) Address.showPlace({ index, within: 0 });
    viewer.open(index, { isNewVisit: isNew });
  } catch (problem) {
    await startElsewhere(/** @type {import('./catalog/problem.js').Problem} */ (problem));
  }
}

/** @param {import('./catalog/problem.js').Problem} problem  Why the view in the address cannot be displayed. */
async function startElsewhere(problem) {
  if (pages.total !== undefined) return;
  // The server does not understand the search, or cannot search: the search field says so, and the page shows all
  // images.
  if (problem.status === 400 || problem.status === 409) await reordering.show(new View()).catch(() => {});
  if (pages.total !== undefined) return;
  pages.report(problem);
  retrying = setTimeout(() => pages.total === undefined && start(), (problem.retryAfter ?? 2) * 1_000);
}

/**
 * The address names an image that the view does not contain, or no longer.
 * @param {import('./page/address.js').Place} place
 */
function tellOfMissing(place) {
  Address.showPlace(place);
  Message.show('That picture was not found here.');
}

/** Back, Forward or the user changed the address. */
async function follow() {
  const place = Address.read();
  if (!('image' in place)) viewer.leave();
  if (!Address.view.equals(finding.requested)) {
    await start({ isNewVisit: false });
    return;
  }
  if ('index' in place && place.index !== grid.position && !viewer.isOpen) grid.goTo(place.index, place.within);
  let isMissing = true;
  const pictured = 'image' in place
    ? await server.position(pages.view, place.image).catch(() => { isMissing = false; })
    : undefined;
  if (pictured !== undefined) viewer.open(pictured, { isNewVisit: false });
  else if ('image' in place && isMissing) tellOfMissing(grid.place);
}
