import { Problem } from '../../catalog/problem.js';
import { isWorthWaiting, mostAttempts, waitFor } from '../../loading/patience.js';

/**
 * Does what may fail for a while, as often as the loader would.
 * @template T
 * @param {() => Promise<T>} work
 * @param {AbortSignal} signal  Ends the waiting; what is done then fails as it did last.
 * @returns {Promise<T>}
 */
export async function insist(work, signal) {
  for (const made = { attempts: 0 }; ; made.attempts += 1) {
    try {
      return await work();
    } catch (problem) {
      if (signal.aborted || !isPassing(problem)) throw problem;
      const isWorthIt = problem.isBusy ? isWorthWaiting(made, problem) : made.attempts < mostAttempts;
      if (!isWorthIt) throw problem;
      await passing(waitFor(made, problem), signal);
      if (signal.aborted) throw problem;
    }
  }
}

/**
 * Whether the same may go well later: nobody answered, or the server asked for patience.
 * @param {unknown} problem
 * @returns {problem is Problem}
 */
export function isPassing(problem) {
  return problem instanceof Problem && (problem.status === 0 || problem.isBusy);
}

/**
 * @param {number} seconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function passing(seconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(end, seconds * 1_000);
    function end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
    signal.addEventListener('abort', end);
  });
}
