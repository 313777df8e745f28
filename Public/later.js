/*
 * What the page loads after the first pictures, or on first use. It is one script, because bundling splits several
 * scripts further, by the parts they share with the first script: all of those would load before the first picture.
 */
export { DateSheet } from './finding/date-sheet.js';
export { FolderSheet } from './finding/folder-sheet.js';
export { SearchPanel } from './finding/search-panel.js';
export { adviceOn, dayIn, destinationOf } from './page/destination.js';
export { offerAccount } from './page/account-action.js';
export { SettingsSheet } from './settings/settings-sheet.js';
export { Timeline } from './finding/timeline.js';
export { StandIn } from './offline/stand-in.js';
export { Viewer } from './viewer/viewer.js';
