/** Over HTTP/1.1, without any requests until the motion is slow enough for them to be useful. */
import { Grid } from './grid.js';
import { VelocityGate } from './velocity.js';

new Grid({ places: 6, screenFirst: true, gate: new VelocityGate(1) }).start();
