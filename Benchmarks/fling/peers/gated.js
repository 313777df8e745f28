/** Over HTTP/1.1, and nothing is asked for before the motion is slow enough for it to be of use. */
import { Grid } from './grid.js';
import { VelocityGate } from './velocity.js';

new Grid({ places: 6, screenFirst: true, gate: new VelocityGate(1) }).start();
