/** Over HTTP/2, where an abort resets a stream and closes nothing. */
import { Grid } from './grid.js';

new Grid({ places: 16 }).start();
