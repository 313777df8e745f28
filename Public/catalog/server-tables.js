/**
 * The tables that the page shares with its server. The server keeps each list in one place and puts them into the page;
 * the page passes them on to its stream worker.
 *
 * @typedef {{name: string, pixels: number}} Step  `pixels`: of the longer side.
 * @typedef {{name: string, ascending: string, descending: string, beginsDescending: boolean, hasMonths: boolean,
 *   isRandom: boolean}} Sort  `ascending`, `descending`: the name of each direction. `beginsDescending`: the order is
 *   descending when it is first chosen. `hasMonths`: the pictures are divided by month. `isRandom`: the order has a seed
 *   instead of a direction.
 * @typedef {{steps: Step[], sent: string[], types: string[], displayable: string[], animatable: string[],
 *   sorts: Sort[]}} ServerTables
 *   `steps`: the fixed sizes of renditions, the smallest first. `sent`: the renditions that the stream sends, by their
 *   number in a binary message, and `types`: media types by theirs; empty for a number without a meaning.
 *   `displayable`: media types of originals that browsers display themselves, and `animatable`: those of them that may
 *   have several frames, displayed one after the other. `sorts`: the sort orders; the first is the sources' own order and
 *   the default.
 */

/** @type {ServerTables} */
export const serverTables = { steps: [], sent: [], types: [], displayable: [], animatable: [], sorts: [] };

/** @param {ServerTables} tables */
export function useServerTables(tables) {
  Object.assign(serverTables, tables);
}
