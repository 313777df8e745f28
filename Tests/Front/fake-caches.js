/** Caches as browsers have them, as far as the tests need them. */
export class FakeCaches {
  #caches = new Map();

  async open(name) {
    if (!this.#caches.has(name)) this.#caches.set(name, new FakeCache());
    return this.#caches.get(name);
  }
}

const addressOf = (request) => new URL(request.url ?? request, globalThis.location?.href ?? 'http://gallery.example').href;

class FakeCache {
  #answers = new Map();

  async match(request) {
    return this.#answers.get(addressOf(request))?.clone();
  }

  async put(request, answer) {
    this.#answers.set(addressOf(request), answer);
  }

  async delete(request) {
    return this.#answers.delete(addressOf(request));
  }

  async keys() {
    return [...this.#answers.keys()].map((url) => ({ url }));
  }
}
