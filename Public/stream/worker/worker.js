import { serverTables, useServerTables } from '../../catalog/server-tables.js';
import { pixelsOf } from '../../loading/sizes.js';
import { isFast } from '../pace.js';
import { Holdings } from './holdings.js';
import { readRendition } from './message.js';
import { Parts } from './parts.js';
import { TileCache } from './tile-cache.js';
import { StreamSocket } from './socket.js';

/**
 * The page's end of the stream, in a worker: receiving, acknowledging and caching continue while the page is busy.
 * `../stream.js` documents the messages between the two.
 *
 * @typedef {import('./message.js').Kind} Kind
 * @typedef {import('./message.js').Rendition} Rendition
 * @typedef {import('../stream.js').Assignment} Assignment
 * @typedef {Assignment & {given: Set<Kind>, isHeld: boolean}} SlotDisplay  `given`: the renditions passed to the page;
 *   `isHeld`: nothing will be sent, because everything that the slot needs is held.
 */

/** How many assignments to remember, so that renditions can be attributed. */
const mostDisplays = 4_000;
/** Bytes converted to text at a time: a call takes a limited number of arguments. */
const slice = 8_192;
/** How long to wait for the cache's index. Milliseconds. */
const cachePatience = 400;
/** The least interval of parcels to the page. Milliseconds. */
const parcelTime = 4;

/** @type {Map<string, SlotDisplay>} */
const byToken = new Map();
/** @type {Map<number, SlotDisplay>} */
const bySlot = new Map();
/**
 * Assignments of earlier views, by token, the oldest first. The server believes that what it sent for them is held: it
 * is cached, and passed to no slot.
 * @type {Map<string, SlotDisplay>}
 */
const leftByToken = new Map();
/** @type {StreamSocket | undefined} */
let socket;
/** @type {any} */
let viewport = null;
let held = 0;
const parts = new Parts();

const holdings = new Holdings(sendHoldings, (onEvicted) => new TileCache(onEvicted));

/** @type {any[]} */
let parcel = [];
let postedAt = 0;
let isParcelOpen = false;

/**
 * Posts a single item at once, and items in quick succession together.
 * @param {any} item
 */
function post(item) {
  parcel.push(item);
  if (isParcelOpen) return;
  isParcelOpen = true;
  const wait = postedAt + parcelTime - performance.now();
  if (wait > 0) setTimeout(closeParcel, wait);
  else queueMicrotask(closeParcel);
}

function closeParcel() {
  isParcelOpen = false;
  postedAt = performance.now();
  self.postMessage(parcel);
  parcel = [];
}

/** @type {Record<string, (message: any) => void>} */
const orders = {
  start: ({ url, tables }) => {
    useServerTables(tables);
    socket = new StreamSocket(url, { opened, said, sent, closed: (how) => post({ type: 'closed', ...how }) });
  },
  viewport: ({ report }) => {
    // The slots of another view are different ones, whatever their numbers.
    if (viewport && viewport.view !== report.view) leaveDisplays(({ view }) => (view ?? '') !== (report.view ?? ''));
    viewport = report;
    sendViewport();
    giveTiles();
  },
  known: ({ images }) => holdings.announceHeld(images),
  requestHeld: async ({ assignments, revision, view }) => {
    await holdings.ready;
    const tokens = assignments.flatMap(heldOf(holdings.versions));
    if (!socket?.isOpen && tokens.length > 0) assign({ tokens, revision, view });
  },
  // Absent means true: the user asked for the retry.
  retry: ({ slots, bypassesNegativeCache }) => socket?.send({ type: 'retry', slots, bypassesNegativeCache: bypassesNegativeCache ? undefined : false }),
  unfit: ({ image, version, kind }) => holdings.remove(image, version, kind),
  sleep: () => {
    socket?.sleep();
    holdings.flush();
  },
  wake: () => socket?.wake(),
  ask: () => socket?.ask(),
  hasten: () => socket?.hasten(),
  renew: () => {
    socket?.sleep();
    socket?.wake();
  },
};

