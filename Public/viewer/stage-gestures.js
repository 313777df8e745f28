import { Gestures } from './gestures.js';

/**
 * What gestures ask the viewer for. `has`: whether there is an image that many steps on; `isPrepared`: whether its frame
 * lies beside the current one; `covers`: whether the image of this stage, not zoomed in, covers a point of it.
 * @typedef {{step: (by: number) => void, has: (step: number) => boolean, isPrepared: (step: number) => boolean, close:
 *   () => void, toggleBars: () => void, toggleDetails: () => void, areDetailsOpen: () => boolean, isMenuOpen: () => boolean,
 *   covers: (at: import('./gestures.js').Point) => boolean}} StageActions
 */

/**
 * Attaches what fingers, mouse and wheel do on the stage.
 * @param {HTMLElement} stage
 * @param {{zoom: import('./zoom-control.js').ZoomControl, track: import('./track.js').Track}} parts
 * @param {StageActions} actions
 */
export function attachStageGestures(stage, { zoom, track }, actions) {
  /** A press that closes the menu does nothing else. */
  let isForMenu = false;
  return new Gestures(stage, {
    pans: (dx, dy) => zoom.pans(dx, dy),
    press: () => {
      isForMenu = actions.isMenuOpen();
      track.hold();
    },
    release: () => track.release(),
    tap: (at, isTouch) => {
      if (isForMenu) return;
      if (isTouch) actions.toggleBars();
      else if (!zoom.isIn && !actions.covers(at)) actions.close();
    },
    doubleTap: (at) => zoom.toggle(at),
    pan: (dx, dy) => zoom.pan(dx, dy),
    pinch: (factor, at, dx, dy) => zoom.pinch(factor, at, dx, dy),
    turn: (step) => actions.step(step),
    swipe: (way) => track.swipe(way, !actions.has(-Math.sign(way))),
    swipeEnd: (way, speed) => {
      const step = track.stepOf(way, speed);
      // An unknown image cannot be in a neighbouring frame yet.
      const isPrepared = step !== 0 && actions.isPrepared(step);
      if (step !== 0) actions.step(step);
      if (isPrepared) track.arrive(step);
      else track.release();
    },
    pull: (way) => track.pull(way),
    pullEnd: (way, speed) => {
      const direction = track.pullOf(way, speed);
      const areDetailsOpen = actions.areDetailsOpen();
      // Up opens the details; down closes them, or else the viewer.
      if (direction === 'down' && !areDetailsOpen) return actions.close();
      if (direction === (areDetailsOpen ? 'down' : 'up')) actions.toggleDetails();
      return track.release();
    },
  });
}
