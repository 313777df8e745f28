/** Over HTTP/1.1, where a browser sends six requests at once. */
import { Grid } from './grid.js';

new Grid({ places: 6 }).start();
