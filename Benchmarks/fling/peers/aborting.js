/** Over HTTP/1.1, for which a browser sends six requests at a time. */
import { Grid } from './grid.js';

new Grid({ places: 6 }).start();