self.addEventListener('message', ({ data }) => orders[data.type]?.(data));

/** @param {{type: 'has' | 'forgot', images: import('./holdings.js').Holding[]}} message */
function sendHoldings(message) {
  socket?.send(message);
  // What was evicted may be on screen, and only a viewport report requests anything.
  if (message.type === 'forgot') sendViewport();
}

function sendViewport() {
  if (viewport) socket?.send({ type: 'viewport', ...viewport, parts: true, received: socket.received });
}

/**
 * Held renditions of a view may be assigned before the first viewport report of that view.
 * @param {(display: SlotDisplay) => boolean} isLeft
 */
function leaveDisplays(isLeft = () => true) {
  for (const [token, display] of byToken) {
    if (!isLeft(display)) continue;
    leftByToken.set(token, display);
    byToken.delete(token);
    if (bySlot.get(display.slot) === display) bySlot.delete(display.slot);
  }
  for (const token of leftByToken.keys()) {
    if (leftByToken.size <= mostDisplays) break;
    leftByToken.delete(token);
  }
}

async function opened() {
  leaveDisplays();
  leftByToken.clear();
  viewport = null;
  holdings.begin();
  await Promise.race([holdings.ready, new Promise((resolve) => setTimeout(resolve, cachePatience))]);
  // The page first says what it holds and where it is; the server sends nothing before.
  post({ type: 'open' });
}

/** @param {any} message */
function said(message) {
  switch (message?.type) {
    case 'session':
    case 'catalog':
      post({ type: 'catalog', view: message.view, revision: message.revision, total: message.total });
      break;
    case 'tokens':
      if (Array.isArray(message.tokens)) assign(message);
      break;
    case 'waiting':
      if (Array.isArray(message.tokens)) post({ type: 'waiting', tokens: message.tokens });
      break;
    case 'pong':
      post({ type: 'heard' });
      break;
  }
}

/** @param {{tokens: any[], revision: number, view?: string}} message */
function assign({ tokens, revision, view }) {
  const displays = tokens.map(({ slot, image, name, version, token, rendition }) => ({
    slot, image, name, version: version ?? null, token: token ?? `held ${(held += 1)}`, revision, view,
    rendition: rendition ?? 'tile', given: new Set(), isHeld: token === undefined,
  }));
  post({ type: 'assigned', assignments: displays.map(({ given, isHeld, ...assignment }) => assignment) });
  for (const display of displays) {
    const before = bySlot.get(display.slot);
    if (before) byToken.delete(before.token);
    bySlot.delete(display.slot);
    bySlot.set(display.slot, display);
    byToken.set(display.token, display);
    givePreview(display);
  }
  forgetOldDisplays();
  giveTiles();
  // The server does not know what earlier visits have left here; it need not send that again.
  holdings.announceHeld(displays.filter(({ version }) => version !== null));
}

/**
 * Replaces the page's version of an image, which may be older or missing, by the one that is held.
 * @param {Map<string, string>} versions
 */
function heldOf(versions) {
  return (/** @type {{image: string}} */ assignment) => {
    const version = versions.get(assignment.image);
    return version === undefined ? [] : [{ ...assignment, version }];
  };
}

function forgetOldDisplays() {
  for (const [slot, display] of bySlot) {
    if (bySlot.size <= mostDisplays) return;
    bySlot.delete(slot);
    byToken.delete(display.token);
  }
}

/** Passes on what is held for the viewport, its surroundings, and the slots to prepare. */
function giveTiles() {
  if (!viewport || isFast(viewport)) return;
  const { first, count, velocity, ahead = 0, behind = 0 } = viewport;
  // At rest, the neighbouring screens are next: renditions held for them are passed on now, like those that the server
  // sends.
  const beyond = Math.max(ahead, behind, velocity === 0 ? count : 0);
  for (let slot = first - beyond; slot < first + count + beyond; slot += 1) {
    const display = bySlot.get(slot);
    if (display) giveTile(display);
  }
}

