import { pixelsOf } from '../../loading/sizes.js';
import { isTooFastForTiles } from '../pace.js';
import { Holdings } from './holdings.js';
import { readRendition } from './message.js';
import { Parts } from './parts.js';
import { Shelf } from './shelf.js';
import { StreamSocket } from './socket.js';

/**
 * The page's end of the stream, in a thread of its own: reading, acknowledging and keeping what came
 * go on while the page is busy. What it and the page say to each other is in `../stream.js`.
 *
 * @typedef {import('./message.js').Kind} Kind
 * @typedef {import('./message.js').Rendition} Rendition
 * @typedef {import('../stream.js').Assignment} Assignment
 * @typedef {Assignment & {given: Set<Kind>, isHeld: boolean}} Showing  `given`: what the page has of it; `isHeld`: nothing
 *   of it is sent, as everything that the slot needs is held.
 */

/** What the server assigned is remembered for as many slots, so that what it sends can be told apart. */
const mostShowings = 4_000;
/** Bytes that are made text of at a time: a call has only so many arguments. */
const slice = 8_192;
/** A disk that takes longer to say what is held is not waited for. Milliseconds. */
const shelfPatience = 400;
/** News goes to the page in parcels, so far apart at the least. Milliseconds. */
const parcelTime = 4;

/** @type {Map<string, Showing>} */
const byToken = new Map();
/** @type {Map<number, Showing>} */
const bySlot = new Map();
/**
 * Of views that were left, by token, the oldest first. The server takes what it has sent of them for held: it is kept, and
 * given to no slot.
 * @type {Map<string, Showing>}
 */
const leftByToken = new Map();
/** @type {StreamSocket | undefined} */
let socket;
/** @type {any} */
let viewport = null;
let held = 0;
const parts = new Parts();

const holdings = new Holdings(tell, (onEvicted) => new Shelf(onEvicted));

/** @type {any[]} */
let parcel = [];
let postedAt = 0;
let isParcelOpen = false;

/**
 * What comes alone goes at once; what comes close upon it goes together.
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
  start: ({ url }) => {
    socket = new StreamSocket(url, { opened, said, sent, closed: (how) => post({ type: 'closed', ...how }) });
  },
  viewport: ({ report }) => {
    // The slots of another view are others, whatever their numbers.
    if (viewport && viewport.view !== report.view) leaveShowings();
    viewport = report;
    sendViewport();
    giveTiles();
  },
  known: ({ images }) => holdings.tellOf(images),
  recall: async ({ assignments, revision, view }) => {
    await holdings.ready;
    const tokens = assignments.flatMap(heldOf(holdings.versions));
    if (!socket?.isOpen && tokens.length > 0) assign({ tokens, revision, view });
  },
  // What says nothing of it is a person's.
  retry: ({ slots, insists }) => socket?.send({ type: 'retry', slots, insists: insists ? undefined : false }),
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
function tell(message) {
  socket?.send(message);
  // What is let go of may be on screen, and only a viewport orders anything.
  if (message.type === 'forgot') sendViewport();
}

function sendViewport() {
  if (viewport) socket?.send({ type: 'viewport', ...viewport, parts: true, received: socket.received });
}

function leaveShowings() {
  for (const [token, showing] of byToken) leftByToken.set(token, showing);
  for (const token of leftByToken.keys()) {
    if (leftByToken.size <= mostShowings) break;
    leftByToken.delete(token);
  }
  byToken.clear();
  bySlot.clear();
}

async function opened() {
  leaveShowings();
  leftByToken.clear();
  viewport = null;
  holdings.begin();
  await Promise.race([holdings.ready, new Promise((resolve) => setTimeout(resolve, shelfPatience))]);
  // The page says what it knows and where it is; nothing is ordered before.
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
  const showings = tokens.map(({ slot, image, name, version, token, rendition }) => ({
    slot, image, name, version: version ?? null, token: token ?? `held ${(held += 1)}`, revision, view,
    rendition: rendition ?? 'tile', given: new Set(), isHeld: token === undefined,
  }));
  post({ type: 'assigned', assignments: showings.map(({ given, isHeld, ...assignment }) => assignment) });
  for (const showing of showings) {
    const before = bySlot.get(showing.slot);
    if (before) byToken.delete(before.token);
    bySlot.delete(showing.slot);
    bySlot.set(showing.slot, showing);
    byToken.set(showing.token, showing);
    givePreview(showing);
  }
  forgetOldShowings();
  giveTiles();
  // Of an earlier visit the server knows only what it is told; what it has not sent yet it need not send.
  holdings.tellOf(showings.filter(({ version }) => version !== null));
}

/**
 * What the page knows of an image may be older than what is held of it, or may not name a version.
 * @param {Map<string, string>} versions
 */
