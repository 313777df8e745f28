const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'Mac'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
];

/**
 * A browser in a few words: `Firefox on Linux`.
 * @param {string} agent  The value of `User-Agent`.
 */
export function agentText(agent) {
  const [browser, system] = [browsers, systems].map((names) => names.find(([part]) => agent.includes(part))?.[1]);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? (agent || 'Unknown browser');
}