/** @param {SlotDisplay} display */
function givePreview(display) {
  const { image, version } = display;
  if (!version) return;
  // For the server, a larger rendition includes the preview.
  const from = holdings.has(image, version, 'preview') ? 'preview' : holdings.best(image, version, serverTables.steps[0].name);
  if (from) give(display, 'preview', from);
}

/**
 * Passes on the rendition with as many pixels as the slot needs, or else the largest.
 * @param {SlotDisplay} display
 */
function giveTile(display) {
  const { image, version, rendition, given } = display;
  const best = version && holdings.best(image, version, rendition);
  if (!best || [...given].some((kind) => pixelsOf(kind) >= pixelsOf(best))) return;
  give(display, best, best);
}

/**
 * Passes a held rendition to the page.
 * @param {SlotDisplay} display
 * @param {Kind} kind  The rendition it stands for.
 * @param {Kind} from
 */
async function give(display, kind, from) {
  const { image, version, given } = display;
  if (!version || given.has(kind)) return;
  given.add(kind);
  const cached = await holdings.get(image, version, from);
  if (!cached) given.delete(kind);
  else if (bySlot.get(display.slot) === display) deliver(display, kind, { ...cached, isLast: display.isHeld });
}

/** @param {ArrayBuffer} message */
function sent(message) {
  const rendition = readRendition(message);
  if (!rendition) return;
  const current = byToken.get(rendition.token);
  const display = current ?? leftByToken.get(rendition.token);
  if (!display) return;
  if (rendition.isProblem) {
    if (current && rendition.endsToken) post({ type: 'problem', token: rendition.token, problem: readProblem(rendition.body) });
    return;
  }
  const { kind, type, version, isIncomplete, endsToken } = rendition;
  const body = parts.add(rendition);
  if (body === undefined && version) {
    // The server believes that it was delivered.
    sendHoldings({ type: 'forgot', images: [{ image: display.image, version, renditions: [kind] }] });
  }
  if (!body) return;
  display.version = version ?? display.version;
  if (version) holdings.put(display.image, version, kind, type, body, isIncomplete);
  display.given.add(kind);
  if (current) deliver(current, kind, { type, body, isIncomplete, isLast: endsToken });
}

/**
 * @param {SlotDisplay} display
 * @param {Kind} kind
 * @param {{type: string, body: ArrayBuffer, isIncomplete?: boolean, isLast?: boolean}} what
 */
function deliver({ token, version }, kind, { type, body, isIncomplete = false, isLast = false }) {
  const at = performance.timeOrigin + performance.now();
  const content = { version, isIncomplete };
  if (kind === 'preview') post({ type: 'preview', token, content, url: textOf(type, body), at });
  else post({ type: 'tile', token, content, kind, blob: new Blob([body], { type }), isLast });
}

/**
 * A data URL.
 * @param {string} type
 * @param {ArrayBuffer} body
 */
function textOf(type, body) {
  const bytes = new Uint8Array(body);
  let letters = '';
  for (let at = 0; at < bytes.length; at += slice) letters += String.fromCharCode(...bytes.subarray(at, at + slice));
  return `data:${type || 'image/*'};base64,${btoa(letters)}`;
}

/** @param {ArrayBuffer} body */
function readProblem(body) {
  try {
    const { status, title, detail, retryAfter } = JSON.parse(new TextDecoder().decode(body));
    return {
      status: Number(status) || 0,
      title: String(title ?? ''),
      detail: String(detail ?? ''),
      retryAfter: typeof retryAfter === 'number' ? retryAfter : undefined,
    };
  } catch {
    return { status: 0, title: '', detail: '' };
  }
}
