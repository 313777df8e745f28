import { useServerTables } from '../../Public/catalog/server-tables.js';

/* What a server puts into its page, for modules that are tested without one. */
useServerTables({
  steps: [
    { name: '160', pixels: 160 }, { name: 'tile', pixels: 320 }, { name: '640', pixels: 640 },
    { name: '1280', pixels: 1_280 }, { name: 'screen', pixels: 1_600 }, { name: '2560', pixels: 2_560 },
  ],
  sent: ['', 'preview', 'tile', '160', '640', '1280', '2560'],
  types: ['', 'image/avif', 'image/webp', 'image/jpeg', 'image/png', 'image/gif'],
  displayable: ['image/jpeg', 'image/png'],
  animatable: ['image/png'],
  sorts: ['path', 'taken', 'name', 'size', 'shuffle'].map((name) => ({
    name, ascending: 'Upwards', descending: 'Downwards', beginsDescending: name === 'taken', hasMonths: name === 'taken',
    isRandom: name === 'shuffle',
  })),
});
