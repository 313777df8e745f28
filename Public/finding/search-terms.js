import { adviceOnDate } from './date-advice.js';

/**
 * The search filters, which a search may have besides words: the server's terms (`Search` in its catalog), in the
 * sequence in which the page offers them.
 *
 * @typedef {{key: string, label: string, value?: string, example: string}} SearchTerm  `value`: the only one that the
 *   term can have.
 * @type {SearchTerm[]}
 */
export const searchTerms = [
  { key: 'taken', label: 'Date', example: 'taken:2019, taken:2019-06, or taken:2019-06..2019-08' },
  { key: 'on', label: 'Day of year', example: 'on:06-30, in any year' },
  { key: 'camera', label: 'Camera', example: 'camera:lumix' },
  { key: 'lens', label: 'Lens', example: 'lens:50mm' },
  { key: 'rating', label: 'Rating', example: 'rating:4, rating:3..5, or rating:0 for not rated' },
  { key: 'type', label: 'File type', example: 'type:heic or type:png' },
  { key: 'folder', label: 'Folder', example: 'folder:holiday' },
  { key: 'iso', label: 'ISO', example: 'iso:400, iso:100..800, or iso:3200..' },
  { key: 'near', label: 'Place', example: 'near:48.86,2.35, or with a radius near:48.86,2.35,5km' },
  { key: 'is', label: 'Broken', value: 'broken', example: 'is:broken' },
];

/**
 * A sentence about a search that may need one: what can follow the term that is being typed, or that a term or a date is
 * not understood; empty if there is nothing to say.
 * @param {string} text
 * @param {number} caret  Where the user is typing.
 */
export function hintOf(text, caret) {
  const [, key] = text.slice(0, caret).match(/(?:^|\s)-?(\p{L}+):$/u) ?? [];
  const begun = searchTerms.find((term) => term.key === key?.toLowerCase());
  if (begun) return `For example, ${begun.example}.`;
  // Quoted words are meant as they are.
  const plain = text.replace(/-?"[^"]*"?/g, ' ');
  const unknown = unknownTermIn(plain);
  if (!unknown) return adviceOnDate(plain);
  const known = searchTerms.map((term) => `${term.key}:${term.value ?? ''}`).join(', ');
  return `${unknown.key}: is not a search filter, so ${unknown.word} is searched as text. Filters: ${known}.`;
}

/**
 * The first word that looks like a term but is none: the server searches for it as a word.
 * @param {string} text  Without quoted words.
 */
function unknownTermIn(text) {
  for (const word of text.split(/\s+/)) {
    const [, key] = word.match(/^-?(\p{L}+):(?!\/\/)./u) ?? [];
    if (key && !searchTerms.some((term) => term.key === key.toLowerCase())) return { word, key };
  }
  return undefined;
}

/**
 * The search with a term put in where the user is typing. It takes the place of a selection, or of a term that is still
 * empty.
 * @param {SearchTerm} term
 * @param {{text: string, start: number, end: number}} field  Its text and its selection.
 * @returns {{text: string, caret: number}}
 */
export function withTerm({ key, value = '' }, { text, start, end }) {
  const before = text.slice(0, start).replace(/(^|\s)-?\p{L}+:$/u, '$1');
  const after = text.slice(end).trimStart();
  const space = before === '' || /\s$/.test(before) ? '' : ' ';
  const begun = `${before}${space}${key}:${value}`;
  return { text: [begun, after].filter(Boolean).join(' '), caret: begun.length };
}
