/*
 * What the page loads after the first pictures, or on first use, as one script: several would share small parts with the
 * page's first script in all combinations, each a script to request before the first picture.
 */
export { DateSheet } from './finding/date-sheet.js';
export { FolderSheet } from './finding/folder-sheet.js';
export { SearchPanel } from './finding/search-panel.js';
export { adviceOn, dayIn, destinationOf } from './page/destination.js';
export { SettingsSheet } from './settings/settings-sheet.js';
export { Timeline } from './finding/timeline.js';
export { StandIn } from './offline/stand-in.js';
export { Viewer } from './viewer/viewer.js';
