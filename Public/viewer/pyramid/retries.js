import { Problem } from '../../catalog/problem.js';
import { isWorthWaiting, mostAttempts, waitFor } from '../../loading/retry-policy.js';

/**
 * Retries work that failed temporarily, as often as the loaders would.
 * @template T
 * @param {() => Promise<T>} work
 * @param {AbortSignal} signal  Ends the waiting; the last failure is then reported.
 * @returns {Promise<T>}
 */
export async function withRetries(work, signal) {
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
 * Whether a retry may succeed: there was no response, or the server was busy.
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
