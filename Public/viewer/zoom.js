import { clamp } from '../grid/geometry.js';

/** An image can be enlarged to this many device pixels per pixel. */
const mostMagnification = 16;
/** From this magnification on, pixels have hard edges. */
const hardMagnification = 6;

/**
 * The enlargement and position of an image, in CSS pixels from the middle of the stage. At scale 1 it fits the stage.
 * The image may be rotated in quarter turns.
 */
export class Zoom {
  scale = 1;
  x = 0;
  y = 0;

  /**
   * @param {{width: number, height: number}} stage
   * @param {{width: number, height: number}} box  The image's size at scale 1.
   * @param {number} natural  The image's width in device pixels divided by the box's: how far it can be enlarged with
   *   more to see.
   * @param {number} quarterTurns  Quarters, clockwise; 0 to 3.
   */
  constructor(stage, box, natural, quarterTurns = 0) {
    this.stage = stage;
    this.box = box;
    this.natural = natural;
    this.quarterTurns = quarterTurns;
    this.most = clamp(natural * mostMagnification, 3, 40);
  }

  /**
   * Fits the image to the stage, without enlarging it.
   * @param {{width: number, height: number}} stage
   * @param {{width: number, height: number, isLeast: boolean}} natural  `isLeast`: it may be larger.
   * @param {number} quarterTurns
   */
  static fitting(stage, natural, quarterTurns = 0) {
    const room = rotated(stage, quarterTurns);
    const fill = Math.min(room.width / natural.width, room.height / natural.height);
    const scale = natural.isLeast ? fill : Math.min(1, fill);
    const width = Math.max(1, Math.round(natural.width * scale));
    const height = Math.max(1, Math.round(natural.height * scale));
    return new Zoom(stage, { width, height }, natural.isLeast ? 1 : natural.width / devicePixelRatio / width, quarterTurns);
  }

  /** The size of the image on the screen at scale 1, after rotation. */
  get seen() {
    return rotated(this.box, this.quarterTurns);
  }

  /** The same view, with the stage rotated instead of the image: for code that works in the image's own directions. */
  get unrotated() {
    const zoom = new Zoom(rotated(this.stage, this.quarterTurns), this.box, this.natural);
    zoom.scale = this.scale;
    [zoom.x, zoom.y] = [
      [this.x, this.y],
      [this.y, -this.x],
      [-this.x, -this.y],
      [-this.y, this.x],
    ][this.quarterTurns];
    return zoom;
  }

  /**
   * Whether the image covers a point of the stage, if it is not zoomed in.
   * @param {{x: number, y: number}} point  From the middle of the stage.
   */
  covers({ x, y }) {
    const { width, height } = this.seen;
    return Math.abs(x) <= width / 2 && Math.abs(y) <= height / 2;
  }

  get isIn() {
    return this.scale > 1.01;
  }

  /** The scale after a double tap: the image's own pixels if that is a noticeable step, or else twice the size. */
  get step() {
    return this.natural > 1.25 ? this.natural : 2;
  }

  /** Device pixels per pixel of the image. */
  get magnification() {
    return this.scale / this.natural;
  }

  /** Whether the image's pixels are so large that interpolating between them hides more than it shows. */
  get isHard() {
    return this.magnification >= hardMagnification;
  }

  /**
   * Whether the image has reached the edge of the stage, so that a movement in this direction cannot pan it.
   * @param {number} dx  Positive to the right, in pixels.
   */
  isAtEdge(dx) {
    const most = Math.max(0, (this.seen.width * this.scale - this.stage.width) / 2);
    return dx > 0 ? this.x > most - 1 : this.x < 1 - most;
  }

  /**
   * Keeps the point under the pointer in place.
   * @param {number} scale
   * @param {{x: number, y: number}} point  From the middle of the stage.
   */
  zoomTo(scale, point = { x: 0, y: 0 }) {
    const next = clamp(scale, 1, this.most);
    const factor = next / this.scale;
    this.x = point.x - (point.x - this.x) * factor;
    this.y = point.y - (point.y - this.y) * factor;
    this.scale = next;
    this.#keepOnStage();
  }

  /**
   * @param {number} dx
   * @param {number} dy
   */
  panBy(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.#keepOnStage();
  }

  reset() {
    this.zoomTo(1);
  }

  /**
   * Shows the image at the size and place at which another zoom showed it, as far as the stage allows.
   * @param {Zoom} before
   */
  continue(before) {
    this.zoomTo((before.scale * before.box.width) / this.box.width);
    this.panBy(before.x - this.x, before.y - this.y);
  }

  get transform() {
    const turn = this.quarterTurns ? `rotate(${this.quarterTurns * 90}deg)` : '';
    return this.isIn ? `translate(${this.x}px, ${this.y}px) scale(${this.scale}) ${turn}`.trim() : turn;
  }

  /** An enlarged image covers the stage; one that is smaller than the stage stays in the middle. */
  #keepOnStage() {
    const { width, height } = this.seen;
    const acrossMost = Math.max(0, (width * this.scale - this.stage.width) / 2);
    const downMost = Math.max(0, (height * this.scale - this.stage.height) / 2);
    this.x = clamp(this.x, -acrossMost, acrossMost);
    this.y = clamp(this.y, -downMost, downMost);
  }
}

/**
 * @param {{width: number, height: number}} size
 * @param {number} quarterTurns  Quarters.
 */
function rotated({ width, height }, quarterTurns) {
  return quarterTurns % 2 === 1 ? { width: height, height: width } : { width, height };
}
