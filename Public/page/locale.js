/**
 * English, with the dates and clock of the user's region: `June 14, 2019`, or `14 June 2019`.
 * @type {string}
 */
export const dateLocale = localeFor(globalThis.navigator?.language ?? 'en');

/** @param {string} language  A language tag of BCP 47, such as `de-AT`. */
export function localeFor(language) {
  try {
    const { region } = new Intl.Locale(language).maximize();
    return region ? `en-${region}` : 'en';
  } catch {
    // Not a valid tag.
    return 'en';
  }
}
