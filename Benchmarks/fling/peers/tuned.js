/** Over HTTP/2, with all that is known to help: nothing is asked for in vain, and previews come before the tiles. */
import { Grid } from './grid.js';
import { PreviewBlocks } from './previews.js';
import { VelocityGate } from './velocity.js';

new Grid({ places: 16, screenFirst: true, gate: new VelocityGate(1), previews: new PreviewBlocks(8) }).start();
