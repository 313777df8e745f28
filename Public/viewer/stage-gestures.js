import { Gestures } from './gestures.js';

/**
 * What gestures ask the viewer for. `has`: whether there is an image that many steps on; `isPrepared`: whether its frame
 * lies beside the current one.
 * @typedef {{step: (by: number) => void, has: (step: number) => boolean, isPrepared: (step: number) => boolean, close:
 *   () => void, toggleBars: () => void, toggleDetails: () => void, areDetailsOpen: () => boolean}} StageActions
 */

/**
 * Attaches what fingers, mouse and wheel do on the stage.
 * @param {HTMLElement} stage
 * @param {{zoom: import('./zoom-control.js').ZoomControl, track: import('./track.js').Track}} parts
 * @param {StageActions} actions
 */
export function attachStageGestures(stage, { zoom, track }, actions) {
  return new Gestures(stage, {
    pans: (dx, dy) => zoom.pans(dx, dy),
    press: () => track.hold(),
    release: () => track.release(),
    tap: (at, isTouch) => {
      if (isTouch) actions.toggleBars();
      else if (!zoom.isIn && !zoom.isOn(at)) actions.close();
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
