/**
 * @typedef {import('./draft.js').Draft} Draft
 * @typedef {import('./reordering.js').Landmark} Landmark
 */

/** Where pictures stand in an order that is being read. */
export class Whereabouts {
  /** Of the landmarks, counted from the first: near ones rather than far ones. */
  static #tried = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144];

  #server;
  #draft;
  /**
   * As the server said; undefined of what is not there.
   * @type {Map<string, number | undefined>}
   */
  #said = new Map();

  /**
   * @param {Pick<import('./server.js').Server, 'position'>} server
   * @param {Draft} draft
   */
  constructor(server, draft) {
    this.#server = server;
    this.#draft = draft;
  }

  /**
   * @param {Landmark} landmark
   * @returns {number | undefined}  Undefined also of what has left those without a date while one looked at these.
   */
  #of({ id, isUndated }) {
    const place = this.#draft.indexOf(id) ?? this.#said.get(id);
    return isUndated && place !== undefined && place < this.#draft.undatedFrom ? undefined : place;
  }

  /**
   * The first that is known to be there still.
   * @param {Landmark[]} landmarks
   */
  first(landmarks) {
    for (const landmark of landmarks) {
      const place = this.#of(landmark);
      if (place !== undefined) return { index: landmark.index, place };
    }
    return undefined;
  }

  /**
   * Where those who follow a picture will be, with its neighbours: runs of slots, both ends inclusive.
   * @param {Landmark[][]} followed
   */
  around(followed) {
    return followed.flatMap((landmarks) => {
      const found = this.first(landmarks);
      return found ? [[found.place - 1, found.place + 1]] : [];
    });
  }

  /**
   * Whether there is more to be learnt of where they stand.
   * @param {Landmark[]} landmarks
   */
  isToBeSought(landmarks) {
    if (landmarks.length === 0) return false;
    return this.#of(landmarks[0]) === undefined && this.#unasked(landmarks).length > 0;
  }

  /** @param {Landmark[]} landmarks */
  seek(landmarks) {
    return this.ask(this.#said.has(landmarks[0].id) ? this.#unasked(landmarks) : landmarks.slice(0, 1));
  }

  /**
   * Some that may be there still, and are nearer than the first that is known to be.
   * @param {Landmark[]} landmarks
   */
  #unasked(landmarks) {
    const known = landmarks.findIndex((landmark) => this.#of(landmark) !== undefined);
    const tried = Whereabouts.#tried.filter((at) => known < 0 || at < known);
    return tried.flatMap((at) => landmarks[at] ?? []).filter(({ id }) => !this.#said.has(id));
  }

  /** @param {Landmark[]} landmarks */
  async ask(landmarks) {
    const unknown = landmarks.filter((landmark) => this.#of(landmark) === undefined && !this.#said.has(landmark.id));
    await Promise.all(unknown.map(async ({ id }) => {
      this.#said.set(id, await this.#server.position(this.#draft.view, id));
    }));
  }

  /**
   * The order may have changed again since the server said where one stands: then the pages do not have it there.
   * @param {Landmark[]} landmarks
   */
  forgetWrong(landmarks) {
    const wrong = landmarks.find((landmark) => this.#of(landmark) !== undefined);
    if (wrong && this.#draft.indexOf(wrong.id) === undefined) this.#said.delete(wrong.id);
  }
}
