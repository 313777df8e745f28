import { useServerTables } from '../catalog/server-tables.js';
import { find } from './template.js';

/* This is the first module of the page to run, so that the others find the tables filled. */
useServerTables(JSON.parse(find('#server-tables').textContent ?? ''));