function heldOf(versions) {
  return (/** @type {{image: string}} */ assignment) => {
    const version = versions.get(assignment.image);
    return version === undefined ? [] : [{ ...assignment, version }];
  };
}

function forgetOldShowings() {
  for (const [slot, showing] of bySlot) {
    if (bySlot.size <= mostShowings) return;
    bySlot.delete(slot);
    byToken.delete(showing.token);
  }
}

/** Of what is held, and on screen, about it or to be made ready. */
function giveTiles() {
  if (!viewport || isTooFastForTiles(viewport)) return;
  const { first, count, velocity, ahead = 0, behind = 0 } = viewport;
  // Who rests comes next to the rows about the screen: what is held of them is shown as soon as what is sent for them.
  const beyond = Math.max(ahead, behind, velocity === 0 ? count : 0);
  for (let slot = first - beyond; slot < first + count + beyond; slot += 1) {
    const showing = bySlot.get(slot);
    if (showing) giveTile(showing);
  }
}

/** @param {Showing} showing */
function givePreview(showing) {
  const { image, version } = showing;
  if (!version) return;
  // For the server what is larger stands for the preview too.
  const from = holdings.has(image, version, 'preview') ? 'preview' : holdings.best(image, version, '160');
  if (from) give(showing, 'preview', from);
}

/**
 * What has as many pixels as the slot needs, or else the most there are.
 * @param {Showing} showing
 */
function giveTile(showing) {
  const { image, version, rendition, given } = showing;
  const best = version && holdings.best(image, version, rendition);
  if (!best || [...given].some((kind) => pixelsOf(kind) >= pixelsOf(best))) return;
  give(showing, best, best);
}

/**
 * Gives the page what is held.
 * @param {Showing} showing
 * @param {Kind} kind  As what.
 * @param {Kind} from
 */
async function give(showing, kind, from) {
  const { image, version, given } = showing;
  if (!version || given.has(kind)) return;
  given.add(kind);
  const book = await holdings.get(image, version, from);
  if (!book) given.delete(kind);
  else if (bySlot.get(showing.slot) === showing) deliver(showing, kind, { ...book, isLast: showing.isHeld });
}

/** @param {ArrayBuffer} message */
function sent(message) {
  const rendition = readRendition(message);
  if (!rendition) return;
  const current = byToken.get(rendition.token);
  const showing = current ?? leftByToken.get(rendition.token);
  if (!showing) return;
  if (rendition.isProblem) {
    if (current && rendition.endsToken) post({ type: 'problem', token: rendition.token, problem: readProblem(rendition.body) });
    return;
  }
  const { kind, type, version, isIncomplete, endsToken } = rendition;
  const body = parts.add(rendition);
  if (body === undefined && version) {
    // The server takes it for sent.
    tell({ type: 'forgot', images: [{ image: showing.image, version, renditions: [kind] }] });
  }
  if (!body) return;
  showing.version = version ?? showing.version;
  if (version) holdings.put(showing.image, version, kind, type, body, isIncomplete);
  showing.given.add(kind);
  if (current) deliver(current, kind, { type, body, isIncomplete, isLast: endsToken });
}

/**
 * @param {Showing} showing
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
 * A URL that has the bytes in it.
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
