/** Over HTTP/2, in which an abort resets a stream and closes no connection. */
import { Grid } from './grid.js';

new Grid({ places: 16 }).start();
