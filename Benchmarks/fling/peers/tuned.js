/** Over HTTP/2, with everything known to help: no useless requests, and previews before tiles. */
import { Grid } from './grid.js';
import { PreviewBlocks } from './previews.js';
import { VelocityGate } from './velocity.js';

new Grid({ places: 16, screenFirst: true, gate: new VelocityGate(1), previews: new PreviewBlocks(8) }).start();
